package uploads_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/uploads"
)

// broken returns a reader that fails after its content.
func broken(data string) io.Reader {
	return io.MultiReader(strings.NewReader(data), errReader{})
}

type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, errors.New("the line is dead") }

// visible returns the names of all files in a folder, including hidden ones.
func (s *stage) visible(folder string) string {
	s.Helper()
	names, err := s.AllNames(s.Context(), folder)
	if fault.CodeOf(err) == fault.NotFound {
		return ""
	}
	must(s.T, err)
	return strings.Join(names, " ")
}

// staged returns how many uploads have parts in the storage.
func (s *stage) staged() int {
	s.Helper()
	list, err := storage.Entries(s.Store.List(s.Context(), ".safelight/uploads", storage.ListOptions{ShowHidden: true}))
	if err != nil && fault.CodeOf(err) != fault.NotFound {
		s.Fatal(err)
	}
	return len(list)
}

func (s *stage) begin(ctx context.Context, path string, size int, policy gallery.ConflictPolicy) string {
	s.Helper()
	u, err := s.CreateUpload(
		ctx,
		uploads.CreateUploadInput{Path: path, ContentType: "image/png", SizeBytes: int64(size), OnConflict: policy},
	)
	must(s.T, err)
	return u.ID
}

// TestUploadInPieces sends a file over connections that break, and continues on another server on the same
// database.
func TestUploadInPieces(t *testing.T) {
	eachStore(t, gallerytest.Config{}, func(s *stage) {
		t := s.T
		ctx, other := s.Someone(auth.RoleUser), s.Someone(auth.RoleUser)
		data := gallerytest.PNG + strings.Repeat("0123456789abcdef", 1<<20) + "end"
		id := s.begin(ctx, "f/big.png", len(data), gallery.ConflictError)
		_, err := s.ReceiveUpload(ctx, id, 0, broken(data[:9<<20]))
		want(t, err, fault.InvalidRequest, "a line that breaks")
		s.Rules = s.Again()
		u, err := s.Upload(ctx, id)
		if err != nil || u.ReceivedBytes != 9<<20 || u.State != uploads.UploadOpen || u.FinalPath != nil {
			t.Fatalf("after a broken line: %+v, %v", u, err)
		}
		_, err = s.ReceiveUpload(ctx, id, 8<<20, strings.NewReader(data[8<<20:]))
		want(t, err, fault.Conflict, "bytes that overlap")
		_, err = s.ReceiveUpload(ctx, id, 10<<20, strings.NewReader(data[10<<20:]))
		want(t, err, fault.Conflict, "bytes after a gap")
		_, _, err = s.FinishUpload(ctx, id)
		want(t, err, fault.Conflict, "finishing half a file")
		_, _, err = s.FinishUpload(other, id)
		want(t, err, fault.NotFound, "finishing somebody else's upload")
		_, err = s.ReceiveUpload(ctx, id, 9<<20, strings.NewReader(data[9<<20:]+"x"))
		want(t, err, fault.TooLarge, "more bytes than announced")
		if v := s.visible("") + s.visible("f"); v != "" {
			t.Errorf("visible before the end: %s", v)
		}
		if _, err := s.Folder(ctx, ".safelight"); fault.CodeOf(err) != fault.NotFound || s.staged() != 1 {
			t.Errorf("the pieces: %v, %d folders", err, s.staged())
		}
		for range 2 {
			u, file, err := s.FinishUpload(ctx, id)
			must(t, err)
			if u.State != uploads.UploadDone || u.FinalPath == nil || *u.FinalPath != "f/big.png" ||
				file.Size != int64(len(data)) {
				t.Errorf("finished: %+v %+v", u, file)
			}
		}
		if s.Content("f/big.png") != data {
			t.Error("the file is not what was sent")
		}
		if s.staged() != 0 || s.visible("") != "f" {
			t.Errorf("left over: %d folders, %s", s.staged(), s.visible(""))
		}
		_, err = s.ReceiveUpload(ctx, id, uploads.FromStart, strings.NewReader(data))
		want(t, err, fault.Conflict, "sending to a finished upload")
	})
}

// TestUploadAgain checks that a whole file replaces the bytes that arrived before.
func TestUploadAgain(t *testing.T) {
	eachStore(t, gallerytest.Config{}, func(s *stage) {
		t := s.T
		ctx := s.Someone(auth.RoleUser)
		first, second := gallerytest.PNG+"first", gallerytest.PNG+"2.nd."
		_, err := s.CreateUpload(
			ctx,
			uploads.CreateUploadInput{Path: "a.png", ContentType: "image/png", SizeBytes: int64(len(first))},
		)
		must(t, err)
		s.Clock.Time = s.Clock.Time.Add(time.Second)
		id := s.begin(ctx, "a.png", len(first), gallery.ConflictError)
		_, err = s.ReceiveUpload(ctx, id, uploads.FromStart, strings.NewReader(first[:11]))
		must(t, err)
		_, err = s.ReceiveUpload(ctx, id, uploads.FromStart, strings.NewReader(second))
		must(t, err)
		for range 2 { // finishing is idempotent
			_, _, err = s.FinishUpload(ctx, id)
			must(t, err)
		}
		if s.Content("a.png") != second {
			t.Errorf("the file holds %q", s.Content("a.png"))
		}
		_, _, err = s.FinishUpload(s.Someone(auth.RoleUser), id)
		want(t, err, fault.NotFound, "finishing somebody else's upload")
	})
}

func TestUploadPolicies(t *testing.T) {
	eachStore(t, gallerytest.Config{}, func(s *stage) {
		t := s.T
		ctx := s.Someone(auth.RoleUser)
		s.Put("a.png", gallerytest.PNG+"old")
		must(t, s.CreateFolder(ctx, "dir.png"))
		_, err := s.CreateUpload(ctx, uploads.CreateUploadInput{Path: "a.png", SizeBytes: 9})
		want(t, err, fault.Conflict, "announcing a file that exists")
		_, err = s.AddFile(ctx, uploads.AddFileInput{
			Path:       "dir.png",
			Content:    strings.NewReader(gallerytest.PNG),
			OnConflict: gallery.ConflictReplace,
		})
		want(t, err, fault.Conflict, "replacing a folder")
		for i, c := range []struct {
			policy gallery.ConflictPolicy
			path   string
		}{{gallery.ConflictRename, "a-1.png"}, {gallery.ConflictRename, "a-2.png"},
			{gallery.ConflictReplace, "a.png"}} {
			data := fmt.Sprint(gallerytest.PNG, i)
			id := s.begin(ctx, "a.png", len(data), c.policy)
			_, err := s.ReceiveUpload(ctx, id, 0, strings.NewReader(data))
			must(t, err)
			_, file, err := s.FinishUpload(ctx, id)
			must(t, err)
			if string(file.Key) != c.path || s.Content(c.path) != data {
				t.Errorf("%s made %s", c.policy, file.Key)
			}
			added, err := s.AddFile(ctx, uploads.AddFileInput{
				Path:       "b.template.json",
				Content:    strings.NewReader(`{"n":1}`),
				OnConflict: gallery.ConflictRename,
			})
			must(t, err)
			name := []string{"b.template.json", "b-1.template.json", "b-2.template.json"}[i]
			if string(added.Key) != name {
				t.Errorf("the template is %s, expected %s", added.Key, name)
			}
		}
		long := strings.Repeat("é", 125) + ".png"
		s.Put(long, gallerytest.PNG)
		added, err := s.AddFile(ctx, uploads.AddFileInput{
			Path:       long,
			Content:    strings.NewReader(gallerytest.PNG),
			OnConflict: gallery.ConflictRename,
		})
		if err != nil || len(added.Key) > 255 || !strings.HasSuffix(string(added.Key), "é-1.png") {
			t.Errorf("a long name becomes %+v, %v", added, err)
		}
	})
}

// TestUploadsAtOnce finishes many uploads with the same name, and one upload many times, concurrently.
func TestUploadsAtOnce(t *testing.T) {
	eachStore(t, gallerytest.Config{}, func(s *stage) {
		t := s.T
		ctx := s.Someone(auth.RoleUser)
		const n = 8
		var ids []string
		for i := range 2 * n {
			policy := []gallery.ConflictPolicy{gallery.ConflictError, gallery.ConflictRename}[i%2]
			path := []string{"one.png", "many.png"}[i%2]
			id := s.begin(ctx, path, len(gallerytest.PNG)+2, policy)
			_, err := s.ReceiveUpload(ctx, id, 0, strings.NewReader(fmt.Sprintf("%s%02d", gallerytest.PNG, i)))
			must(t, err)
			ids = append(ids, id)
		}
		var wg sync.WaitGroup
		var mu sync.Mutex
		won := map[string]string{}
		for i, id := range ids {
			for range 2 {
				wg.Go(func() {
					_, file, err := s.FinishUpload(ctx, id)
					mu.Lock()
					defer mu.Unlock()
					if err == nil {
						won[id] = string(file.Key)
					} else if fault.CodeOf(err) != fault.Conflict {
						t.Errorf("finishing %d: %v", i, err)
					}
				})
			}
		}
		wg.Wait()
		seen := map[string]bool{}
		for i, id := range ids {
			path := won[id]
			if i%2 == 1 && path == "" {
				t.Errorf("upload %d was not renamed", i)
			}
			if path == "" {
				continue
			}
			if seen[path] || s.Content(path) != fmt.Sprintf("%s%02d", gallerytest.PNG, i) {
				t.Errorf("%s holds %q, upload %d made it", path, s.Content(path), i)
			}
			seen[path] = true
		}
		if len(seen) != n+1 || len(strings.Fields(s.visible(""))) != n+1 {
			t.Errorf("made %v; there are %s", seen, s.visible(""))
		}
	})
}

// forgetful is a store that creates a file and then returns an error, which simulates a crash.
type forgetful struct {
	storage.Store
	fail bool
}

// Create implements storage.Store.
func (f *forgetful) Create(
	ctx context.Context,
	k storage.Key,
	r io.Reader,
	o storage.CreateOptions,
) (storage.Stat, error) {
	st, err := f.Store.Create(ctx, k, r, o)
	if err == nil && f.fail && !k.IsHidden() {
		f.fail = false
		return st, fault.New(fault.Unavailable, "gone")
	}
	return st, err
}

// TestFinishAfterCrash finishes an upload again after its completion was not recorded.
func TestFinishAfterCrash(t *testing.T) {
	eachStore(t, gallerytest.Config{}, func(s *stage) {
		t := s.T
		store := &forgetful{Store: s.Store}
		s.Store = store
		s.Rules = s.Again()
		ctx := s.Someone(auth.RoleUser)
		s.Put("b.png", gallerytest.PNG)
		for _, policy := range []gallery.ConflictPolicy{
			gallery.ConflictError, gallery.ConflictRename, gallery.ConflictReplace} {
			path := map[gallery.ConflictPolicy]string{gallery.ConflictError: "a.png"}[policy]
			if path == "" {
				path = "b.png"
			}
			data := gallerytest.PNG + string(policy)
			id := s.begin(ctx, path, len(data), policy)
			_, err := s.ReceiveUpload(ctx, id, 0, strings.NewReader(data))
			must(t, err)
			store.fail = true
			_, _, err = s.FinishUpload(ctx, id)
			want(t, err, fault.Unavailable, "a crash")
			_, file, err := s.FinishUpload(ctx, id)
			must(t, err)
			if s.Content(string(file.Key)) != data {
				t.Errorf("%s: %s holds %q", policy, file.Key, s.Content(string(file.Key)))
			}
		}
		if v := s.visible(""); v != "a.png b-1.png b.png" {
			t.Errorf("there are %s", v)
		}
		var owned int
		must(t, s.Pool.QueryRow("SELECT count(*) FROM entries WHERE owner_id IS NOT NULL").Scan(&owned))
		if owned != 3 {
			t.Errorf("%d of 3 files count for the account that uploaded them", owned)
		}
	})
}

func TestSweepUploads(t *testing.T) {
	eachStore(t, gallerytest.Config{Uploads: uploads.Config{TTL: time.Hour}}, func(s *stage) {
		t := s.T
		ctx := s.Someone(auth.RoleUser)
		old := s.begin(ctx, "old.png", 100, gallery.ConflictError)
		fresh := s.begin(ctx, "fresh.png", 100, gallery.ConflictError)
		gone := s.begin(ctx, "gone.png", 100, gallery.ConflictError)
		for _, id := range []string{old, fresh, gone} {
			_, err := s.ReceiveUpload(ctx, id, 0, strings.NewReader(gallerytest.PNG))
			must(t, err)
		}
		must(t, s.CancelUpload(ctx, gone))
		_, err := s.Upload(ctx, gone)
		want(t, err, fault.NotFound, "a cancelled upload")
		_, err = s.Store.Create(ctx, ".safelight/uploads/stray/piece", strings.NewReader("x"), storage.CreateOptions{})
		must(t, err)
		s.Clock.Time = s.Clock.Time.Add(50 * time.Minute)
		_, err = s.ReceiveUpload(ctx, fresh, int64(len(gallerytest.PNG)), strings.NewReader("more"))
		must(t, err)
		s.Clock.Time = s.Clock.Time.Add(20 * time.Minute)
		n, err := s.SweepUploads(ctx)
		if err != nil || n != 2 || s.staged() != 1 {
			t.Errorf("swept %d, %v; %d left", n, err, s.staged())
		}
		_, err = s.Upload(ctx, old)
		want(t, err, fault.NotFound, "an abandoned upload")
		if u, err := s.Upload(ctx, fresh); err != nil || u.ReceivedBytes != int64(len(gallerytest.PNG))+4 {
			t.Errorf("the fresh one: %+v, %v", u, err)
		}
	})
}

func TestUploadsAreChecked(t *testing.T) {
	probe := func(_ context.Context, src imaging.Source) error {
		b, err := io.ReadAll(src.Reader)
		if err != nil || int64(len(b)) != src.Size {
			return fmt.Errorf("%d bytes, %w", len(b), err)
		}
		if bytes.Contains(b, []byte("bomb")) {
			return fault.New(fault.TooLarge, "too many pixels")
		}
		return nil
	}
	eachStore(t, gallerytest.Config{Uploads: uploads.Config{MaxFileBytes: 1000, Probe: probe}}, func(s *stage) {
		t := s.T
		ctx := s.Someone(auth.RoleUser)
		for _, c := range []struct {
			in   uploads.CreateUploadInput
			code fault.Code
		}{
			{uploads.CreateUploadInput{Path: "a.png", SizeBytes: 0}, fault.Invalid},
			{uploads.CreateUploadInput{Path: "a.png", SizeBytes: 1001}, fault.TooLarge},
			{uploads.CreateUploadInput{Path: "../a.png", SizeBytes: 1}, fault.Invalid},
			{uploads.CreateUploadInput{Path: ".safelight/a.png", SizeBytes: 1}, fault.Invalid},
			{uploads.CreateUploadInput{Path: "a.png", SizeBytes: 1, ContentType: "video/mp4"}, fault.UnsupportedType},
			{uploads.CreateUploadInput{Path: "a.png", SizeBytes: 1, ContentType: "no type"}, fault.Invalid},
		} {
			_, err := s.CreateUpload(ctx, c.in)
			want(t, err, c.code, fmt.Sprintf("%+v", c.in))
		}
		for data, code := range map[string]fault.Code{
			"<html>": fault.UnsupportedType, gallerytest.PNG + "bomb": fault.TooLarge} {
			id := s.begin(ctx, "a.png", len(data), gallery.ConflictError)
			_, err := s.ReceiveUpload(ctx, id, 0, strings.NewReader(data))
			must(t, err)
			_, _, err = s.FinishUpload(ctx, id)
			want(t, err, code, data)
			_, err = s.UploadFile(ctx, "a.png", strings.NewReader(data))
			want(t, err, code, data)
		}
		if v := s.visible(""); v != "" {
			t.Errorf("visible: %s", v)
		}
	})
}
