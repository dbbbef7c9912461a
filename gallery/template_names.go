package gallery

import (
	"context"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/storage"
)

// TemplateSuffix is the end of the name of a saved template. PreviewSuffix is the end of the name of its
// preview.
const (
	TemplateSuffix = search.TemplateSuffix
	PreviewSuffix  = search.PreviewSuffix
)

// IsTemplate reports whether the name of a file is that of a saved template.
func IsTemplate(k storage.Key) bool { return search.IsTemplate(k.Name()) }

// MaxTemplate is the maximum size of a template in bytes.
const MaxTemplate = 1 << 20

// TemplatePaths returns the paths of the visible templates in a folder, in no particular order. It first
// syncs the folder with the storage. If recursive is set, it includes templates at any depth, as indexed.
func (g *Gallery) TemplatePaths(ctx context.Context, folder string, recursive bool) ([]string, error) {
	yes := true
	o := BrowseOptions{Folder: folder, Recursive: recursive, Filter: search.Filter{IsTemplate: &yes}}
	_, where, err := g.index.conditions(ctx, kindFile, o)
	if err != nil {
		return nil, err
	}
	var paths []string
	err = g.db.Entry.Query().Where(where.Of(kindFile, recursive)).Select(entry.FieldPath).Scan(ctx, &paths)
	return paths, database.Translate(err)
}
