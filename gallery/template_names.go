package gallery

import (
	"context"
	"slices"
	"strings"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/storage"
)

// TemplateSuffix ends the name of a saved template, PreviewSuffix that of the preview beside it.
const (
	TemplateSuffix = search.TemplateSuffix
	PreviewSuffix  = search.PreviewSuffix
)

// IsTemplate reports whether a file is a saved template by its name.
func IsTemplate(k storage.Key) bool { return search.IsTemplate(k.Name()) }

// MaxTemplate is the max size of a template in bytes.
const MaxTemplate = 1 << 20

// TemplatePaths returns the paths of the visible templates in a folder at any depth, as indexed, in no order.
func (g *Gallery) TemplatePaths(ctx context.Context, folder string) ([]string, error) {
	where, err := g.index.conditions(ctx, BrowseOptions{Folder: folder, Recursive: true, Search: strings.ReplaceAll(TemplateSuffix, ".", " ")})
	if err != nil {
		return nil, err
	}
	var paths []string
	if err := g.db.Entry.Query().Where(where.Of(kindFile, false)).Select(entry.FieldPath).Scan(ctx, &paths); err != nil {
		return nil, database.Translate(err)
	}
	return slices.DeleteFunc(paths, func(p string) bool { return !IsTemplate(storage.Key(p)) || storage.Key(p).IsHidden() }), nil
}
