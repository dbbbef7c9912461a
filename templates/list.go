package templates

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/tokenizer"
	"github.com/safelight/safelight/storage"
)

// ListTemplatesOptions selects templates of a folder.
type ListTemplatesOptions struct {
	First     int    // 1..100
	After     string // path of the template before the first one; empty: from the start
	Search    string // text that the name contains, case-insensitive; empty: all
	Recursive bool   // include subfolders, as indexed
}

// ListTemplates returns the templates of a folder, sorted by name as in listings, and then by path.
func (ts *Templates) ListTemplates(
	ctx context.Context, folder string, o ListTemplatesOptions,
) (*database.Page[*Template], error) {
	if err := database.CheckPage(o.First); err != nil {
		return nil, err
	}
	paths, err := ts.paths(ctx, folder, o)
	if err != nil {
		return nil, fault.WithField(err, "folder")
	}
	start, found := slices.BinarySearchFunc(paths, o.After, byName) // it may have been deleted
	if found {
		start++
	}
	listed := database.PageOf(paths, func(p string) string { return p }, start, o.First)
	list := make([]*Template, len(listed.Items))
	for i, p := range listed.Items {
		t, err := ts.Template(ctx, p)
		if fault.CodeOf(err) == fault.NotFound { // deleted in the meantime
			continue
		}
		if err != nil {
			return nil, err
		}
		list[i] = t
	}
	return database.WithItems(listed, list), nil
}

// paths returns the paths of the templates that match, in their order.
func (ts *Templates) paths(ctx context.Context, folder string, o ListTemplatesOptions) ([]string, error) {
	all, err := ts.files.TemplatePaths(ctx, folder, o.Recursive)
	if err != nil {
		return nil, err
	}
	search := strings.ToLower(o.Search)
	all = slices.DeleteFunc(all, func(p string) bool {
		name := strings.ToLower(storage.Key(p).Name())
		return !strings.Contains(strings.TrimSuffix(name, gallery.TemplateSuffix), search)
	})
	sort.Slice(all, func(i, j int) bool { return byName(all[i], all[j]) < 0 })
	return all, nil
}

// byName compares paths by their names first, and then as a whole.
func byName(a, b string) int {
	return cmp.Or(
		bytes.Compare(tokenizer.NameKey(storage.Key(a).Name()), tokenizer.NameKey(storage.Key(b).Name())),
		strings.Compare(a, b),
	)
}
