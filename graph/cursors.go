package graph

import (
	"context"
	"encoding/base64"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/graph/model"
)

// cursors are the cursors of a connection: text behind a prefix, so that those of other connections are rejected.
type cursors struct{ prefix, items string }

var (
	auditCursors    = cursors{"audit:", "the audit log"}
	keyCursors      = cursors{"key:", "family keys"}
	presetCursors   = cursors{"preset:", "presets"}
	searchCursors   = cursors{"search:", "saved searches"}
	tagCursors      = cursors{"tag:", "tags"}
	templateCursors = cursors{"template:", "templates"}
	tokenCursors    = cursors{"token:", "API tokens"}
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
	return fault.OnField(
		fault.Invalid, "after",
		"the cursor does not belong to %s, expected pageInfo.endCursor of the previous page", c.items,
	)
}

// pageOf returns a page of a list in memory, from the item at start on.
func pageOf[T any](list []T, start int, first *int32, cursor func(T) string) (*model.Connection[T], error) {
	n := sizeOf(first, defaultPage)
	if n < 1 || n > maxFirst {
		return nil, fault.OnField(fault.Invalid, "first", "first is %d, expected 1 to %d", n, maxFirst)
	}
	end := min(start+n, len(list))
	return &model.Connection[T]{
		Nodes:    list[start:end],
		Cursor:   cursor,
		Preceded: start > 0,
		Followed: end < len(list),
		Count:    known(len(list)),
	}, nil
}

// defaultPage is the size of most pages if `first` is null.
const defaultPage = 50

// sizeOf returns the size of a page: first, or the default for null.
func sizeOf(first *int32, otherwise int) int {
	if first == nil {
		return otherwise
	}
	return int(*first)
}

// known is a count that is known already.
func known(n int) func(context.Context) (int, error) {
	return func(context.Context) (int, error) { return n, nil }
}
