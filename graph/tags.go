package graph

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/graph/model"
)

// Tags resolves tags.
func (q query) Tags(ctx context.Context, first *int32, after *string) (*model.TagConnection, error) {
	last, err := parseTagCursor(after)
	if err != nil {
		return nil, err
	}
	p, err := q.rules.Gallery.Tags(ctx, sizeOf(first, defaultPage), last)
	return connection(p, tagCursor, err)
}

func tagCursor(t *gallery.Tag) string { return tagCursors.of(fmt.Sprintf("%d:%s", t.Count, t.Key)) }

// parseTagCursor decodes a cursor to the count and the key of a tag. Without a cursor, it returns nil.
func parseTagCursor(after *string) (*gallery.Tag, error) {
	text, err := tagCursors.parse(after)
	if err != nil || text == "" {
		return nil, err
	}
	number, key, _ := strings.Cut(text, ":")
	n, err := strconv.ParseInt(number, 10, 32)
	if err != nil {
		return nil, tagCursors.foreign()
	}
	return &gallery.Tag{Count: int32(n), Key: key}, nil
}
