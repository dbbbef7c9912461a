package model

import (
	"context"
	"math"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/signing/presets"
	"github.com/safelight/safelight/templates"
)

// The connections of the SDL, except those of files and folders, which are in package gallery.
type (
	APITokenConnection       = Connection[*ent.APIToken]
	APITokenEdge             = Edge[*ent.APIToken]
	AuditEventConnection     = Connection[*ent.AuditEvent]
	AuditEventEdge           = Edge[*ent.AuditEvent]
	DuplicateGroupConnection = Connection[*gallery.DuplicateGroup]
	DuplicateGroupEdge       = Edge[*gallery.DuplicateGroup]
	FamilyKeyConnection      = Connection[*FamilyKey]
	FamilyKeyEdge            = Edge[*FamilyKey]
	PresetConnection         = Connection[*presets.Preset]
	PresetEdge               = Edge[*presets.Preset]
	SavedSearchConnection    = Connection[*ent.SavedSearch]
	SavedSearchEdge          = Edge[*ent.SavedSearch]
	SimilarFileConnection    = Connection[*gallery.SimilarFile]
	SimilarFileEdge          = Edge[*gallery.SimilarFile]
	SimilarGroupConnection   = Connection[*gallery.SimilarGroup]
	SimilarGroupEdge         = Edge[*gallery.SimilarGroup]
	TagConnection            = Connection[*gallery.Tag]
	TagEdge                  = Edge[*gallery.Tag]
	TemplateConnection       = Connection[*templates.Template]
	TemplateEdge             = Edge[*templates.Template]
	TrashedFileConnection    = Connection[*gallery.TrashedFile]
	TrashedFileEdge          = Edge[*gallery.TrashedFile]
)

// Connection is a page of a list, as the Relay specification defines it.
type Connection[T any] struct {
	Nodes              []T
	Cursor             func(T) string // of an item
	Preceded, Followed bool           // whether there are items before and after the page
	// Count returns how many items all pages have. It is called only if the operation selects totalCount,
	// and nil where the SDL has none.
	Count func(context.Context) (int, error)
}

// Edge is an item of a page.
type Edge[T any] struct {
	Node   T
	Cursor string
}

// Edges returns the items with their cursors.
func (c *Connection[T]) Edges() []Edge[T] {
	edges := make([]Edge[T], len(c.Nodes))
	for i, node := range c.Nodes {
		edges[i] = Edge[T]{Node: node, Cursor: c.Cursor(node)}
	}
	return edges
}

// PageInfo describes the page. The cursors of an empty one are nil.
func (c *Connection[T]) PageInfo() *gallery.PageInfo {
	info := &gallery.PageInfo{HasNextPage: c.Followed, HasPreviousPage: c.Preceded}
	if n := len(c.Nodes); n > 0 {
		start, end := c.Cursor(c.Nodes[0]), c.Cursor(c.Nodes[n-1])
		info.StartCursor, info.EndCursor = &start, &end
	}
	return info
}

// TotalCount returns how many items all pages have.
func (c *Connection[T]) TotalCount(ctx context.Context) (*int32, error) {
	n, err := c.Count(ctx)
	if err != nil {
		return nil, err
	}
	total := int32(min(n, math.MaxInt32))
	return &total, nil
}
