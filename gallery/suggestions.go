package gallery

import (
	"cmp"
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/places"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/gallery/tokenizer"
)

// SuggestionKind is a condition of search.Filter for which there are suggestions.
type SuggestionKind string

// The kinds of suggestions.
const (
	SuggestTag    SuggestionKind = "TAG"
	SuggestCamera SuggestionKind = "CAMERA"
	SuggestLens   SuggestionKind = "LENS"
	SuggestFolder SuggestionKind = "FOLDER"
	SuggestPlace  SuggestionKind = "PLACE"
	SuggestCity   SuggestionKind = "CITY"
)

// Suggestion is a value of a condition. It has the number of visible files that the value selects. The number
// is nil if there are more than search.CountLimit, and for a city.
type Suggestion struct {
	Value string
	Count *int32
}

const (
	maxSuggestions = 50
	countedModels  = 100 // how many names of cameras or lenses are counted to sort them by use
)

// Suggestions returns at most limit values, 1 to 50, that match a text. If o has a folder, a filter or a
// search, it returns values of the files that o selects, and fault.Invalid for kinds other than tags, cameras
// and lenses.
func (g *Gallery) Suggestions(
	ctx context.Context, kind SuggestionKind, text string, limit int, among BrowseOptions,
) ([]*Suggestion, error) {
	if limit < 1 || limit > maxSuggestions {
		return nil, fault.OnField(fault.Invalid, "limit", "limit is %d, expected 1 to %d", limit, maxSuggestions)
	}
	if err := database.CheckSearchText("text", text); err != nil {
		return nil, err
	}
	words := tokenizer.Split(text)
	if n := len(words); n > search.MaxTerms {
		return nil, fault.OnField(fault.Invalid, "text", "text has %d words, expected at most %d", n, search.MaxTerms)
	}
	if among.Folder != "" || among.Search != "" || !reflect.ValueOf(among.Filter).IsZero() {
		return g.suggestAmong(ctx, kind, words, limit, among)
	}
	return g.suggest(ctx, kind, text, words, limit)
}

// suggest returns values of all files.
func (g *Gallery) suggest(
	ctx context.Context, kind SuggestionKind, text string, words []string, limit int,
) ([]*Suggestion, error) {
	switch kind {
	case SuggestTag:
		return g.suggestTags(ctx, words, limit)
	case SuggestFolder:
		return g.suggestFolders(ctx, text, len(words) > 0, limit)
	case SuggestPlace:
		return g.suggestPlaces(ctx, words, limit)
	case SuggestCity:
		list := []*Suggestion{}
		for _, city := range places.Search(text, limit) {
			list = append(list, &Suggestion{Value: city.Name()})
		}
		return list, nil
	default:
		return g.suggestModels(ctx, kind, words, limit)
	}
}

func (g *Gallery) suggestTags(ctx context.Context, words []string, limit int) ([]*Suggestion, error) {
	query, args, err := g.tagsInUse(ctx)
	if err != nil {
		return nil, err
	}
	query += " HAVING TRUE"
	for _, word := range words { // words contain no wildcards
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

// suggestFolders returns folders that match a text. Unless recursive is set, it only returns folders in the
// root.
func (g *Gallery) suggestFolders(
	ctx context.Context,
	text string,
	recursive bool,
	limit int,
) ([]*Suggestion, error) {
	first := int32(limit)
	found, err := g.Folders(ctx, BrowseOptions{Recursive: recursive, Search: text, First: &first})
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

// maxCountsAge is how long the counts of places are cached, so that they are not counted again while somebody
// types.
const maxCountsAge = 5 * time.Second

// placeCount is a stored place with the number of its visible pictures, and the names that suggestions use
// for its country, region and city.
type placeCount struct {
	parts [3]placePart
	count int32
}

type placePart struct {
	name   string
	folded places.Folded
}

// countPlaces counts the pictures of each place. It folds the names once, so that this need not happen for
// each suggestion.
func (g *Gallery) countPlaces(ctx context.Context, scope access.Scope) ([]placeCount, error) {
	counts, err := search.CountPlaces(ctx, g.db, scope)
	if err != nil {
		return nil, err
	}
	known, list := map[places.Place]placePart{}, make([]placeCount, 0, len(counts))
	for _, stored := range counts {
		p, _ := places.Parse(stored.Name)
		c := placeCount{count: int32(stored.Files)}
		for i, part := range []places.Place{{Country: p.Country}, {Region: p.Region, Country: p.Country}, p} {
			if _, ok := known[part]; !ok {
				known[part] = placePart{part.Name(), part.Folded()}
			}
			c.parts[i] = known[part]
		}
		list = append(list, c)
	}
	return list, nil
}

// suggestPlaces returns countries, regions and cities where pictures were taken.
func (g *Gallery) suggestPlaces(ctx context.Context, words []string, limit int) ([]*Suggestion, error) {
	scope, err := g.Access.Scope(ctx)
	if err != nil {
		return nil, err
	}
	read := func() ([]placeCount, error) { return g.countPlaces(ctx, scope) }
	counts, err := []placeCount(nil), error(nil)
	if scope.Whole() {
		counts, err = g.placed.get(maxCountsAge, read)
	} else {
		counts, err = read()
	}
	if err != nil {
		return nil, err
	}
	query, found := places.NewQuery(strings.Join(words, " ")), map[string]*Suggestion{}
	for _, c := range counts {
		names := map[string]bool{} // a city and its region may have the same name
		for _, part := range c.parts {
			if _, matches := query.Matches(part.folded); matches || len(words) == 0 {
				names[part.name] = true
			}
		}
		for name := range names {
			if found[name] == nil {
				found[name] = &Suggestion{name, new(int32)}
			}
			*found[name].Count += c.count
		}
	}
	list := slices.SortedFunc(maps.Values(found), func(a, b *Suggestion) int {
		return cmp.Or(cmp.Compare(*b.Count, *a.Count), cmp.Compare(a.Value, b.Value))
	})
	return list[:min(limit, len(list))], nil
}

// suggestModels returns cameras or lenses that match words.
func (g *Gallery) suggestModels(
	ctx context.Context, kind SuggestionKind, words []string, limit int,
) ([]*Suggestion, error) {
	scope, err := g.Access.Scope(ctx)
	if err != nil {
		return nil, err
	}
	if !scope.Whole() { // usually the caller sees few files, and each name would cost a statement over their folders
		ids, err := g.matching(ctx, BrowseOptions{Recursive: true})
		if err != nil {
			return nil, err
		}
		if ids != nil {
			return g.countValues(ctx, kind, words, limit, ids)
		}
	}
	m := search.Model(valuesOf[kind])
	names, err := search.ModelNames(ctx, g.db, scope, m, words, countedModels)
	if err != nil {
		return nil, err
	}
	list, spellings := []*Suggestion{}, map[string]*Suggestion{}
	for _, name := range names {
		n, err := search.CountModel(ctx, g.db, scope, m, name)
		if err != nil {
			return nil, err
		}
		count, parts := int32(n), len(tokenizer.Split(name))
		if count == 0 || parts == 0 || parts > search.MaxTerms { // the filter would reject it
			continue
		}
		spelling := tokenizer.Fold(name)
		if same := spellings[spelling]; same != nil { // the filter selects both spellings
			*same.Count += count
			continue
		}
		s := &Suggestion{name, &count}
		spellings[spelling] = s
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
