package server

import (
	"encoding/json"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/google/uuid"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/shares"
)

// The routes of feedback on share links.
const (
	shareReviewerPath = sharePath + "/reviewer"
	shareCountsPath   = sharePath + "/counts"
	shareCommentsPath = sharePath + "/files/:id/comments"
	shareCommentPath  = sharePath + "/files/:id/comments/:comment"
	shareMarkPath     = sharePath + "/files/:id/mark"
)

// The limits of feedback by network, in requests a minute. They leave room for all guests of a party behind one
// address.
const (
	maxShareWrites = 300
	maxShareNames  = 20
)

// reviewerCookie holds the token of a visitor who has given a name. Its path is the path of the link.
const (
	reviewerCookie = "safelight-reviewer"
	reviewerTime   = 180 * 24 * time.Hour
)

func (s shareRoutes) registerFeedback() {
	s.app.Put(shareReviewerPath, s.review(s.name))
	s.app.Get(shareCountsPath, s.review(s.counts))
	s.app.Get(shareCommentsPath, s.review(s.comments))
	s.app.Post(shareCommentsPath, s.review(s.comment))
	s.app.Delete(shareCommentPath, s.review(s.uncomment))
	s.app.Put(shareMarkPath, s.review(s.mark))
	s.rejectOtherMethods()
}

// review passes requests of a visitor of a link that takes feedback. Those that change something count against the
// limit of their network.
func (s shareRoutes) review(next func(*fiber.Ctx, *shares.Review) error) fiber.Handler {
	return s.visitor(func(c *fiber.Ctx, v *shares.Visitor) error {
		if m := c.Method(); m != fiber.MethodGet && m != fiber.MethodHead {
			if err := s.shareWrites.Allow(s.address(c)); err != nil {
				c.Context().SetConnectionClose() // the body stays unread
				return err
			}
		}
		r, err := v.Review(c.UserContext(), c.Cookies(reviewerCookie))
		if err != nil {
			return err
		}
		return next(c, r)
	})
}

// name gives the visitor a name.
func (s shareRoutes) name(c *fiber.Ctx, r *shares.Review) error {
	o, err := s.readObject(c)
	if err != nil {
		return err
	}
	name, err := o.text("name", false)
	if err == nil && r.Reviewer == nil {
		err = s.shareNames.Allow(s.address(c))
	}
	if err != nil {
		return err
	}
	token, err := r.Name(c.UserContext(), name)
	if err != nil {
		return err
	}
	if token != "" {
		s.setCookie(c, reviewerCookie, token, reviewerTime)
	}
	return c.JSON(fiber.Map{"name": r.Reviewer.Name})
}

// counts answers with how many pictures the visitor picked and rejected, and how many have comments.
func (s shareRoutes) counts(c *fiber.Ctx, r *shares.Review) error {
	counts, err := r.Counts(c.UserContext())
	if err != nil {
		return err
	}
	return c.JSON(counts)
}

// shown returns a page of the pictures that the query selects by their feedback.
func (s shareRoutes) shown(
	c *fiber.Ctx, v *shares.Visitor, show shares.Shown, after string,
) (*shares.Page[*gallery.File], error) {
	r, err := v.Review(c.UserContext(), c.Cookies(reviewerCookie))
	if err != nil {
		return nil, err
	}
	return r.Show(c.UserContext(), show, after, sharePage)
}

func (s shareRoutes) comments(c *fiber.Ctx, r *shares.Review) error {
	f, err := r.File(c.UserContext(), c.Params("id"))
	if err != nil {
		return err
	}
	after, err := r.After(c.Query("after"))
	if err != nil {
		return err
	}
	p, err := r.Comments(c.UserContext(), f, after, sharePage)
	if err != nil {
		return err
	}
	list := make([]shares.SeenComment, len(p.Items))
	for i, row := range p.Items {
		list[i] = r.Seen(row)
	}
	return s.page(c, r.Visitor, "comments", list, p.Next)
}

func (s shareRoutes) comment(c *fiber.Ctx, r *shares.Review) error {
	o, err := s.readObject(c)
	if err != nil {
		return err
	}
	var n shares.NewComment
	if n.Text, err = o.text("text", false); err != nil {
		return err
	}
	for field, to := range map[string]**float64{"x": &n.X, "y": &n.Y} {
		if raw, ok := o[field]; ok && json.Unmarshal(raw, to) != nil {
			return fault.OnField(fault.InvalidRequest, field, "field %s has the wrong type, expected a number", field)
		}
	}
	f, err := r.File(c.UserContext(), c.Params("id"))
	if err != nil {
		return err
	}
	row, err := r.Comment(c.UserContext(), f, n)
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusCreated).JSON(r.Seen(row))
}

func (s shareRoutes) uncomment(c *fiber.Ctx, r *shares.Review) error {
	f, err := r.File(c.UserContext(), c.Params("id"))
	if err != nil {
		return err
	}
	id, err := uuid.Parse(c.Params("comment"))
	if err != nil {
		return fault.New(fault.NotFound, "the comment does not exist")
	}
	if err := r.Uncomment(c.UserContext(), f, id); err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusNoContent)
}

// mark changes the visitor's choice and rating of a picture: {"choice": "picked", "rating": 4}.
func (s shareRoutes) mark(c *fiber.Ctx, r *shares.Review) error {
	o, err := s.readObject(c)
	if err != nil {
		return err
	}
	choice, err := o.text("choice", true)
	if err != nil {
		return err
	}
	m := shares.Mark{Choice: shares.Choice(choice)}
	if raw, ok := o["rating"]; ok && json.Unmarshal(raw, &m.Rating) != nil {
		return fault.OnField(fault.InvalidRequest, "rating", "field rating has the wrong type, expected a number")
	}
	f, err := r.File(c.UserContext(), c.Params("id"))
	if err == nil {
		err = r.Mark(c.UserContext(), f, m)
	}
	if err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusNoContent)
}

// sharedOpinion is what a visitor sees of the feedback on a picture in a list.
type sharedOpinion struct {
	Choice   shares.Choice `json:"choice"`
	Rating   int           `json:"rating"`
	Comments int           `json:"comments"`
}

// addOpinions adds the feedback to pictures, if the link takes feedback.
func (s shareRoutes) addOpinions(c *fiber.Ctx, v *shares.Visitor, files []*gallery.File, list []sharedPicture) error {
	if !v.Share.AllowFeedback {
		return nil
	}
	r, err := v.Review(c.UserContext(), c.Cookies(reviewerCookie))
	if err != nil {
		return err
	}
	opinions, err := r.Opinions(c.UserContext(), files)
	if err != nil {
		return err
	}
	for i, f := range files {
		o := opinions[f.EntryID()]
		list[i].Feedback = &sharedOpinion{Choice: o.Mine.Choice, Rating: o.Mine.Rating, Comments: o.Comments}
		if list[i].Feedback.Choice == "" {
			list[i].Feedback.Choice = shares.Unchosen
		}
	}
	return nil
}
