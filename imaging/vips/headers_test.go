package vips

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestHeaders checks that no header can be hidden by one of a library: Debian 13's compiler found decode.h, encode.h
// and types.h of libwebp instead of those that were here.
func TestHeaders(t *testing.T) {
	files, err := filepath.Glob("*.h")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are %d headers: %v", len(files), err)
	}
	for _, file := range files {
		if !strings.HasPrefix(file, "sl_") {
			t.Errorf("%s may have the name of a library's header, expected one that begins with sl_", file)
		}
	}
}
