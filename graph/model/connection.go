package model

import (
	"context"
	"math"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/shares"
	"github.com/safelight/safelight/signing/presets"
	"github.com/safelight/safelight/templates"
)

// The connections of the schema, except those of files and folders, which are in package gallery.
type (
	AlbumConnection          = Connection[*gallery.Album]
	AlbumEdge                = Edge[*gallery.Album]
	APITokenConnection       = Connection[*ent.APIToken]
	APITokenEdge             = Edge[*ent.APIToken]
	AuditEventConnection     = Connection[*ent.AuditEvent]
	AuditEventEdge           = Edge[*ent.AuditEvent]
	DuplicateGroupConnection = Connection[*gallery.DuplicateGroup]
	DuplicateGroupEdge       = Edge[*gallery.DuplicateGroup]
	FamilyKeyConnection      = Connection[*FamilyKey]
	FamilyKeyEdge            = Edge[*FamilyKey]
	FontConnection           = Connection[*ent.Font]
	FontEdge                 = Edge[*ent.Font]
	GroupConnection          = Connection[*ent.Group]
	GroupEdge                = Edge[*ent.Group]
	UserConnection           = Connection[*ent.User]
	UserEdge                 = Edge[*ent.User]
	PresetConnection         = Connection[*presets.Preset]
	PresetEdge               = Edge[*presets.Preset]
	SavedSearchConnection    = Connection[*ent.SavedSearch]
	SavedSearchEdge          = Edge[*ent.SavedSearch]
	SessionConnection        = Connection[*ent.Session]
	SessionEdge              = Edge[*ent.Session]
	ShareConnection          = Connection[*ent.Share]
	ShareEdge                = Edge[*ent.Share]
	ShareCommentConnection   = Connection[*ent.ShareComment]
	ShareCommentEdge         = Edge[*ent.ShareComment]
	ShareFeedbackConnection  = Connection[*shares.Reviewed]
	ShareFeedbackEdge        = Edge[*shares.Reviewed]
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

	WebhookConnection         = Connection[*ent.Webhook]
	MailMessageConnection     = Connection[*ent.Mail]
	WebhookEdge               = Edge[*ent.Webhook]
	MailMessageEdge           = Edge[*ent.Mail]
	WebhookDeliveryConnection = Connection[*WebhookDelivery]
	WebhookDeliveryEdge       = Edge[*WebhookDelivery]
)

// Connection is a page of a list, as defined by the Relay specification.
type Connection[T any] struct{ *database.Page[T] }

// Nodes returns the items.
func (c *Connection[T]) Nodes() []T { return c.Items }

// Edge is an item of a page.
type Edge[T any] struct {
	Node   T
	Cursor string
}

// Edges returns the items with their cursors.
func (c *Connection[T]) Edges() []Edge[T] {
	edges := make([]Edge[T], len(c.Items))
	for i, node := range c.Items {
		edges[i] = Edge[T]{Node: node, Cursor: c.Cursors[i]}
	}
	return edges
}

// PageInfo describes the page. The cursors of an empty page are nil.
func (c *Connection[T]) PageInfo() *gallery.PageInfo {
	info := &gallery.PageInfo{HasNextPage: c.After, HasPreviousPage: c.Before}
	if n := len(c.Items); n > 0 {
		info.StartCursor, info.EndCursor = &c.Cursors[0], &c.Cursors[n-1]
	}
	return info
}

// TotalCount returns the total number of items on all pages.
func (c *Connection[T]) TotalCount(ctx context.Context) (*int32, error) {
	n, err := c.Count(ctx)
	if err != nil {
		return nil, err
	}
	total := int32(min(n, math.MaxInt32))
	return &total, nil
}
