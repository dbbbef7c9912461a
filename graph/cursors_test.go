package graph

import (
	"encoding/base64"
	"testing"

	"github.com/safelight/safelight/fault"
)

// TestForgedCursors checks that a cursor that is not one of ours, or that a database cannot store as text, is
// invalid.
func TestForgedCursors(t *testing.T) {
	encode := func(s string) *string {
		text := base64.RawURLEncoding.EncodeToString([]byte(s))
		return &text
	}
	if id, err := albumCursors.parse(encode("album:1 sea")); err != nil || id != "1 sea" {
		t.Errorf("%q, %v", id, err)
	}
	notBase64 := "album:1"
	for _, cursor := range []*string{
		encode("album:"), encode("font:1"), encode("album:1 a\x00"), encode("album:1 \xff"), &notBase64, encode(""),
	} {
		if id, err := albumCursors.parse(cursor); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%q, %v", id, err)
		}
	}
}
