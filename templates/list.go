package templates

import (
	"bytes"
	"context"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/words"
	"github.com/safelight/safelight/storage"
)

// ListTemplatesOptions selects templates of a folder.
type ListTemplatesOptions struct {
	First  int    // 1..100
	After  string // the path of the template before the first one; empty for the start
	Search string // text that the name contains, case-insensitive; empty: all
}

// TemplatePage is a page of a folder's templates, ordered by name.
type TemplatePage struct {
	Templates     []*Template
	TotalCount    int
	Before, After bool // whether there are templates before and after the page
}

// ListTemplates returns the templates directly in a folder, in the order of listings by name.
func (ts *Templates) ListTemplates(ctx context.Context, folder string, o ListTemplatesOptions) (*TemplatePage, error) {
	if o.First < 1 || o.First > 100 {
		return nil, fault.OnField(fault.Invalid, "first", "first is %d, expected 1 to 100", o.First)
	}
	all, err := ts.files.ListFiles(ctx, folder, gallery.ListFilesOptions{OnlyFiles: true, Extensions: []string{"json"}})
	if err != nil {
		return nil, fault.WithField(err, "folder")
	}
	var paths []string
	start := 0
	for _, f := range all.Items {
		name := strings.ToLower(f.Name)
		if !gallery.IsTemplate(storage.Key(f.Path)) || !strings.Contains(strings.TrimSuffix(name, gallery.TemplateSuffix), strings.ToLower(o.Search)) {
			continue
		}
		paths = append(paths, f.Path)
		if o.After != "" && bytes.Compare(words.NameKey(f.Name), words.NameKey(storage.Key(o.After).Name())) <= 0 { // it may be deleted by now
			start = len(paths)
		}
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
