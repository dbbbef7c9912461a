package uploads_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/uploads"
)

// TestUploadRepeated checks that a retry with the same key, after the response was lost, returns the upload
// of the first call.
func TestUploadRepeated(t *testing.T) {
	eachStore(t, gallerytest.Config{}, func(s *stage) {
		t := s.T
		ctx, other := s.Someone(auth.RoleUser), s.Someone(auth.RoleUser)
		key := "b7c9-Key_1.x"
		in := uploads.CreateUploadInput{
			Path:        "a.png",
			ContentType: "image/png",
			SizeBytes:   int64(len(gallerytest.PNG)),
			ClientKey:   &key,
		}
		first, err := s.CreateUpload(ctx, in)
		must(t, err)
		again, err := s.CreateUpload(ctx, in)
		must(t, err)
		if again.ID != first.ID || again.URL != first.URL {
			t.Errorf("the call made again has upload %s, expected %s", again.ID, first.ID)
		}
		theirs, err := s.CreateUpload(other, in)
		must(t, err)
		if theirs.ID == first.ID {
			t.Error("the key of one account finds the upload of another")
		}
		for name, change := range map[string]func(*uploads.CreateUploadInput){
			"path":   func(in *uploads.CreateUploadInput) { in.Path = "b.png" },
			"size":   func(in *uploads.CreateUploadInput) { in.SizeBytes++ },
			"policy": func(in *uploads.CreateUploadInput) { in.OnConflict = gallery.ConflictRename },
			"type":   func(in *uploads.CreateUploadInput) { in.ContentType = "image/gif" },
		} {
			changed := in
			change(&changed)
			_, err := s.CreateUpload(ctx, changed)
			want(t, err, fault.Invalid, "the key with another "+name)
			if f := fault.Of(err); f != nil && f.Field != "clientKey" {
				t.Errorf("another %s is an error on %q", name, f.Field)
			}
		}
		_, err = s.ReceiveUpload(ctx, first.ID, 0, strings.NewReader(gallerytest.PNG))
		must(t, err)
		_, _, err = s.FinishUpload(ctx, first.ID)
		must(t, err)
		if done, err := s.CreateUpload(ctx, in); err != nil || done.ID != first.ID || done.State != uploads.UploadDone {
			t.Errorf("after the end: %+v, %v", done, err)
		}
	})
}

func TestClientKeyFree(t *testing.T) {
	eachStore(t, gallerytest.Config{}, func(s *stage) {
		t := s.T
		ctx := s.Someone(auth.RoleUser)
		key := strings.Repeat("k", 64)
		in := uploads.CreateUploadInput{Path: "a.png", SizeBytes: 9, ClientKey: &key}
		first, err := s.CreateUpload(ctx, in)
		must(t, err)
		must(t, s.CancelUpload(ctx, first.ID))
		second, err := s.CreateUpload(ctx, in)
		must(t, err)
		s.Clock.Time = s.Clock.Time.Add(25 * time.Hour)
		third, err := s.CreateUpload(ctx, in)
		must(t, err)
		if second.ID == first.ID || third.ID == second.ID {
			t.Errorf("a key that is free again finds an old upload: %s %s %s", first.ID, second.ID, third.ID)
		}
	})
}

func TestClientKeyInvalid(t *testing.T) {
	eachStore(t, gallerytest.Config{}, func(s *stage) {
		ctx := s.Someone(auth.RoleUser)
		for _, key := range []string{"", strings.Repeat("k", 65), "a b", "é", "a\x00b", "a/b", "a\n"} {
			_, err := s.CreateUpload(ctx, uploads.CreateUploadInput{Path: "a.png", SizeBytes: 9, ClientKey: &key})
			want(s.T, err, fault.Invalid, "the key "+key)
		}
	})
}

func TestClientKeyAtOnce(t *testing.T) {
	eachStore(t, gallerytest.Config{}, func(s *stage) {
		ctx := s.Someone(auth.RoleUser)
		key := "one"
		const n = 12
		ids, errs := make([]string, n), make([]error, n)
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				u, err := s.CreateUpload(ctx, uploads.CreateUploadInput{Path: "a.png", SizeBytes: 9, ClientKey: &key})
				if errs[i] = err; err == nil {
					ids[i] = u.ID
				}
			})
		}
		wg.Wait()
		for i := range n {
			must(s.T, errs[i])
			if ids[i] != ids[0] {
				s.T.Errorf("call %d has upload %s, expected %s", i, ids[i], ids[0])
			}
		}
	})
}
