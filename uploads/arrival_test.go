package uploads_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/uploads"
)

// TestCheckedWhileArriving checks that each file is checked, only once if it arrives in one request, and that
// a check never counts for other content.
func TestCheckedWhileArriving(t *testing.T) {
	var probes atomic.Int32
	probe := func(context.Context, imaging.Source) error { probes.Add(1); return nil }
	eachStore(t, gallerytest.Config{Uploads: uploads.Config{Probe: probe}}, func(s *stage) {
		t := s.T
		ctx := s.Someone(auth.RoleUser)
		good := gallerytest.PNG + strings.Repeat("0123456789abcdef", 9<<16) // two parts
		bad := strings.Repeat("x", len(good))
		one, other := s.Rules, s.Again()
		for name, c := range map[string]struct {
			room bool
			send func(id string) error
			code fault.Code
		}{
			"one request": {true, func(id string) error {
				_, err := one.ReceiveUpload(ctx, id, 0, strings.NewReader(good))
				return err
			}, ""},
			"two requests": {true, func(id string) error {
				_, _ = one.ReceiveUpload(ctx, id, 0, broken(good[:1000]))
				_, err := one.ReceiveUpload(ctx, id, 1000, strings.NewReader(good[1000:]))
				return err
			}, ""},
			"another server": {true, func(id string) error {
				_, err := other.ReceiveUpload(ctx, id, 0, strings.NewReader(good))
				return err
			}, ""},
			"no room": {false, func(id string) error {
				_, err := one.ReceiveUpload(ctx, id, 0, strings.NewReader(good))
				return err
			}, ""},
			"bad bytes": {true, func(id string) error {
				_, err := one.ReceiveUpload(ctx, id, 0, strings.NewReader(bad))
				return err
			}, fault.UnsupportedType},
			"replaced on another server": {true, func(id string) error {
				if _, err := one.ReceiveUpload(ctx, id, 0, strings.NewReader(good)); err != nil {
					return err
				}
				_, err := other.ReceiveUpload(ctx, id, uploads.FromStart, strings.NewReader(bad))
				return err
			}, fault.UnsupportedType},
		} {
			folder := t.TempDir()
			if !c.room {
				folder = filepath.Join(folder, "missing")
			}
			t.Setenv("TMPDIR", folder)
			id := s.begin(ctx, name+".png", len(good), gallery.ConflictError)
			probes.Store(0)
			must(t, c.send(id))
			_, file, err := one.FinishUpload(ctx, id)
			if want(t, err, c.code, name); err != nil {
				continue
			}
			most := int32(1)
			if name == "another server" {
				most = 2 // each server knows which uploads it has checked
			}
			if n := probes.Load(); n < 1 || n > most || file.Size != int64(len(good)) ||
				s.Content(name+".png") != good {
				t.Errorf("%s: checked %d times, %d bytes", name, n, file.Size)
			}
		}
	})
}

// TestFinishOnTakenName finishes an upload whose name somebody else has taken with the same content. That
// must always be a conflict.
func TestFinishOnTakenName(t *testing.T) {
	eachStore(t, gallerytest.Config{}, func(s *stage) {
		t := s.T
		ctx := s.Someone(auth.RoleUser)
		id := s.begin(ctx, "a.png", len(gallerytest.PNG), gallery.ConflictError)
		_, err := s.ReceiveUpload(ctx, id, 0, strings.NewReader(gallerytest.PNG))
		must(t, err)
		s.Put("a.png", gallerytest.PNG)
		for range 2 {
			_, _, err := s.FinishUpload(ctx, id)
			want(t, err, fault.Conflict, "finishing on a name that is taken")
		}
	})
}
