package shares_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/shares"
	"github.com/safelight/safelight/webhooks"
)

// review is a visitor of a link, in the context of the visit.
func review(s *gallerytest.Stage, key, token string) (context.Context, *shares.Review, error) {
	within, v, err := s.Shares.Visit(s.Context(), key, "")
	if err != nil {
		return nil, nil, err
	}
	r, err := v.Review(within, token)
	return within, r, err
}

// reviewing returns a visitor of a link who has given a name.
func reviewing(s *gallerytest.Stage, key, token, name string) (context.Context, *shares.Review, string) {
	s.Helper()
	within, r, err := review(s, key, token)
	s.Must(err)
	if name != "" {
		token, err = r.Name(within, name)
		s.Must(err)
	}
	return within, r, token
}

func pictureOf(ctx context.Context, s *gallerytest.Stage, r *shares.Review, name string) *gallery.File {
	s.Helper()
	p, err := r.Files(ctx, "", "", 100)
	s.Must(err)
	for _, f := range p.Items {
		if f.Name() == name {
			return f
		}
	}
	s.Fatalf("the link does not show %s", name)
	return nil
}

// TestFeedback checks that visitors see their own picks and all comments that are not hidden, and that the
// owner sees everything. Feedback follows pictures that move, and is deleted with them and with the link.
func TestFeedback(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		ctx := s.As(s.Person("ada", auth.RoleUser))
		other := s.As(s.Person("bob", auth.RoleUser))
		for _, p := range []string{"a/1.png", "a/2.png", "a/3.png"} {
			s.Put(p, gallerytest.PNG)
		}
		name, url, none := "hook", "https://example.com/", false
		root := s.As(s.Person("root", auth.RoleAdmin))
		_, _, err := s.Webhooks.Create(root, webhooks.Input{Name: &name, URL: &url, IsActive: &none})
		s.Must(err)
		yes := true
		link, err := s.Shares.Create(ctx, shares.CreateInput{Paths: []string{"a"}, AllowFeedback: true})
		s.Must(err)
		key := strings.TrimPrefix(*s.Shares.URL(link), "/s/")
		annAt, ann, _ := reviewing(s, key, "", "Ann")
		benAt, ben, token := reviewing(s, key, "", " Ben ")
		one, two := pictureOf(annAt, s, ann, "1.png"), pictureOf(annAt, s, ann, "2.png")

		s.Must(ann.Mark(annAt, one, shares.Mark{Choice: shares.IsPicked, Rating: 4}))
		s.Must(ann.Mark(annAt, one, shares.Mark{Choice: shares.IsPicked, Rating: 5}))
		s.Must(ben.Mark(benAt, one, shares.Mark{Rating: 2}))
		s.Must(ben.Mark(benAt, two, shares.Mark{Choice: shares.IsRejected}))
		x, y := 0.25, 0.75
		c, err := ann.Comment(annAt, one, shares.NewComment{Text: " <b>the eyes</b>\r\nare closed ", X: &x, Y: &y})
		s.Must(err)
		if c.Text != "<b>the eyes</b>\nare closed" {
			t.Errorf("the text is %q", c.Text)
		}

		// Visitors.
		_, ben, _ = reviewing(s, key, token, "")
		opinions, err := ben.Opinions(benAt, []*gallery.File{one, two})
		s.Must(err)
		if o := opinions[one.EntryID()]; o.Mine != (shares.Mark{Choice: shares.Unchosen, Rating: 2}) ||
			o.Comments != 1 {
			t.Errorf("Ben sees %+v", o)
		}
		seen := func(r *shares.Review, want int) {
			t.Helper()
			p, err := r.Comments(benAt, one, "", 100)
			s.Must(err)
			if len(p.Items) != want {
				t.Errorf("%d comments are seen, expected %d", len(p.Items), want)
			}
		}
		seen(ben, 1)
		gallerytest.Want(t, ben.Uncomment(benAt, one, c.ID), fault.NotFound, "the comment of somebody else")
		gallerytest.Want(t, ann.Uncomment(annAt, two, c.ID), fault.NotFound, "on another picture")

		// Only the owner.
		if _, err := s.Shares.HideComment(other, c.ID, true); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("another account hides a comment: %v", err)
		}
		gallerytest.Want(t, s.Shares.DeleteComment(other, c.ID), fault.NotFound, "a comment")
		gallerytest.Want(t, s.Shares.DeleteReviewer(other, ben.Reviewer.ID), fault.NotFound, "a reviewer")
		_, err = s.Shares.HideComment(ctx, c.ID, true)
		s.Must(err)
		seen(ben, 0)
		seen(ann, 1)
		all := func(filter shares.FeedbackFilter, want string) {
			t.Helper()
			var got []string
			in := shares.FeedbackInput{Filter: filter, First: 1}
			for more := true; more; {
				p, err := s.Shares.Feedback(ctx, link, in)
				s.Must(err)
				n, err := p.Count(ctx)
				s.Must(err)
				if n != len(strings.Fields(want)) {
					t.Errorf("%s: %d pictures are counted", filter, n)
				}
				for _, f := range p.Items {
					got = append(got, f.File.Name())
				}
				in.After, more = p.Cursors[len(p.Cursors)-1], p.After
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s: %v, expected %s", filter, got, want)
			}
		}
		all("", "1.png 2.png")
		all(shares.Picked, "1.png")
		all(shares.Rejected, "2.png")
		all(shares.Rated, "1.png")
		all(shares.Commented, "1.png")
		p, err := s.Shares.Feedback(ctx, link, shares.FeedbackInput{First: 100})
		s.Must(err)
		if f := p.Items[0]; f.Picked != 1 || f.Comments != 1 || *f.Rating != 3.5 || len(f.Picks) != 2 {
			t.Errorf("the feedback is %+v", f)
		}
		if n, err := s.Shares.AllNewFeedback(ctx); err != nil || n != 4 {
			t.Errorf("%d are new, %v, expected 3 picks and a comment", n, err)
		}
		s.Clock.Time = s.Clock.Time.Add(time.Second)
		_, err = s.Shares.SeeFeedback(ctx, link.ID)
		s.Must(err)
		if n, err := s.Shares.AllNewFeedback(ctx); err != nil || n != 0 {
			t.Errorf("%d are new, %v", n, err)
		}

		// Feedback moves with the picture, is not shown while it is in the trash, and is deleted with it.
		s.Must(s.MoveFile(ctx, "a/1.png", "a/one.png"))
		all(shares.Picked, "one.png")
		s.Must(s.Gallery.RemoveFile(ctx, "a/one.png"))
		all("", "2.png")
		no := false
		_, err = s.Shares.Update(ctx, link.ID, shares.UpdateInput{AllowFeedback: &no})
		s.Must(err)
		gallerytest.Want(t, ben.Mark(benAt, two, shares.Mark{Rating: 1}), fault.Forbidden,
			"in a request that was let in before")
		_, err = s.Shares.Update(ctx, link.ID, shares.UpdateInput{AllowFeedback: &yes})
		s.Must(err)
		s.Must(ben.Mark(benAt, two, shares.Mark{Rating: 1}))
		s.Must(s.Shares.DeleteReviewer(ctx, ben.Reviewer.ID))
		gallerytest.Want(t, ben.Mark(benAt, two, shares.Mark{Rating: 1}), fault.Conflict,
			"of a visitor who was removed")
		s.Must(ann.Mark(annAt, two, shares.Mark{Rating: 1}))
		s.Must(s.Shares.Delete(ctx, link.ID))
		gallerytest.Want(t, ann.Mark(annAt, two, shares.Mark{Rating: 2}), fault.Forbidden, "of a revoked link")
		var left int
		s.Must(s.Pool.QueryRow("SELECT (SELECT count(*) FROM share_reviewers) + (SELECT count(*) FROM " +
			"share_comments) + (SELECT count(*) FROM share_picks)").Scan(&left))
		if left != 0 {
			t.Errorf("%d rows are left of a revoked link", left)
		}
	})
}

// TestFeedbackLimits checks that feedback that is too long, too much or not plain text is rejected.
func TestFeedbackLimits(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		ctx := s.As(s.Person("ada", auth.RoleUser))
		s.Put("a/1.png", gallerytest.PNG)
		link, err := s.Shares.Create(ctx, shares.CreateInput{Paths: []string{"a"}, AllowFeedback: true})
		s.Must(err)
		key := strings.TrimPrefix(*s.Shares.URL(link), "/s/")
		at, r, _ := reviewing(s, key, "", "")
		f := pictureOf(at, s, r, "1.png")
		_, err = r.Comment(at, f, shares.NewComment{Text: "x"})
		gallerytest.Want(t, err, fault.Conflict, "without a name")
		gallerytest.Want(t, r.Mark(at, f, shares.Mark{Rating: 1}), fault.Conflict, "without a name")
		for _, name := range []string{
			"", " ", "a\nb", "a\x00", "\u202eabc", strings.Repeat("x", 51), "\xff", "\u200b", "\u2060\u200d", "\ufeff",
			"\u0301",
			"a\u2028b", "a\u2029b", "a\u2066b", "a\tb", "\u3164", "\u115f \uffa0", "\u2800",
		} {
			_, err := r.Name(at, name)
			gallerytest.Want(t, err, fault.Invalid, name)
		}
		_, err = r.Name(at, "Ann")
		s.Must(err)
		half, far, below, nan := 0.5, 1.01, -1e-9, math.NaN()
		for _, c := range []shares.NewComment{
			{Text: ""}, {Text: "\x00"}, {Text: "a\u202eb"}, {Text: "\xff"}, {Text: strings.Repeat("x", 2001)},
			{Text: "\u200b"}, {Text: "\u3164"}, {Text: "a\x1bb"}, {Text: "a\u2067b"},
			{Text: "x", X: &nan, Y: &half}, {Text: "x", X: &below, Y: &half},
			{Text: "x", X: &half}, {Text: "x", X: &half, Y: &far},
		} {
			_, err := r.Comment(at, f, c)
			gallerytest.Want(t, err, fault.Invalid, c.Text)
		}
		gallerytest.Want(t, r.Mark(at, f, shares.Mark{Rating: 6}), fault.Invalid, "a rating")
		gallerytest.Want(t, r.Mark(at, f, shares.Mark{Choice: "best"}), fault.Invalid, "a choice")
		for i, text := range []string{
			"a\tb\nc", "\u05d0\u200f!", "\U0001f469\u200d\U0001f680", "4", "5", "6", "7", "8", "9", "10",
		} {
			c, err := r.Comment(at, f, shares.NewComment{Text: text})
			s.Must(err)
			if i > 3 {
				s.Must(r.Uncomment(at, f, c.ID))
			}
		}
		_, err = r.Comment(at, f, shares.NewComment{Text: "x"})
		gallerytest.Want(t, err, fault.RateLimited, "eleven in a minute, though some were deleted")
		for range 120 {
			s.Must(r.Mark(at, f, shares.Mark{Rating: 1}))
		}
		gallerytest.Want(t, r.Mark(at, f, shares.Mark{Rating: 1}), fault.RateLimited, "picks in a minute")
	})
}

// TestFeedbackRaces checks that concurrent requests cannot exceed the limits together.
func TestFeedbackRaces(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		ctx := s.As(s.Person("ada", auth.RoleUser))
		s.Put("a/1.png", gallerytest.PNG)
		link, err := s.Shares.Create(ctx, shares.CreateInput{Paths: []string{"a"}, AllowFeedback: true})
		s.Must(err)
		key := strings.TrimPrefix(*s.Shares.URL(link), "/s/")
		at, ann, token := reviewing(s, key, "", "Ann")
		f := pictureOf(at, s, ann, "1.png")
		together := func(what string, want int32, do func() error) {
			t.Helper()
			var done atomic.Int32
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					if err := do(); err == nil {
						done.Add(1)
					} else if fault.CodeOf(err) != fault.RateLimited {
						t.Errorf("%s: %v", what, err)
					}
				})
			}
			all.Wait()
			if done.Load() != want {
				t.Errorf("%s: %d of 8 at once, expected %d", what, done.Load(), want)
			}
		}

		// One visitor marks one picture from several tabs. There must be one row.
		together("marks", 8, func() error {
			_, r, err := review(s, key, token)
			if err != nil {
				return err
			}
			return r.Mark(at, f, shares.Mark{Rating: 3})
		})
		if n, err := s.Shares.Client().SharePick.Query().Count(ctx); err != nil || n != 1 {
			t.Errorf("%d marks, %v", n, err)
		}

		var rows []*ent.ShareReviewerCreate
		for i := range 98 {
			rows = append(rows, s.Shares.Client().ShareReviewer.Create().
				SetShareID(link.ID).SetName("x").SetTokenHash(fmt.Sprint(i)).SetCreatedAt(s.Clock.Time))
		}
		s.Must(s.Shares.Client().ShareReviewer.CreateBulk(rows...).Exec(ctx))
		name := func() error {
			_, r, err := review(s, key, "")
			if err == nil {
				_, err = r.Name(at, "Ben")
			}
			return err
		}
		together("names", 1, name)
		s.Clock.Time = s.Clock.Time.Add(2 * time.Hour) // reviewers without feedback make room
		together("names later", 8, name)

		var comments []*ent.ShareCommentCreate
		for range 497 {
			comments = append(comments, s.Shares.Client().ShareComment.Create().
				SetShareID(link.ID).SetReviewerID(ann.Reviewer.ID).SetEntryID(f.EntryID()).SetText("x"))
		}
		s.Must(s.Shares.Client().ShareComment.CreateBulk(comments...).Exec(ctx))
		together("comments", 3, func() error {
			_, err := ann.Comment(at, f, shares.NewComment{Text: "x"})
			return err
		})
	})
}

// TestWatchFeedback checks that only the owner of a link is notified of changes of its feedback.
func TestWatchFeedback(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		s.Put("a/1.png", gallerytest.PNG)
		ctx, root := s.As(s.Person("ada", auth.RoleUser)), s.As(s.Person("root", auth.RoleAdmin))
		create := func(ctx context.Context) (id, key string) {
			link, err := s.Shares.Create(ctx, shares.CreateInput{Paths: []string{"a"}, AllowFeedback: true})
			s.Must(err)
			return link.ID.String(), strings.TrimPrefix(*s.Shares.URL(link), "/s/")
		}
		hers, key := create(ctx)
		other, otherKey := create(root)
		watched, others := s.WatchFeedback(ctx), s.WatchFeedback(root)
		changes, err := s.WatchFolder(root, "", true)
		s.Must(err)
		if <-watched != "" || <-others != "" || (<-changes).Kind != gallery.KindReload {
			t.Error("the first event is wrong")
		}
		at, ann, _ := reviewing(s, key, "", "Ann")
		told := func(what string, err error) {
			t.Helper()
			s.Must(err)
			if id := <-watched; id != hers {
				t.Errorf("%s: the owner receives %q, expected %s", what, id, hers)
			}
		}
		told("a name", nil)
		one := pictureOf(at, s, ann, "1.png")
		told("a pick", ann.Mark(at, one, shares.Mark{Choice: shares.IsPicked}))
		c, err := ann.Comment(at, one, shares.NewComment{Text: "x"})
		told("a comment", err)
		told("one that is taken back", ann.Uncomment(at, one, c.ID))

		reviewing(s, otherKey, "", "Ben")
		if id := <-others; id != other {
			t.Errorf("another owner receives %q, expected %s", id, other)
		}
		s.Put("a/2.png", gallerytest.PNG)
		_, err = s.UpdateFile(root, gallery.UpdateFileInput{Path: "a/1.png", Tags: &[]string{"x"}})
		s.Must(err)
		if c := <-changes; strings.Contains(c.Path, "feedback") {
			t.Errorf("a watcher of files receives %s", c.Path)
		}
	})
}
