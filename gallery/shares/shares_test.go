package shares_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/shares"
)

// made makes a link of an account, and returns its id, and its key.
func made(ctx context.Context, s *gallerytest.Stage, in shares.CreateInput) (row *shares.Visitor, key string) {
	s.Helper()
	link, err := s.Shares.Create(ctx, in)
	s.Must(err)
	key = strings.TrimPrefix(*s.Shares.URL(link), "/s/")
	_, v, _, err := s.Shares.Open(s.Context(), key, "", in.Password)
	s.Must(err)
	return v, key
}

// TestVisits: browsers are counted by day, also those that come at once, and not again within a visit.
func TestVisits(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		ctx := s.As(s.Person("ada", auth.RoleUser))
		s.Put("a/1.png", gallerytest.PNG)
		v, key := made(ctx, s, shares.CreateInput{Paths: []string{"a"}})
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				_, _, _, err := s.Shares.Open(s.Context(), key, "", "")
				s.Must(err)
			})
		}
		all.Wait()
		_, _, token, err := s.Shares.Open(s.Context(), key, "", "")
		s.Must(err)
		_, _, again, err := s.Shares.Open(s.Context(), key, token, "")
		s.Must(err)
		if again != token {
			t.Error("a visit that goes on has another token")
		}
		s.Clock.Time = s.Clock.Time.Add(24 * time.Hour)
		_, _, later, err := s.Shares.Open(s.Context(), key, token, "")
		s.Must(err)
		if later == token {
			t.Error("a visit does not end")
		}
		row, err := s.Shares.Share(ctx, v.Share.ID)
		s.Must(err)
		days, err := s.Shares.Days(ctx, row)
		s.Must(err)
		if row.Visits != 8 || len(days) != 2 || days[0].Visits != 7 || days[1].Visits != 1 {
			t.Errorf("%d visits, by day %v, expected 7 and 1", row.Visits, days)
		}
	})
}

// TestUploadQuota: uploads at once do not exceed the quota together, and what was not added does not count.
func TestUploadQuota(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		ctx := s.As(s.Person("ada", auth.RoleUser))
		s.Put("a/1.png", gallerytest.PNG)
		v, _ := made(ctx, s, shares.CreateInput{Paths: []string{"a"}, UploadQuota: 100})
		var all sync.WaitGroup
		var taken atomic.Int64
		for range 10 {
			all.Go(func() {
				_, err := s.Shares.Reserve(s.Context(), v, 30)
				if err == nil {
					taken.Add(1)
				} else if fault.CodeOf(err) != fault.TooLarge {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if taken.Load() != 3 {
			t.Errorf("%d uploads of 30 bytes fit into 100", taken.Load())
		}
		release, err := s.Shares.Reserve(s.Context(), v, 10)
		s.Must(err)
		release()
		_, err = s.Shares.Reserve(s.Context(), v, 10)
		s.Must(err)
		_, err = s.Shares.Reserve(s.Context(), v, 1)
		gallerytest.Want(t, err, fault.TooLarge, "beyond the quota")
		s.Must(s.Shares.Delete(ctx, v.Share.ID))
		_, err = s.Shares.Reserve(s.Context(), v, 1)
		gallerytest.Want(t, err, fault.TooLarge, "of a revoked link")
	})
}

// TestItemsFollow: files and folders stay in their link when they move, and leave it when they are deleted.
func TestItemsFollow(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		ctx := s.As(s.Person("ada", auth.RoleUser))
		for _, p := range []string{"a/2.png", "a/1.png", "b/é/3.png"} {
			s.Put(p, gallerytest.PNG)
		}
		v, key := made(ctx, s, shares.CreateInput{Paths: []string{"a/2.png", "b/é/3.png", "a/1.png"}})
		wants := func(want string) {
			t.Helper()
			within, v, err := s.Shares.Visit(s.Context(), key, "")
			s.Must(err)
			p, err := v.Files(within, "", "", 100)
			s.Must(err)
			var names []string
			for _, f := range p.Items {
				names = append(names, f.Path())
			}
			if got := strings.Join(names, " "); got != want {
				t.Errorf("shown are %s, expected %s", got, want)
			}
		}
		wants("a/2.png b/é/3.png a/1.png")
		s.Must(s.MoveFile(ctx, "b/é", "c"))
		s.Must(s.MoveFile(ctx, "a/2.png", "a/two.png"))
		wants("a/two.png c/3.png a/1.png")
		s.Must(s.Gallery.RemoveFile(ctx, "a/1.png"))
		s.Put("a/1.png", gallerytest.PNG)
		s.Put("a/2.png", gallerytest.PNG)
		wants("a/two.png c/3.png")
		if active, err := s.Shares.IsActive(ctx, v.Share); err != nil || !active {
			t.Errorf("active: %v, %v", active, err)
		}
		s.Must(s.DeactivateAccount(ctx, nil))
		_, _, err := s.Shares.Visit(s.Context(), key, "")
		gallerytest.Want(t, err, fault.NotFound, "of an account that is not active")
		if active, err := s.Shares.IsActive(ctx, v.Share); err != nil || active {
			t.Errorf("active: %v, %v", active, err)
		}
	})
}
