package database_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/fault"
)

// TestWithItems checks that an item that is left out takes its cursor with it.
func TestWithItems(t *testing.T) {
	letters := []string{"a", "b", "c", "d"}
	p := database.PageOf(letters, strings.ToUpper, 1, 2)
	one := 1
	q := database.WithItems(p, []*int{nil, &one})
	if len(q.Items) != 1 || q.Items[0] != &one || !slices.Equal(q.Cursors, []string{"C"}) || !q.Before || !q.After {
		t.Errorf("%+v of %+v", q, p)
	}
}

// TestCursors checks that cursors keep their values, and that others are rejected.
func TestCursors(t *testing.T) {
	at, id, name, n := time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.UTC), uuid.New(), `été \u0000 "<>`, 1<<60
	cursor := database.Cursor(at, id, name, n)
	var (
		readAt   time.Time
		readID   uuid.UUID
		readName string
		readN    int
	)
	err := database.ParseCursor(cursor, &readAt, &readID, &readName, &readN)
	if err != nil || !readAt.Equal(at) || readID != id || readName != name || readN != n {
		t.Errorf("%s: %v %v %q %d, %v", cursor, readAt, readID, readName, readN, err)
	}
	for _, forged := range []string{
		"", "x", "null", "{}", `"x"`, `[]`, `["x"]`, `["x", 1, 2]`, `["x", null]`, `[null, 1]`, `[1, 1]`, `["x", "y"]`,
		`["x", 99999999999999999999]`, `["a\u0000", 1]`, `["x", 1] []`,
	} {
		if err := database.ParseCursor(forged, &readName, &readN); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: %v", forged, err)
		}
	}
}
