package gallery_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/uploads"
)

const png = gallerytest.PNG

func onSQLite(t *testing.T, c gallerytest.Config, test func(*stage)) {
	t.Helper()
	test(newStage(t, databasetest.SQLite(t), "sqlite3", c))
}

// TestPathTricks tries every way out of the root, and names that only look like one.
func TestPathTricks(t *testing.T) {
	onSQLite(t, gallerytest.Config{}, func(s *stage) {
		for _, path := range []string{"", "/", "/a.png", "../a.png", "a/../../b.png", "a//b.png", "./a.png",
			"a/./b.png", "a\x00.png", `a\..\b.png`, ".hidden.png", "a/.git/b.png",
			strings.Repeat("x", 252) + ".png", strings.Repeat("x/", 600) + "a.png", "a\n.png", "\xff.png",
			".safelight-work/a.png"} {
			_, err := s.UploadFile(access.All(t.Context()), path, strings.NewReader(png))
			want(t, err, fault.Invalid, fmt.Sprintf("UploadFile(%.40q)", path))
			want(t, s.DeleteFile(access.All(t.Context()), path), fault.Invalid, fmt.Sprintf("DeleteFile(%.40q)", path))
			want(t, s.CreateFolder(access.All(t.Context()), path), fault.Invalid,
				fmt.Sprintf("CreateFolder(%.40q)", path))
			want(t, s.MoveFile(access.All(t.Context()), "a", path), fault.Invalid,
				fmt.Sprintf("MoveFile to %.40q", path))
			want(t, s.CopyFile(access.All(t.Context()), path, "a"), fault.Invalid,
				fmt.Sprintf("CopyFile of %.40q", path))
			if _, err := s.OpenImage(access.All(t.Context()), path); err == nil {
				t.Errorf("OpenImage(%.40q) succeeds", path)
			}
		}
		for _, path := range []string{"a..b.png", "%2e%2e/a.png", "🎉/é.png", strings.Repeat("x", 251) + ".png",
			"a.png.", "c d.png"} {
			s.Put(path, png)
			if _, err := s.File(access.All(t.Context()), norm.NFD.String(path)); err != nil {
				t.Errorf("File(%.40q): %v", path, err)
			}
		}
	})
}

func TestUploadFile(t *testing.T) {
	onSQLite(t, gallerytest.Config{Uploads: uploads.Config{MaxFileBytes: 1000}}, func(s *stage) {
		s.Put("a.png", png)
		_, err := s.UploadFile(access.All(t.Context()), "a.png", strings.NewReader(png+"other"))
		want(t, err, fault.Conflict, "uploading over a file")
		for path, data := range map[string]string{
			"b.png": "<html><script>", "c.png": "", "d.svg": "<html>", "e.exe": "MZ", "t.template.json": "[]",
			"u.template.json": "{broken"} {
			_, err := s.UploadFile(access.All(t.Context()), path, strings.NewReader(data))
			want(t, err, fault.UnsupportedType, "uploading "+path)
		}
		for _, n := range []int{1001, 5000, 1 << 20} {
			_, err = s.UploadFile(access.All(t.Context()),
				"big.png", strings.NewReader(png+strings.Repeat("x", n-len(png))))
			want(t, err, fault.TooLarge, "a file that is too large")
		}
		s.Put("just.png", png+strings.Repeat("x", 1000-len(png)))
		if have := s.allNames(""); have != "a.png just.png" {
			t.Errorf("refused uploads left something: %s", have)
		}
	})
}

func TestFilesAtOnce(t *testing.T) {
	onSQLite(t, gallerytest.Config{}, func(s *stage) {
		s.Put("a.png", png)
		var wg sync.WaitGroup
		var mu sync.Mutex
		moved := 0
		for i := range 16 {
			wg.Go(func() {
				if err := s.MoveFile(access.All(t.Context()), "a.png", fmt.Sprintf("m/%d.png", i)); err == nil {
					mu.Lock()
					moved++
					mu.Unlock()
				} else if c := fault.CodeOf(err); c != fault.NotFound {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		names, err := s.Names(access.All(t.Context()), "m")
		if err != nil || moved != 1 || len(names) != 1 {
			t.Errorf("%d moves of one file, %q, %v", moved, names, err)
		}
	})
}

func TestOpenImage(t *testing.T) {
	onSQLite(t, gallerytest.Config{}, func(s *stage) {
		s.Put("a/b.png", png)
		o, err := s.OpenImage(access.All(t.Context()), "a/b.png")
		must(t, err)
		o.Close()
		_, err = s.OpenImage(access.All(t.Context()), "a")
		want(t, err, fault.NotFound, "opening a folder")
		status, err := s.StorageStatus(access.All(t.Context()))
		if err != nil || !status.Reachable {
			t.Errorf("StorageStatus = %+v, %v", status, err)
		}
		if _, err := os.Stat("a"); err == nil {
			t.Error("the test wrote into its own folder")
		}
	})
}
