package metadata_test

import (
	"testing"

	"github.com/safelight/safelight/gallery/metadata"
)

func TestCamera(t *testing.T) {
	for _, c := range []struct{ maker, model, want string }{
		{"Canon", "EOS 5D", "Canon EOS 5D"},
		{"Canon", "Canon EOS 5D", "Canon EOS 5D"},
		{"NIKON CORPORATION", "Nikon D90", "Nikon D90"},
		{" Apple ", "", "Apple"},
		{"", "X100", "X100"},
		{"\t", "X100", "X100"}, // not empty, but contains no word
		{"\n\v\u00a0", "\t", ""},
		{"\x00", "\xff", ""},
	} {
		if got := metadata.Camera(map[string]any{"Make": c.maker, "Model": c.model}); got != c.want {
			t.Errorf("%q, %q: %q, expected %q", c.maker, c.model, got, c.want)
		}
	}
	if got := metadata.Camera(map[string]any{"Make": 7, "Model": []string{"a"}}); got != "" {
		t.Errorf("numbers: %q", got)
	}
}
