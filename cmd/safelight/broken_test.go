package main

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestBrokenFiles analyzes files that are broken, and some that only exceed a limit: the application offers to delete
// what is broken.
func TestBrokenFiles(t *testing.T) {
	b := startReal(t, "--max-source-pixels", "70000000")
	flat := func(width, height int) []byte {
		var file bytes.Buffer
		if err := png.Encode(&file, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
			t.Fatal(err)
		}
		return file.Bytes()
	}
	var large bytes.Buffer // more than max-result-pixels, which is no reason not to analyze a photograph
	if err := jpeg.Encode(&large, image.NewGray(image.Rect(0, 0, 8000, 7500)), nil); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(b.files, "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"large.jpg": large.Bytes(), "over.png": flat(9000, 9000), "fine.png": flat(20, 20),
		"cut.png":   flat(20, 20)[:40],
		"empty.jpg": nil, "text.jpg": []byte("not a picture at all"),
		"page.jpg": []byte("%PDF-1.4 a PDF, which this server does not read"), "notes.txt": []byte("notes"),
	} {
		if err := os.WriteFile(filepath.Join(b.files, "a", name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	token := b.login()
	names := func(filter string) (list []string) {
		nodes, _ := b.ask(token, `{files(folder:"a",first:20`+filter+`){nodes{name analysisState}}}`, "files",
			"nodes").([]any)
		for _, n := range nodes {
			file, _ := n.(map[string]any)
			list = append(list, file["name"].(string)+" "+file["analysisState"].(string))
		}
		slices.Sort(list)
		return list
	}
	b.until("the analysis", func() bool {
		all := names("")
		return len(all) == 8 &&
			!slices.ContainsFunc(all, func(one string) bool { return strings.HasSuffix(one, " PENDING") })
	})
	for filter, want := range map[string][]string{
		",filter:{isBroken:true}": {"cut.png FAILED", "empty.jpg FAILED", "text.jpg FAILED"},
		",filter:{isBroken:false}": {"fine.png DONE", "large.jpg DONE", "notes.txt NOT_AN_IMAGE", "over.png FAILED",
			"page.jpg FAILED"},
	} {
		if got := names(filter); !slices.Equal(got, want) {
			t.Errorf("%s: %q, expected %q", filter, got, want)
		}
	}
}
