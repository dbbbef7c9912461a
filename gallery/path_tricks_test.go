package gallery_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
)

// TestPathTricksOfTheIndex checks what unusual names and links do to rows. The files are created without the
// gallery.
func TestPathTricksOfTheIndex(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		outside := t.TempDir()
		must(t, os.WriteFile(filepath.Join(outside, "secret.png"), []byte(png), 0o600))
		must(t, os.Symlink(outside, filepath.Join(s.Dir, "out")))
		must(t, os.Symlink(filepath.Join(outside, "secret.png"), filepath.Join(s.Dir, "secret.png")))
		must(t, os.Symlink(".", filepath.Join(s.Dir, "self")))
		nfd, long := norm.NFD.String("é.png"), strings.Repeat("x", 251)+".png"
		for _, p := range []string{nfd, long, "Twin.png", "twin.png", "🎉.png", ".dot.png", ".safelight-x.png",
			"%2e%2e.png", "a..b.png", "tick'; DROP TABLE entries; --.png", "100%_.png"} {
			s.onDisk(p, png)
		}
		s.scan()
		want := "self 100%_.png %2e%2e.png a..b.png tick'; DROP TABLE entries; --.png Twin.png twin.png " + long +
			" é.png 🎉.png"
		if have := s.names(""); strings.Join(sorted(have), " ") != strings.Join(sorted(want), " ") {
			t.Errorf("listed: %q", have)
		}
		if have := s.all(gallery.BrowseOptions{Recursive: true}, 100); len(have) != 9 {
			t.Errorf("the index has %q", have)
		}
		for _, p := range []string{norm.NFC.String(nfd), nfd, long, "Twin.png", "tick'; DROP TABLE entries; --.png"} {
			tags := []string{p[:3]}
			f, err := s.UpdateFile(access.All(t.Context()), gallery.UpdateFileInput{Path: p, Tags: &tags})
			if err != nil || f.Path() != norm.NFC.String(p) {
				t.Errorf("%.20q: %v, %v", p, f, err)
			}
		}
		for _, p := range []string{"../secret.png", "out/secret.png", "secret.png", "/a", "a//b", "x\x00",
			".safelight/é.png.json", "a/.safelight"} {
			if f, err := s.File(access.All(t.Context()), p); err == nil {
				t.Errorf("File(%q) = %s", p, f.Path())
			}
			if _, err := s.Files(access.All(t.Context()), gallery.BrowseOptions{Folder: p}); err == nil {
				t.Errorf("Files of %q succeeds", p)
			}
			_, err := s.UpdateFile(access.All(t.Context()), gallery.UpdateFileInput{Path: p})
			if c := fault.CodeOf(err); c != fault.Invalid && c != fault.NotFound {
				t.Errorf("UpdateFile(%q): %v", p, err)
			}
		}
	})
}

// sorted sorts the words of names, because other tests check the order.
func sorted(names string) []string {
	list := strings.Split(names, " ")
	slices.Sort(list)
	return list
}
