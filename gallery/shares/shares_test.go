package shares_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/share"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/shares"
	"github.com/safelight/safelight/webhooks"
	"github.com/safelight/safelight/webhooks/outbox"
)

// made creates a link of an account, and returns it and its key.
func made(ctx context.Context, s *gallerytest.Stage, in shares.CreateInput) (row *shares.Visitor, key string) {
	s.Helper()
	link, err := s.Shares.Create(ctx, in)
	s.Must(err)
	key = strings.TrimPrefix(*s.Shares.URL(link), "/s/")
	_, v, _, err := s.Shares.Open(s.Context(), key, "", in.Password)
	s.Must(err)
	return v, key
}

// TestVisits checks that browsers are counted by day, including concurrent ones, and only once per visit.
func TestVisits(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		ctx := s.As(s.Person("ada", auth.RoleUser))
		s.Put("a/1.png", gallerytest.PNG)
		hook := func(folder string) *ent.Webhook {
			url := "https://example.com/"
			h, _, err := s.Webhooks.Create(s.As(s.Person("root"+folder, auth.RoleAdmin)), webhooks.Input{
				Name: &url, URL: &url, Events: []outbox.Type{outbox.ShareOpened}, Folder: &folder,
			})
			s.Must(err)
			return h
		}
		within, beside := hook("a"), hook("b")
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
			t.Error("a continued visit has a different token")
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
		for hook, want := range map[*ent.Webhook]int{within: 8, beside: 0} {
			sent, err := s.Webhooks.Deliveries(ctx, hook.ID, "", 100, "")
			s.Must(err)
			if len(sent.Items) != want {
				t.Errorf("%d events for 8 visits, expected %d for folder %s", len(sent.Items), want, hook.Folder)
			}
			for _, d := range sent.Items {
				if d.Event != "share.opened" || !strings.Contains(d.Data, v.Share.ID.String()) {
					t.Errorf("the event is %s with %s", d.Event, d.Data)
				}
			}
		}
	})
}

// TestFloodOfVisits checks that the number of counted visits per minute is limited, and that nobody is
// rejected.
func TestFloodOfVisits(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		ctx := s.As(s.Person("ada", auth.RoleUser))
		s.Put("a/1.png", gallerytest.PNG)
		v, key := made(ctx, s, shares.CreateInput{Paths: []string{"a"}})
		visits := func(want int64) {
			t.Helper()
			for range 150 {
				_, _, _, err := s.Shares.Open(s.Context(), key, "", "")
				s.Must(err)
			}
			row, err := s.Shares.Share(ctx, v.Share.ID)
			s.Must(err)
			if row.Visits != want {
				t.Errorf("%d visits are counted, expected %d", row.Visits, want)
			}
		}
		visits(100)
		s.Clock.Time = s.Clock.Time.Add(time.Minute)
		visits(200)
	})
}

// TestOldDays checks that days that are no longer shown are deleted.
func TestOldDays(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		ctx := s.As(s.Person("ada", auth.RoleUser))
		s.Put("a/1.png", gallerytest.PNG)
		v, key := made(ctx, s, shares.CreateInput{Paths: []string{"a"}})
		for range 40 {
			s.Clock.Time = s.Clock.Time.Add(24 * time.Hour)
			_, _, _, err := s.Shares.Open(s.Context(), key, "", "")
			s.Must(err)
		}
		row, err := s.Shares.Share(ctx, v.Share.ID)
		s.Must(err)
		days, err := row.QueryDays().Count(ctx)
		s.Must(err)
		if row.Visits != 41 || days != 30 {
			t.Errorf("%d days of %d visits are stored, expected 30 of 41", days, row.Visits)
		}
	})
}

// TestEndedLinks checks that expired links make room for new ones.
func TestEndedLinks(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		ada := s.Person("ada", auth.RoleUser)
		ctx := s.As(ada)
		s.Put("a/1.png", gallerytest.PNG)
		soon := s.Clock.Now().Add(time.Hour)
		first, err := s.Shares.Create(ctx, shares.CreateInput{Paths: []string{"a"}, ExpiresAt: &soon})
		s.Must(err)
		rows := make([]*ent.ShareCreate, 999)
		for i := range rows {
			rows[i] = s.Shares.Client().Share.Create().SetOwnerID(ada.User.ID).SetKeyHash(fmt.Sprint(i)).
				SetSealedKey("").
				SetName("x").SetKind(share.KindFolder)
		}
		for part := range slices.Chunk(rows, 100) {
			s.Must(s.Shares.Client().Share.CreateBulk(part...).Exec(ctx))
		}
		_, err = s.Shares.Create(ctx, shares.CreateInput{Paths: []string{"a"}})
		gallerytest.Want(t, err, fault.RateLimited, "one link more than allowed")
		s.Clock.Time = soon
		_, err = s.Shares.Create(ctx, shares.CreateInput{Paths: []string{"a"}})
		s.Must(err)
		_, err = s.Shares.Share(ctx, first.ID)
		gallerytest.Want(t, err, fault.NotFound, "the link that has ended")
		_, err = s.Shares.Create(ctx, shares.CreateInput{Paths: []string{"a"}})
		gallerytest.Want(t, err, fault.RateLimited, "one link more than allowed, again")
	})
}

// TestUpdateWritesChanges checks that a change of one field does not write other fields, which somebody else
// may be changing.
func TestUpdateWritesChanges(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		ctx := s.As(s.Person("ada", auth.RoleUser))
		s.Put("a/1.png", gallerytest.PNG)
		end := s.Clock.Now().Add(time.Hour)
		v, _ := made(ctx, s, shares.CreateInput{Paths: []string{"a"}, ExpiresAt: &end, Downloads: shares.Renditions})
		var written []string
		s.Shares.Client().Share.Use(func(next ent.Mutator) ent.Mutator {
			return ent.MutateFunc(func(ctx context.Context, m ent.Mutation) (ent.Value, error) {
				written = append(m.Fields(), m.ClearedFields()...)
				return next.Mutate(ctx, m)
			})
		})
		name := " New "
		row, err := s.Shares.Update(ctx, v.Share.ID, shares.UpdateInput{Name: &name})
		s.Must(err)
		if !slices.Equal(written, []string{"name"}) || row.Name != "New" {
			t.Errorf("the name %q writes %v", row.Name, written)
		}
		var never *time.Time
		row, err = s.Shares.Update(ctx, v.Share.ID, shares.UpdateInput{ExpiresAt: &never})
		s.Must(err)
		if !slices.Equal(written, []string{"expires_at"}) || row.ExpiresAt != nil ||
			row.Downloads != shares.Renditions {
			t.Errorf("the end writes %v: %v", written, row)
		}
	})
}

// TestUploadQuota checks that uploads of visitors count, and that a link that accepts no more says why.
func TestUploadQuota(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		ctx := s.As(s.Person("ada", auth.RoleUser))
		s.Put("a/1.png", gallerytest.PNG)
		v, _ := made(ctx, s, shares.CreateInput{Paths: []string{"a"}, UploadQuota: 100})
		check := func(bytes int64) error {
			tx, err := s.Shares.Client().Tx(s.Context())
			s.Must(err)
			err = s.Shares.CheckUpload(s.Context(), tx, v.Share.ID, bytes)
			s.Must(tx.Commit())
			return err
		}
		count := func(bytes int64) {
			tx, err := s.Shares.Client().Tx(s.Context())
			s.Must(err)
			s.Must(s.Shares.CountUpload(s.Context(), tx, v.Share.ID, "a/2.png", bytes))
			s.Must(tx.Commit())
		}
		s.Must(check(100))
		gallerytest.Want(t, check(101), fault.TooLarge, "beyond the quota")
		count(60)
		s.Must(check(40))
		gallerytest.Want(t, check(41), fault.TooLarge, "beyond what is left")
		none := int64(0)
		_, err := s.Shares.Update(ctx, v.Share.ID, shares.UpdateInput{UploadQuota: &none})
		s.Must(err)
		gallerytest.Want(t, check(1), fault.Forbidden, "of a link that takes no files")
		s.Must(s.Shares.Delete(ctx, v.Share.ID))
		gallerytest.Want(t, check(1), fault.NotFound, "of a revoked link")
		count(1) // the file exists
	})
}

// TestItemsFollow checks that files and folders stay in their link when they move, and are removed from it
// when they are deleted.
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
			if n, err := v.Count(within, ""); err != nil || n != len(names) {
				t.Errorf("%d are counted, %v, expected %d", n, err, len(names))
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
		s.Must(s.Store.Delete(s.Context(), "c/3.png")) // by another program
		_, err := s.Folder(s.Context(), "c")
		s.Must(err)
		wants("a/two.png")
		if active, err := s.Shares.IsActive(ctx, v.Share); err != nil || !active {
			t.Errorf("active: %v, %v", active, err)
		}
		s.Must(s.DeactivateAccount(ctx, nil))
		_, _, err = s.Shares.Visit(s.Context(), key, "")
		gallerytest.Want(t, err, fault.NotFound, "of an account that is not active")
		if active, err := s.Shares.IsActive(ctx, v.Share); err != nil || active {
			t.Errorf("active: %v, %v", active, err)
		}
	})
}
