package graph

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/graph/model"
)

// cursors encodes the cursors of the pages of one connection. They contain a prefix, so that cursors of other
// connections are rejected.
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

	similarCursors      = cursors{"similar:", "similarFiles"}
	similarGroupCursors = cursors{"similar-group:", "similarGroups"}
	duplicateCursors    = cursors{"duplicate:", "duplicates"}
)

// of encodes a cursor of a page.
func (c cursors) of(cursor string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(c.prefix + cursor))
}

// parse decodes a cursor. Without a cursor, it returns an empty text. It returns fault.Invalid for a cursor of
// another connection.
func (c cursors) parse(after *string) (cursor string, err error) {
	if after == nil {
		return "", nil
	}
	data, err := base64.RawURLEncoding.DecodeString(*after)
	cursor, ours := strings.CutPrefix(string(data), c.prefix)
	if err != nil || !ours || cursor == "" || strings.ContainsRune(cursor, 0) || !utf8.ValidString(cursor) {
		return "", fault.OnField(
			fault.Invalid, "after",
			"the cursor does not belong to %s, expected pageInfo.endCursor of the previous page", c.items,
		)
	}
	return cursor, nil
}

// connection converts a page to a connection. If err is not nil, it returns nil and the error.
func connection[T any](p *database.Page[T], c cursors, err error) (*model.Connection[T], error) {
	if err != nil {
		return nil, err
	}
	for i, cursor := range p.Cursors {
		p.Cursors[i] = c.of(cursor)
	}
	return &model.Connection[T]{Page: p}, nil
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
