package gallery_test

import (
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/storage"
)

// TestNamesThatMislead checks that no change makes a name that is displayed like another one, that names of people's
// scripts and emoji remain possible, and that files of such names that exist can be read and put in order.
func TestNamesThatMislead(t *testing.T) {
	for name, ok := range map[string]bool{
		"sea.png": true, "海.png": true, "می\u200cخواهم.png": true, "👩\u200d🚀❤\ufe0f.png": true,
		"a\u200f!.png": true,
		"🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f.png": true, "葛\U000e0100.png": true,
		"\u202egnp.exe": false, "a\u2066.png": false, "a\u2069": false, "a\u200b.png": false, "\ufeffa.png": false,
		"a\u00ad.png": false, "a\u2060.png": false, "a\u2028b.png": false, "\u3164.png": false,
		"a\U000e0067.png": false, "🏴\U000e0067\U000e007f\U000e0067.png": false,
	} {
		if err := gallery.CheckNewName(name, "name"); (err == nil) != ok ||
			!ok && (fault.CodeOf(err) != fault.Invalid || fault.Of(err).Field != "name") {
			t.Errorf("%q: %v", name, err)
		}
	}
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		const old, bad = "old\u202efolder", "\u202egnp.exe.png"
		ctx := s.Context()
		_, err := s.Store.Create(
			ctx, storage.Key(old+"/"+bad), strings.NewReader(gallerytest.PNG), storage.CreateOptions{},
		)
		s.Must(err)
		s.Put("a.png", gallerytest.PNG)
		s.Put("b.png", gallerytest.PNG)
		write := func(p string) error {
			_, err := s.NewFile(ctx, p)
			return err
		}
		rename := func(from, to string) error {
			done, err := s.MoveFiles(ctx, []string{from}, gallery.Destination{Name: &to})
			if err != nil {
				return err
			}
			return done[0].Err
		}
		for what, err := range map[string]error{
			"a file":               write(bad),
			"a file in a folder":   write("new\u200bfolder/a.png"),
			"a folder":             s.CreateFolder(ctx, "a\u2067b"),
			"a folder in a folder": s.CreateFolder(ctx, "a\u2067b/c"),
			"a rename":             rename("a.png", bad),
			"a move":               s.MoveFile(ctx, "a.png", "new\ufeff/a.png"),
			"a copy":               s.CopyFile(ctx, "a.png", bad),
		} {
			if fault.CodeOf(err) != fault.Invalid || !strings.Contains(err.Error(), "invisible") {
				t.Errorf("%s: %v, expected INVALID", what, err)
			}
		}
		if o, err := s.Store.Open(ctx, storage.Key(old+"/"+bad)); err != nil {
			t.Error(err)
		} else {
			s.Must(o.Close())
		}
		s.Must(write(old + "/a.png"))
		s.Must(s.CopyFile(ctx, "b.png", old+"/b.png"))
		s.Must(s.CopyFile(ctx, old+"/"+bad, "kept "+bad))
		s.Must(s.MoveFile(ctx, old+"/"+bad, bad))
		s.Must(s.MoveFile(ctx, bad, "plain.png"))
	})
}
