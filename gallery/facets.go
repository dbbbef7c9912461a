package gallery

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/gallery/tokenizer"
)

// This file counts the files that have a value, among those that match a filter and a search: for a panel that offers
// values. Up to search.CountLimit matches are listed once, and their values are counted exactly. If there are more,
// each value is counted by a search of its own, up to the same limit.

const maxCounted = 50 // filters in one call of CountEach

// CountEach returns how many of the files across folders that options select match each filter; nil if there are more
// than search.CountLimit and the index does not know. fault.Invalid for more than 50 filters.
func (g *Gallery) CountEach(ctx context.Context, o BrowseOptions, each []*search.Filter) ([]*int32, error) {
	if n := len(each); n > maxCounted {
		return nil, fault.OnField(fault.Invalid, "each", "%d filters, expected at most %d in one call", n, maxCounted)
	}
	where, _, err := g.matching(ctx, o)
	if err != nil {
		return nil, err
	}
	counts := make([]*int32, len(each))
	for i, f := range each {
		if counts[i], err = countAlso(ctx, where, *f); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// matching returns the conditions of the files that options select. If there are at most search.CountLimit, the
// conditions list them, and so do the ids, which are nil otherwise.
func (g *Gallery) matching(ctx context.Context, o BrowseOptions) (where *search.Conditions, ids []int, err error) {
	_, where, err = g.index.conditions(ctx, kindFile, o)
	if err != nil {
		return nil, nil, err
	}
	ids, err = where.IDs(ctx, kindFile, o.Recursive, search.CountLimit+1)
	if err != nil {
		return nil, nil, err
	}
	if len(ids) > search.CountLimit {
		return where, nil, nil
	}
	where.Only(ids)
	return where, ids, nil
}

// countAlso counts the files across folders that conditions and a filter select; nil for very many.
func countAlso(ctx context.Context, where *search.Conditions, f search.Filter) (*int32, error) {
	where = where.Clone()
	if err := where.Filter(ctx, f); err != nil {
		return nil, err
	}
	n, known, err := where.Count(ctx, kindFile, true, false)
	if err != nil || !known {
		return nil, err
	}
	count := int32(n)
	return &count, nil
}

// suggestAmong returns values of the files that options select.
func (g *Gallery) suggestAmong(
	ctx context.Context, kind SuggestionKind, words []string, limit int, o BrowseOptions,
) ([]*Suggestion, error) {
	column, ok := map[SuggestionKind]search.Values{
		SuggestTag: search.Tags, SuggestCamera: search.Values(search.Camera), SuggestLens: search.Values(search.Lens),
	}[kind]
	if !ok {
		return nil, fault.OnField(
			fault.Invalid, "for", "suggestions of %s have no filter, expected TAG, CAMERA or LENS", kind,
		)
	}
	where, ids, err := g.matching(ctx, o)
	if err != nil {
		return nil, err
	}
	if ids == nil {
		return g.suggestAmongMany(ctx, kind, words, limit, where)
	}
	counts, err := search.CountValues(ctx, g.db, column, ids)
	if err != nil {
		return nil, err
	}
	list, spellings := []*Suggestion{}, map[string]*Suggestion{}
	for _, c := range counts {
		if !isSuggested(kind, c.Name, words) {
			continue
		}
		count, spelling := int32(c.Files), tokenizer.Fold(c.Name)
		if same := spellings[spelling]; same != nil { // the filter selects both
			*same.Count += count
			continue
		}
		spellings[spelling] = &Suggestion{c.Name, &count}
		list = append(list, spellings[spelling])
	}
	slices.SortStableFunc(list, func(a, b *Suggestion) int { return cmp.Compare(*b.Count, *a.Count) })
	return list[:min(limit, len(list))], nil
}

// isSuggested reports whether a value has the words, as suggestions of all files do, and the filter takes it.
func isSuggested(kind SuggestionKind, value string, words []string) bool {
	if kind == SuggestTag {
		key := tokenizer.Fold(value)
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(key, w) })
	}
	parts := len(tokenizer.Split(value))
	return parts > 0 && parts <= search.MaxTerms && search.HasWords(value, words)
}

// suggestAmongMany counts the values that most files have, each by a search of its own.
func (g *Gallery) suggestAmongMany(
	ctx context.Context, kind SuggestionKind, words []string, limit int, where *search.Conditions,
) ([]*Suggestion, error) {
	common, err := g.suggest(ctx, kind, "", words, maxSuggestions)
	if err != nil {
		return nil, err
	}
	list := []*Suggestion{}
	for _, s := range common {
		f := search.Filter{}
		switch kind {
		case SuggestTag:
			f.Tags = []string{s.Value}
		case SuggestCamera:
			f.Camera = s.Value
		default:
			f.Lens = s.Value
		}
		if s.Count, err = countAlso(ctx, where, f); err != nil {
			return nil, err
		}
		if s.Count == nil || *s.Count > 0 {
			list = append(list, s)
		}
	}
	files := func(s *Suggestion) int32 {
		if s.Count == nil {
			return search.CountLimit + 1
		}
		return *s.Count
	}
	slices.SortStableFunc(list, func(a, b *Suggestion) int { return cmp.Compare(files(b), files(a)) })
	return list[:min(limit, len(list))], nil
}
