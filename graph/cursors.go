package graph

import (
	"encoding/base64"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
)

// cursors are the cursors of a connection: text behind a prefix, so that those of other connections are rejected.
type cursors struct{ prefix, items string }

var (
	auditCursors    = cursors{"audit:", "the audit log"}
	searchCursors   = cursors{"search:", "saved searches"}
	templateCursors = cursors{"template:", "templates"}
	trashCursors    = cursors{"trash:", "the trash"}
)

// of returns the cursor of the item with that id.
func (c cursors) of(id string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(c.prefix + id))
}

// parse returns the id of a cursor; empty without one, fault.Invalid if it is that of another connection.
func (c cursors) parse(after *string) (id string, err error) {
	if after == nil {
		return "", nil
	}
	data, err := base64.RawURLEncoding.DecodeString(*after)
	id, ours := strings.CutPrefix(string(data), c.prefix)
	if err != nil || !ours || id == "" || strings.ContainsRune(id, 0) {
		return "", c.foreign()
	}
	return id, nil
}

func (c cursors) foreign() error {
	return fault.OnField(fault.Invalid, "after", "the cursor does not belong to %s, expected pageInfo.endCursor of the previous page", c.items)
}

// pageInfo describes the page of a list, which items may precede and follow.
func pageInfo[T any](list []T, cursor func(T) string, before, after bool) *gallery.PageInfo {
	info := &gallery.PageInfo{HasNextPage: after, HasPreviousPage: before}
	if n := len(list); n > 0 {
		start, end := cursor(list[0]), cursor(list[n-1])
		info.StartCursor, info.EndCursor = &start, &end
	}
	return info
}
