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

// This file counts how many of the files that match a filter and a search have each value, for a panel that
// offers values. The matches are listed once. Nothing is counted if there are more than search.MaxCandidates.

const maxCounted = 50 // filters in one call of CountEach

var valuesOf = map[SuggestionKind]search.Values{
	SuggestTag: search.Tags, SuggestCamera: search.Values(search.Camera), SuggestLens: search.Values(search.Lens),
}

// CountEach returns how many of the files that o selects match each filter, across folders. It returns nil if
// o selects more than search.MaxCandidates files, and fault.Invalid for more than 50 filters.
func (g *Gallery) CountEach(ctx context.Context, o BrowseOptions, each []*search.Filter) ([]int32, error) {
	if n := len(each); n > maxCounted {
		return nil, fault.OnField(fault.Invalid, "each", "%d filters, expected at most %d in one call", n, maxCounted)
	}
	ids, err := g.matching(ctx, o)
	if ids == nil {
		return nil, err
	}
	return search.CountEach(ctx, g.db, each, ids)
}

// matching returns the ids of the files that o selects, or nil if there are more than search.MaxCandidates.
func (g *Gallery) matching(ctx context.Context, o BrowseOptions) ([]int, error) {
	_, where, err := g.index.conditions(ctx, kindFile, o)
	if err != nil {
		return nil, err
	}
	ids, err := where.IDs(ctx, kindFile, o.Recursive, search.MaxCandidates+1)
	if err != nil || len(ids) > search.MaxCandidates {
		return nil, err
	}
	return ids, nil
}

// suggestAmong returns values of the files that o selects. If there are too many files to list, it returns
// values of all files, without counts.
func (g *Gallery) suggestAmong(
	ctx context.Context, kind SuggestionKind, words []string, limit int, o BrowseOptions,
) ([]*Suggestion, error) {
	if valuesOf[kind] == "" {
		return nil, fault.OnField(
			fault.Invalid, "for", "suggestions of %s have no filter, expected TAG, CAMERA or LENS", kind,
		)
	}
	ids, err := g.matching(ctx, o)
	if err != nil {
		return nil, err
	}
	if ids == nil {
		common, err := g.suggest(ctx, kind, "", words, limit)
		for _, s := range common {
			s.Count = nil
		}
		return common, err
	}
	return g.countValues(ctx, kind, words, limit, ids)
}

// countValues returns values that files have, with the number of files, most used first.
func (g *Gallery) countValues(
	ctx context.Context, kind SuggestionKind, words []string, limit int, ids []int,
) ([]*Suggestion, error) {
	counts, err := search.CountValues(ctx, g.db, valuesOf[kind], ids)
	if err != nil {
		return nil, err
	}
	list, spellings := []*Suggestion{}, map[string]*Suggestion{}
	for _, c := range counts {
		if !isSuggested(kind, c.Name, words) {
			continue
		}
		count, spelling := int32(c.Files), tokenizer.Fold(c.Name)
		if same := spellings[spelling]; same != nil { // the filter selects both spellings
			*same.Count += count
			continue
		}
		spellings[spelling] = &Suggestion{c.Name, &count}
		list = append(list, spellings[spelling])
	}
	slices.SortStableFunc(list, func(a, b *Suggestion) int { return cmp.Compare(*b.Count, *a.Count) })
	return list[:min(limit, len(list))], nil
}

// isSuggested reports whether a value contains the words, as in suggestions of all files, and is accepted by
// the filter.
func isSuggested(kind SuggestionKind, value string, words []string) bool {
	if kind == SuggestTag {
		key := tokenizer.Fold(value)
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(key, w) })
	}
	parts := len(tokenizer.Split(value))
	return parts > 0 && parts <= search.MaxTerms && search.HasWords(value, words)
}
