package gallery

import (
	"cmp"
	"context"
	"slices"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/gallery/tokenizer"
)

// SuggestionKind is a condition of search.Filter that has suggestions.
type SuggestionKind string

// The kinds.
const (
	SuggestTag    SuggestionKind = "TAG"
	SuggestCamera SuggestionKind = "CAMERA"
	SuggestLens   SuggestionKind = "LENS"
	SuggestFolder SuggestionKind = "FOLDER"
)

// Suggestion is a value of a condition, with the number of visible files that it selects; nil if there are more than
// search.CountLimit.
type Suggestion struct {
	Value string
	Count *int32
}

const (
	maxSuggestions = 50
	countedModels  = 100 // names of cameras or lenses of which the most used ones are suggested
)

// Suggestions returns values that match a text, at most limit, 1 to 50.
func (g *Gallery) Suggestions(ctx context.Context, kind SuggestionKind, text string, limit int) ([]*Suggestion, error) {
	if limit < 1 || limit > maxSuggestions {
		return nil, fault.OnField(fault.Invalid, "limit", "limit is %d, expected 1 to %d", limit, maxSuggestions)
	}
	if n := len(tokenizer.Split(text)); n > search.MaxTerms {
		return nil, fault.OnField(fault.Invalid, "text", "text has %d words, expected at most %d", n, search.MaxTerms)
	}
	switch kind {
	case SuggestTag:
		return g.suggestTags(ctx, text, limit)
	case SuggestFolder:
		return g.suggestFolders(ctx, text, limit)
	case SuggestCamera:
		return g.suggestModels(ctx, search.Camera, text, limit)
	default:
		return g.suggestModels(ctx, search.Lens, text, limit)
	}
}

func (g *Gallery) suggestTags(ctx context.Context, text string, limit int) ([]*Suggestion, error) {
	query, args := tagsInUse+" HAVING TRUE", []any(nil)
	for _, word := range tokenizer.Split(text) { // words hold no wildcards
		query += " AND t.key LIKE ?"
		args = append(args, "%"+word+"%")
	}
	tags, err := g.tags(ctx, query+" ORDER BY count(*) DESC, t.key LIMIT ?", append(args, limit)...)
	list := []*Suggestion{}
	for _, t := range tags {
		list = append(list, &Suggestion{t.Name, &t.Count})
	}
	return list, err
}

func (g *Gallery) suggestFolders(ctx context.Context, text string, limit int) ([]*Suggestion, error) {
	first := int32(limit)
	found, err := g.Folders(ctx, BrowseOptions{Recursive: len(tokenizer.Split(text)) > 0, Search: text, First: &first})
	if err != nil {
		return nil, err
	}
	list := []*Suggestion{}
	for _, f := range found.Nodes() {
		n, err := f.TotalFiles(ctx)
		if err != nil {
			return nil, err
		}
		list = append(list, &Suggestion{"/" + f.Path(), &n})
	}
	return list, nil
}

func (g *Gallery) suggestModels(ctx context.Context, m search.Model, text string, limit int) ([]*Suggestion, error) {
	names, err := search.ModelNames(ctx, g.db, m, text, countedModels)
	if err != nil {
		return nil, err
	}
	list, spellings := []*Suggestion{}, map[string]*Suggestion{}
	for _, name := range names {
		n, err := search.CountModel(ctx, g.db, m, name)
		if err != nil {
			return nil, database.Translate(err)
		}
		count, words := int32(n), len(tokenizer.Split(name))
		if count == 0 || words == 0 || words > search.MaxTerms { // the filter would refuse it
			continue
		}
		if same := spellings[tokenizer.Fold(name)]; same != nil { // the filter selects both
			*same.Count += count
			continue
		}
		s := &Suggestion{name, &count}
		spellings[tokenizer.Fold(name)] = s
		list = append(list, s)
	}
	slices.SortStableFunc(list, func(a, b *Suggestion) int { return cmp.Compare(*b.Count, *a.Count) })
	list = list[:min(limit, len(list))]
	for _, s := range list {
		if *s.Count > search.CountLimit {
			s.Count = nil
		}
	}
	return list, nil
}
