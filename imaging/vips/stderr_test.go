package vips

import (
	"bytes"
	"os"
	"os/exec"
	"testing"
)

// TestDecodersAreSilent checks that a broken file makes no decoder write to stderr, in a process of its own.
func TestDecodersAreSilent(t *testing.T) {
	if os.Getenv("SAFELIGHT_SILENT") != "" {
		e := open(t)
		for _, format := range []string{"jxl", "webp", "avif", "png", "gif", "tiff"} {
			data := processed(e, "filters:format("+format+")", pngOf(t, noise(64, 48)), t).Data
			for at := len(data) / 8; at < len(data); at += len(data)/8 + 1 {
				broken := bytes.Clone(data)
				broken[at] ^= 0xA5
				_, _ = process(e, "20x20", broken, t)
				_, _ = process(e, "20x20", data[:at], t)
			}
		}
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	child := exec.Command(self, "-test.run=^TestDecodersAreSilent$")
	child.Env, child.Stderr = append(os.Environ(), "SAFELIGHT_SILENT=1"), &out
	if err := child.Run(); err != nil || out.Len() > 0 {
		t.Errorf("%v, stderr: %.500s", err, out.String())
	}
}
