package imaging

import (
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
)

// TestSignatureOf17Characters holds the shortest signature: one character less is a folder.
func TestSignatureOf17Characters(t *testing.T) {
	for length, signed := range map[int]bool{16: false, 17: true, 18: true} {
		hash := strings.Repeat("a", length)
		r, err := Parse(hash + "/300x200/photo.jpg")
		if err != nil || (r.Hash == hash) != signed || signed && r.Image != "photo.jpg" {
			t.Errorf("%d characters: signature %q, image %q, %v", length, r.Hash, r.Image, err)
		}
	}
	for truncate, ok := range map[int]bool{16: false, 17: true, 28: true, 29: false} {
		if _, err := NewSigner(SignerConfig{Secret: "s", Truncate: truncate}); (err == nil) != ok {
			t.Errorf("truncated to %d: %v", truncate, err)
		}
	}
}

// TestLargestNumber holds the largest number of a URL, and that one more is refused.
func TestLargestNumber(t *testing.T) {
	for path, ok := range map[string]bool{
		"unsafe/1000000000x1/x":                 true,
		"unsafe/1000000001x1/x":                 false,
		"unsafe/1x1000000000/x":                 true,
		"unsafe/1x1000000001/x":                 false,
		"unsafe/0x0:1000000000x1/x":             true,
		"unsafe/0x0:1000000000.5x1/x":           false,
		"unsafe/9x9/1000000000x0:0x0/x":         true,
		"unsafe/9x9/0x0:0x1000000001/x":         false,
		"unsafe/adaptive-fit-in/1000000000x2/x": true,
	} {
		if _, err := Parse(path); (err == nil) != ok || err != nil && fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: %v", path, err)
		}
	}
	for text, ok := range map[string]bool{"1000000000": true, "-1000000000": true, "1000000001": false,
		"left-1000000000": true, "left-1000000001": false, "left+1000000000": true, "left+1000000001": false} {
		if _, got := ParsePosition(text, false); got != ok {
			t.Errorf("the position %s is read: %v", text, got)
		}
	}
	for text, ok := range map[string]bool{"f-1000000000": true, "f+1000000000": true, "f-1000000001": false} {
		if _, got := parseSide(text); got != ok {
			t.Errorf("the side %s is read: %v", text, got)
		}
	}
}
