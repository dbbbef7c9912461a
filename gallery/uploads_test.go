package gallery_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"gocloud.dev/blob/memblob"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
)

// s3Variable names a bucket in which tests may write.
const s3Variable = "SAFELIGHT_TEST_S3"

// eachPlace runs a test on every database with files, a bucket in memory and, where one is given, S3.
func eachPlace(t *testing.T, c gallery.Config, test func(*stage)) {
	t.Helper()
	stores := map[string]func(*testing.T) storage.Store{
		"files":  nil,
		"memory": func(*testing.T) storage.Store { return storage.OpenBucket(memblob.OpenBucket(nil)) },
		"s3": func(t *testing.T) storage.Store {
			bucket, query, _ := strings.Cut(os.Getenv(s3Variable), "?")
			if bucket == "" {
				t.Skip(s3Variable + " names no bucket: make test starts a server and sets it")
			}
			store, err := storage.Open(t.Context(), bucket+"/gallery-"+rand.Text()+"?"+query)
			must(t, err)
			return store
		},
	}
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			eachDatabase(t, func(t *testing.T, db *sql.DB, dialect string) {
				s := newStage(t, db, dialect, c)
				if open != nil {
					s.store = open(t)
					t.Cleanup(func() { s.store.Close() })
					s.Gallery = s.again()
				}
				test(s)
			})
		})
	}
}

// someone returns the context of an account of that role that no database knows.
func (s *stage) someone(role auth.Role) context.Context {
	return auth.WithIdentity(s.Context(), auth.Identity{UserID: uuid.New(), Role: role, Scopes: role.Scopes()})
}

// broken is a reader that fails after its bytes.
func broken(data string) io.Reader {
	return io.MultiReader(strings.NewReader(data), errReader{})
}

type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, errors.New("the line is dead") }

// visible returns the paths of all files in a folder, whatever their names.
func (s *stage) visible(folder string) string {
	s.Helper()
	l, err := s.ListFiles(s.Context(), folder, gallery.ListFilesOptions{ShowHidden: true})
	if fault.CodeOf(err) == fault.NotFound {
		return ""
	}
	must(s.T, err)
	var names []string
	for _, i := range l.Items {
		names = append(names, i.Name)
	}
	return strings.Join(names, " ")
}

// content returns the bytes of a file.
func (s *stage) content(path string) string {
	s.Helper()
	o, err := s.OpenImage(s.Context(), path)
	must(s.T, err)
	defer o.Close()
	b, err := io.ReadAll(o)
	must(s.T, err)
	return string(b)
}

// staged returns how many uploads have pieces in the storage.
func (s *stage) staged() int {
	s.Helper()
	p, err := s.store.List(s.Context(), ".safelight/uploads", storage.ListOptions{ShowHidden: true})
	if err != nil && fault.CodeOf(err) != fault.NotFound {
		s.Fatal(err)
	}
	return len(p.Entries)
}

func (s *stage) begin(ctx context.Context, path string, size int, policy gallery.ConflictPolicy) string {
	s.Helper()
	u, err := s.CreateUpload(ctx, gallery.CreateUploadInput{Path: path, ContentType: "image/png", SizeBytes: int64(size), OnConflict: policy})
	must(s.T, err)
	return u.ID
}

// TestUploadInPieces sends a file over lines that break, and to another server on the same database.
func TestUploadInPieces(t *testing.T) {
	eachPlace(t, gallery.Config{}, func(s *stage) {
		t := s.T
		ctx, other := s.someone(auth.RoleUser), s.someone(auth.RoleUser)
		data := png + strings.Repeat("0123456789abcdef", 1<<20) + "end"
		id := s.begin(ctx, "f/big.png", len(data), gallery.ConflictError)
		_, err := s.ReceiveUpload(ctx, id, 0, broken(data[:9<<20]))
		want(t, err, fault.InvalidRequest, "a line that breaks")
		s.Gallery = s.again()
		u, err := s.Upload(ctx, id)
		if err != nil || u.ReceivedBytes != 9<<20 || u.State != gallery.UploadOpen || u.FinalPath != nil {
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
		if _, err := s.StatFile(ctx, ".safelight"); fault.CodeOf(err) != fault.NotFound || s.staged() != 1 {
			t.Errorf("the pieces: %v, %d folders", err, s.staged())
		}
		for range 2 {
			u, file, err := s.FinishUpload(ctx, id)
			must(t, err)
			if u.State != gallery.UploadDone || u.FinalPath == nil || *u.FinalPath != "f/big.png" || file == nil || file.Size != int64(len(data)) {
				t.Errorf("finished: %+v %+v", u, file)
			}
		}
		if s.content("f/big.png") != data {
			t.Error("the file is not what was sent")
		}
		if s.staged() != 0 || s.visible("") != "f" {
			t.Errorf("left over: %d folders, %s", s.staged(), s.visible(""))
		}
		_, err = s.ReceiveUpload(ctx, id, gallery.FromStart, strings.NewReader(data))
		want(t, err, fault.Conflict, "sending to a finished upload")
	})
}

// TestUploadAgain holds that a whole file takes the place of what arrived before.
func TestUploadAgain(t *testing.T) {
	eachPlace(t, gallery.Config{}, func(s *stage) {
		t := s.T
		ctx := s.someone(auth.RoleUser)
		first, second := png+"first", png+"2.nd."
		_, err := s.CreateUpload(ctx, gallery.CreateUploadInput{Path: "a.png", ContentType: "image/png", SizeBytes: int64(len(first))})
		must(t, err)
		s.clock.t = s.clock.t.Add(time.Second)
		id := s.begin(ctx, "a.png", len(first), gallery.ConflictError)
		_, err = s.ReceiveUpload(ctx, id, gallery.FromStart, strings.NewReader(first[:11]))
		must(t, err)
		_, err = s.ReceiveUpload(ctx, id, gallery.FromStart, strings.NewReader(second))
		must(t, err)
		must(t, s.CompleteUpload(ctx, "a.png"))
		must(t, s.CompleteUpload(ctx, "a.png"))
		if s.content("a.png") != second {
			t.Errorf("the file holds %q", s.content("a.png"))
		}
		want(t, s.CompleteUpload(s.someone(auth.RoleUser), "a.png"), fault.NotFound, "completing somebody else's upload")
	})
}

func TestUploadPolicies(t *testing.T) {
	eachPlace(t, gallery.Config{}, func(s *stage) {
		t := s.T
		ctx := s.someone(auth.RoleUser)
		s.put("a.png", png+"old")
		must(t, s.CreateFolder(ctx, "dir.png"))
		_, err := s.CreateUpload(ctx, gallery.CreateUploadInput{Path: "a.png", SizeBytes: 9})
		want(t, err, fault.Conflict, "announcing a file that exists")
		_, err = s.AddFile(ctx, gallery.AddFileInput{Path: "dir.png", Content: strings.NewReader(png), OnConflict: gallery.ConflictReplace})
		want(t, err, fault.Conflict, "replacing a folder")
		for i, c := range []struct {
			policy gallery.ConflictPolicy
			path   string
		}{{gallery.ConflictRename, "a-1.png"}, {gallery.ConflictRename, "a-2.png"}, {gallery.ConflictReplace, "a.png"}} {
			data := fmt.Sprint(png, i)
			id := s.begin(ctx, "a.png", len(data), c.policy)
			_, err := s.ReceiveUpload(ctx, id, 0, strings.NewReader(data))
			must(t, err)
			_, file, err := s.FinishUpload(ctx, id)
			must(t, err)
			if file.Path != c.path || s.content(c.path) != data {
				t.Errorf("%s made %s", c.policy, file.Path)
			}
			added, err := s.AddFile(ctx, gallery.AddFileInput{Path: "b.template.json", Content: strings.NewReader(`{"n":1}`), OnConflict: gallery.ConflictRename})
			must(t, err)
			if name := []string{"b.template.json", "b-1.template.json", "b-2.template.json"}[i]; added.Path != name {
				t.Errorf("the template is %s, expected %s", added.Path, name)
			}
		}
		long := strings.Repeat("é", 125) + ".png"
		s.put(long, png)
		added, err := s.AddFile(ctx, gallery.AddFileInput{Path: long, Content: strings.NewReader(png), OnConflict: gallery.ConflictRename})
		if err != nil || len(added.Path) > 255 || !strings.HasSuffix(added.Path, "é-1.png") {
			t.Errorf("a long name becomes %+v, %v", added, err)
		}
	})
}

// TestUploadsAtOnce finishes many uploads of one name, and one upload many times.
func TestUploadsAtOnce(t *testing.T) {
	eachPlace(t, gallery.Config{}, func(s *stage) {
		t := s.T
		ctx := s.someone(auth.RoleUser)
		const n = 8
		var ids []string
		for i := range 2 * n {
			policy := []gallery.ConflictPolicy{gallery.ConflictError, gallery.ConflictRename}[i%2]
			path := []string{"one.png", "many.png"}[i%2]
			id := s.begin(ctx, path, len(png)+2, policy)
			_, err := s.ReceiveUpload(ctx, id, 0, strings.NewReader(fmt.Sprintf("%s%02d", png, i)))
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
						won[id] = file.Path
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
			if seen[path] || s.content(path) != fmt.Sprintf("%s%02d", png, i) {
				t.Errorf("%s holds %q, upload %d made it", path, s.content(path), i)
			}
			seen[path] = true
		}
		if len(seen) != n+1 || len(strings.Fields(s.visible(""))) != n+1 {
			t.Errorf("made %v; there are %s", seen, s.visible(""))
		}
	})
}

// forgetful is a store that creates a file and then fails, as a crash would look.
type forgetful struct {
	storage.Store
	fail bool
}

// Create implements storage.Store.
func (f *forgetful) Create(ctx context.Context, k storage.Key, r io.Reader, o storage.CreateOptions) (storage.Stat, error) {
	st, err := f.Store.Create(ctx, k, r, o)
	if err == nil && f.fail && !k.IsHidden() {
		f.fail = false
		return st, fault.New(fault.Unavailable, "gone")
	}
	return st, err
}

// TestFinishAfterCrash finishes again what was finished but not noted.
func TestFinishAfterCrash(t *testing.T) {
	eachPlace(t, gallery.Config{}, func(s *stage) {
		t := s.T
		store := &forgetful{Store: s.store}
		s.store = store
		s.Gallery = s.again()
		ctx := s.someone(auth.RoleUser)
		s.put("b.png", png)
		for _, policy := range []gallery.ConflictPolicy{gallery.ConflictError, gallery.ConflictRename, gallery.ConflictReplace} {
			path := map[gallery.ConflictPolicy]string{gallery.ConflictError: "a.png"}[policy]
			if path == "" {
				path = "b.png"
			}
			data := png + string(policy)
			id := s.begin(ctx, path, len(data), policy)
			_, err := s.ReceiveUpload(ctx, id, 0, strings.NewReader(data))
			must(t, err)
			store.fail = true
			_, _, err = s.FinishUpload(ctx, id)
			want(t, err, fault.Unavailable, "a crash")
			_, file, err := s.FinishUpload(ctx, id)
			must(t, err)
			if s.content(file.Path) != data {
				t.Errorf("%s: %s holds %q", policy, file.Path, s.content(file.Path))
			}
		}
		if v := s.visible(""); v != "a.png b-1.png b.png" {
			t.Errorf("there are %s", v)
		}
	})
}

func TestSweepUploads(t *testing.T) {
	eachPlace(t, gallery.Config{UploadTTL: time.Hour}, func(s *stage) {
		t := s.T
		ctx := s.someone(auth.RoleUser)
		old := s.begin(ctx, "old.png", 100, gallery.ConflictError)
		fresh := s.begin(ctx, "fresh.png", 100, gallery.ConflictError)
		gone := s.begin(ctx, "gone.png", 100, gallery.ConflictError)
		for _, id := range []string{old, fresh, gone} {
			_, err := s.ReceiveUpload(ctx, id, 0, strings.NewReader(png))
			must(t, err)
		}
		must(t, s.CancelUpload(ctx, gone))
		_, err := s.Upload(ctx, gone)
		want(t, err, fault.NotFound, "a cancelled upload")
		_, err = s.store.Create(ctx, ".safelight/uploads/stray/piece", strings.NewReader("x"), storage.CreateOptions{})
		must(t, err)
		s.clock.t = s.clock.t.Add(50 * time.Minute)
		_, err = s.ReceiveUpload(ctx, fresh, int64(len(png)), strings.NewReader("more"))
		must(t, err)
		s.clock.t = s.clock.t.Add(20 * time.Minute)
		n, err := s.SweepUploads(ctx)
		if err != nil || n != 2 || s.staged() != 1 {
			t.Errorf("swept %d, %v; %d left", n, err, s.staged())
		}
		_, err = s.Upload(ctx, old)
		want(t, err, fault.NotFound, "an abandoned upload")
		if u, err := s.Upload(ctx, fresh); err != nil || u.ReceivedBytes != int64(len(png))+4 {
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
	eachPlace(t, gallery.Config{MaxFileBytes: 1000, Probe: probe}, func(s *stage) {
		t := s.T
		ctx := s.someone(auth.RoleUser)
		for _, c := range []struct {
			in   gallery.CreateUploadInput
			code fault.Code
		}{
			{gallery.CreateUploadInput{Path: "a.png", SizeBytes: 0}, fault.Invalid},
			{gallery.CreateUploadInput{Path: "a.png", SizeBytes: 1001}, fault.TooLarge},
			{gallery.CreateUploadInput{Path: "../a.png", SizeBytes: 1}, fault.Invalid},
			{gallery.CreateUploadInput{Path: ".safelight/a.png", SizeBytes: 1}, fault.Invalid},
			{gallery.CreateUploadInput{Path: "a.png", SizeBytes: 1, ContentType: "video/mp4"}, fault.UnsupportedType},
			{gallery.CreateUploadInput{Path: "a.png", SizeBytes: 1, ContentType: "no type"}, fault.Invalid},
		} {
			_, err := s.CreateUpload(ctx, c.in)
			want(t, err, c.code, fmt.Sprintf("%+v", c.in))
		}
		for data, code := range map[string]fault.Code{"<html>": fault.UnsupportedType, png + "bomb": fault.TooLarge} {
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
