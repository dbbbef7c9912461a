package graph

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/graph/model"
)

// cursors encodes the cursors of one connection. They contain a prefix, so that cursors of other connections
// are rejected.
type cursors struct{ prefix, items string }

var (
	albumCursors    = cursors{"album:", "albums"}
	auditCursors    = cursors{"audit:", "the audit log"}
	fontCursors     = cursors{"font:", "fonts"}
	groupCursors    = cursors{"group:", "groups"}
	memberCursors   = cursors{"member:", "the members of a group"}
	keyCursors      = cursors{"key:", "family keys"}
	presetCursors   = cursors{"preset:", "presets"}
	searchCursors   = cursors{"search:", "saved searches"}
	sessionCursors  = cursors{"session:", "sessions"}
	shareCursors    = cursors{"share:", "share links"}
	commentCursors  = cursors{"comment:", "the comments on a link"}
	reviewCursors   = cursors{"feedback:", "the feedback on a link"}
	tagCursors      = cursors{"tag:", "tags"}
	templateCursors = cursors{"template:", "templates"}
	tokenCursors    = cursors{"token:", "API tokens"}
	trashCursors    = cursors{"trash:", "the trash"}
	hookCursors     = cursors{"webhook:", "webhooks"}
	mailCursors     = cursors{"mail:", "the e-mails"}
	deliveryCursors = cursors{"delivery:", "the deliveries of a webhook"}
)

// of returns the cursor of the item with an id.
func (c cursors) of(id string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(c.prefix + id))
}

// parse returns the id in a cursor. Without a cursor, it returns an empty id. It returns fault.Invalid for a
// cursor of another connection.
func (c cursors) parse(after *string) (id string, err error) {
	if after == nil {
		return "", nil
	}
	data, err := base64.RawURLEncoding.DecodeString(*after)
	id, ours := strings.CutPrefix(string(data), c.prefix)
	if err != nil || !ours || id == "" || strings.ContainsRune(id, 0) || !utf8.ValidString(id) {
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

// connection converts a page to a connection. If err is not nil, it returns nil and the error.
func connection[T any](p *database.Page[T], cursor func(T) string, err error) (*model.Connection[T], error) {
	if err != nil {
		return nil, err
	}
	return &model.Connection[T]{Page: p, Cursor: cursor}, nil
}

// defaultPage is the default size of most pages, if `first` is null.
const defaultPage = 50

// sizeOf returns the size of a page: first, or otherwise if first is null.
func sizeOf(first *int32, otherwise int) int {
	if first == nil {
		return otherwise
	}
	return int(*first)
}
