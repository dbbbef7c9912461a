package templates

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/tokenizer"
	"github.com/safelight/safelight/storage"
)

// ListTemplatesOptions selects templates of a folder.
type ListTemplatesOptions struct {
	First     int    // 1..100
	After     string // the path of the template before the first one; empty for the start
	Search    string // text that the name contains, case-insensitive; empty: all
	Recursive bool   // in subfolders too, as indexed
}

// TemplatePage is a page of a folder's templates, ordered by name, those of one name by path.
type TemplatePage struct {
	Templates     []*Template
	TotalCount    int
	Before, After bool // whether there are templates before and after the page
}

// ListTemplates returns the templates of a folder, in the order of listings by name.
func (ts *Templates) ListTemplates(ctx context.Context, folder string, o ListTemplatesOptions) (*TemplatePage, error) {
	if o.First < 1 || o.First > 100 {
		return nil, fault.OnField(fault.Invalid, "first", "first is %d, expected 1 to 100", o.First)
	}
	paths, err := ts.paths(ctx, folder, o)
	if err != nil {
		return nil, fault.WithField(err, "folder")
	}
	start, found := slices.BinarySearchFunc(paths, o.After, byName) // it may be deleted by now
	if found {
		start++
	}
	end := min(start+o.First, len(paths))
	page := &TemplatePage{Templates: []*Template{}, TotalCount: len(paths), Before: start > 0, After: end < len(paths)}
	for _, p := range paths[start:end] {
		t, err := ts.Template(ctx, p)
		if fault.CodeOf(err) == fault.NotFound { // deleted meanwhile
			continue
		}
		if err != nil {
			return nil, err
		}
		page.Templates = append(page.Templates, t)
	}
	return page, nil
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

// byName compares paths by their names, then as a whole.
func byName(a, b string) int {
	return cmp.Or(
		bytes.Compare(tokenizer.NameKey(storage.Key(a).Name()), tokenizer.NameKey(storage.Key(b).Name())),
		strings.Compare(a, b),
	)
}
