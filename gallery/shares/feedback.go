package shares

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	entsql "entgo.io/ent/dialect/sql"
	"github.com/google/uuid"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/share"
	"github.com/safelight/safelight/ent/sharecomment"
	"github.com/safelight/safelight/ent/sharepick"
	"github.com/safelight/safelight/ent/sharereviewer"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/webhooks/outbox"
)

// This file implements feedback of visitors: comments, picks and ratings. A visitor who gives a name becomes
// a reviewer, identified by a token in a cookie. The token does not give access to anything: each request
// goes through Visit first, and each write checks again, in its transaction, whether the link still accepts
// feedback. Rows refer to the entry of a picture, so they follow the picture when it moves. They are deleted
// with the entry, and with the link.

// The limits of the feedback on one link.
const (
	maxReviewerName   = 50   // characters
	maxText           = 2000 // characters
	maxReviewers      = 100
	maxComments       = 5000
	maxPicks          = 50_000
	maxOwnComments    = 500 // per reviewer
	maxMarksMinute    = 120 // per reviewer
	maxCommentsMinute = 10  // per reviewer
	idleReviewer      = time.Hour
)

// Choice is what a reviewer thinks of a picture.
type Choice = sharepick.Choice

// The choices.
const (
	Unchosen   = sharepick.ChoiceNone
	IsPicked   = sharepick.ChoicePicked
	IsRejected = sharepick.ChoiceRejected
)

// Mark is the choice and the rating of one reviewer for a picture.
type Mark struct {
	Choice Choice
	Rating int // 1 to 5; 0: not rated
}

// Opinion is the feedback on a picture that a visitor sees.
type Opinion struct {
	Mine     Mark
	Comments int // number of comments that the visitor sees
}

// Review is a visitor who gives feedback. Reviewer is nil for a visitor who has not given a name yet.
type Review struct {
	*Visitor
	Reviewer *ent.ShareReviewer
}

// Review returns the visitor with the reviewer that a token identifies. It returns fault.Forbidden if the
// link does not accept feedback.
func (v *Visitor) Review(ctx context.Context, token string) (*Review, error) {
	if !v.Share.AllowFeedback {
		return nil, errNoFeedback()
	}
	r := &Review{Visitor: v}
	if token == "" {
		return r, nil
	}
	row, err := v.shares.db.ShareReviewer.Query().
		Where(sharereviewer.ShareID(v.Share.ID), sharereviewer.TokenHash(hash(token))).
		Only(ctx)
	if err == nil {
		r.Reviewer = row
	} else if !ent.IsNotFound(err) {
		return nil, database.Translate(err)
	}
	return r, nil
}

// Name sets or changes the visitor's name. token identifies a new reviewer; it is empty if the visitor
// already had a name. It returns fault.Invalid for an invalid name, and fault.RateLimited if the link has too
// many reviewers.
func (r *Review) Name(ctx context.Context, name string) (token string, err error) {
	name = strings.TrimSpace(name)
	if !gallery.IsText(name, maxReviewerName, "") {
		return "", fault.OnField(
			fault.Invalid, "name", "the name has %d characters, expected 1 to %d without line breaks",
			utf8.RuneCountInString(name), maxReviewerName,
		)
	}
	err = r.write(ctx, func(tx *ent.Tx) error {
		if r.Reviewer != nil {
			saved, err := tx.ShareReviewer.UpdateOneID(r.Reviewer.ID).SetName(name).Save(ctx)
			if ent.IsNotFound(err) {
				return errNoName()
			}
			r.Reviewer = saved
			return err
		}
		if err := r.makeRoom(ctx, tx); err != nil {
			return err
		}
		token = rand.Text()
		r.Reviewer, err = tx.ShareReviewer.Create().
			SetShareID(r.Share.ID).SetName(name).SetTokenHash(hash(token)).SetCreatedAt(r.now()).
			Save(ctx)
		return err
	})
	return token, err
}

// makeRoom returns fault.RateLimited if the link has too many reviewers. First it removes reviewers who gave
// a name but no feedback.
func (r *Review) makeRoom(ctx context.Context, tx *ent.Tx) error {
	of := sharereviewer.ShareID(r.Share.ID)
	n, err := tx.ShareReviewer.Query().Where(of).Count(ctx)
	if err != nil || n < maxReviewers {
		return err
	}
	gone, err := tx.ShareReviewer.Delete().
		Where(
			of, sharereviewer.CreatedAtLT(r.now().Add(-idleReviewer)),
			sharereviewer.Not(sharereviewer.HasComments()), sharereviewer.Not(sharereviewer.HasPicks()),
		).
		Exec(ctx)
	if err == nil && n-gone >= maxReviewers {
		err = fault.New(fault.RateLimited, "%d visitors gave a name, expected at most %d", n, maxReviewers)
	}
	return err
}

func (v *Visitor) now() time.Time { return v.shares.config.Now().UTC() }

// write runs a transaction that locks the link, and notifies its owner. It returns fault.Forbidden if the
// link no longer accepts feedback, because it was revoked or got another password after the request was
// accepted.
func (r *Review) write(ctx context.Context, do func(tx *ent.Tx) error) error {
	err := r.shares.db.Transact(ctx, func(tx *ent.Tx) error {
		_, err := tx.Share.Query().
			Where(
				share.ID(r.Share.ID), share.AllowFeedback(true), share.PasswordHash(r.Share.PasswordHash),
				share.Or(share.ExpiresAtIsNil(), share.ExpiresAtGT(r.now())), database.LockRows,
			).
			OnlyID(ctx)
		if ent.IsNotFound(err) {
			return errNoFeedback()
		}
		if err != nil {
			return err
		}
		return do(tx)
	})
	if err == nil {
		r.shares.gallery.FeedbackChanged(r.Share.OwnerID, r.Share.ID)
	}
	return err
}

// NewComment is a comment to write.
type NewComment struct {
	Text string
	X, Y *float64 // a point in the picture, 0 to 1 from the left and from the top; nil: no point
}

// check returns fault.Invalid for an invalid comment. It trims the text.
func (c *NewComment) check() error {
	c.Text = strings.TrimSpace(strings.ReplaceAll(c.Text, "\r\n", "\n"))
	if !gallery.IsText(c.Text, maxText, "\n\t") {
		return fault.OnField(
			fault.Invalid, "text", "the comment has %d characters, expected 1 to %d of plain text",
			utf8.RuneCountInString(c.Text), maxText,
		)
	}
	if (c.X == nil) != (c.Y == nil) {
		return fault.OnField(fault.Invalid, "x", "the point has one coordinate, expected both or none")
	}
	for _, at := range []*float64{c.X, c.Y} {
		if at != nil && !(*at >= 0 && *at <= 1) {
			return fault.OnField(fault.Invalid, "x", "the point is at %g, expected 0 to 1", *at)
		}
		if at != nil {
			*at = math.Round(*at*1e4) / 1e4
		}
	}
	return nil
}

// Comment writes a comment on a shared picture. f must be a result of Visitor.File. It returns fault.Invalid
// for an invalid comment, fault.Conflict with ErrNoName for a visitor without a name, and fault.RateLimited
// beyond the limits.
func (r *Review) Comment(ctx context.Context, f *gallery.File, c NewComment) (*ent.ShareComment, error) {
	if r.Reviewer == nil {
		return nil, errNoName()
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := r.takeTurn(&r.shares.comments, maxCommentsMinute, "comments"); err != nil {
		return nil, err
	}
	var row *ent.ShareComment
	err := r.write(ctx, func(tx *ent.Tx) error {
		if err := r.mayComment(ctx, tx); err != nil {
			return err
		}
		var err error
		row, err = tx.ShareComment.Create().
			SetShareID(r.Share.ID).SetReviewerID(r.Reviewer.ID).SetEntryID(f.EntryID()).SetText(c.Text).
			SetNillableX(c.X).SetNillableY(c.Y).SetCreatedAt(r.now()).
			Save(ctx)
		if ent.IsConstraintError(err) { // the owner removed the reviewer in the meantime
			return errNoName()
		}
		if err != nil {
			return err
		}
		row.Edges.Reviewer = r.Reviewer
		return r.shares.report(ctx, tx, f.Path(), row)
	})
	return row, err
}

// SeenComment is the part of a comment that visitors see.
type SeenComment struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"` // of its author
	Text      string    `json:"text"`
	X         *float64  `json:"x"` // 0 to 1 from the left; null: no point
	Y         *float64  `json:"y"` // 0 to 1 from the top
	CreatedAt time.Time `json:"createdAt"`
	Mine      bool      `json:"mine"`
}

// Seen returns what the visitor sees of a comment that Comment or Comments returned.
func (r *Review) Seen(row *ent.ShareComment) SeenComment {
	return SeenComment{
		ID: row.ID.String(), Name: row.Edges.Reviewer.Name, Text: row.Text, X: row.X, Y: row.Y,
		CreatedAt: row.CreatedAt,
		Mine:      r.Reviewer != nil && row.ReviewerID == r.Reviewer.ID,
	}
}

// takeTurn returns fault.RateLimited if the reviewer did something too often in the current minute. Feedback
// that they removed again counts, too, because webhooks have reported it.
func (r *Review) takeTurn(of *minute, most int, what string) error {
	if of.take(r.Reviewer.ID, r.now(), most) {
		return nil
	}
	f := fault.New(fault.RateLimited, "more than %d %s in a minute", most, what)
	f.RetryAfter = time.Minute
	return f
}

// mayComment returns fault.RateLimited if the reviewer or the link has too many comments.
func (r *Review) mayComment(ctx context.Context, tx *ent.Tx) error {
	n, err := tx.ShareComment.Query().Where(sharecomment.ReviewerID(r.Reviewer.ID)).Count(ctx)
	if err == nil && n >= maxOwnComments {
		err = fault.New(fault.RateLimited, "%d comments of one visitor, expected at most %d", n, maxOwnComments)
	}
	if err != nil {
		return err
	}
	n, err = tx.ShareComment.Query().Where(sharecomment.ShareID(r.Share.ID)).Count(ctx)
	if err == nil && n >= maxComments {
		err = fault.New(fault.RateLimited, "%d comments on the link, expected at most %d", n, maxComments)
	}
	return err
}

// report writes the event of a comment for webhooks.
func (s *Shares) report(ctx context.Context, tx *ent.Tx, path string, row *ent.ShareComment) error {
	data := map[string]any{
		"actor": nil, "path": path, "share": row.ShareID.String(), "comment": row.ID.String(),
		"name": row.Edges.Reviewer.Name, "text": row.Text,
	}
	if row.X != nil {
		data["x"], data["y"] = *row.X, *row.Y
	}
	return s.config.Outbox.Emit(ctx, tx.Client(), outbox.Event{
		Type: outbox.CommentCreated, Source: "file:" + path, Locks: true, Paths: []string{path}, Data: data,
	})
}

// Uncomment deletes a comment of the visitor. It returns fault.NotFound for comments of others.
func (r *Review) Uncomment(ctx context.Context, f *gallery.File, id uuid.UUID) error {
	if r.Reviewer == nil {
		return errNoName()
	}
	return r.write(ctx, func(tx *ent.Tx) error {
		n, err := tx.ShareComment.Delete().
			Where(sharecomment.ID(id), sharecomment.ReviewerID(r.Reviewer.ID), sharecomment.EntryID(f.EntryID())).
			Exec(ctx)
		if err == nil && n == 0 {
			err = errNoComment()
		}
		return err
	})
}

// Mark changes the visitor's choice and rating for a shared picture. The zero Mark, and the choice none
// without a rating, remove them. It returns the errors of Comment.
func (r *Review) Mark(ctx context.Context, f *gallery.File, m Mark) error {
	if r.Reviewer == nil {
		return errNoName()
	}
	if m.Choice == "" {
		m.Choice = sharepick.ChoiceNone
	}
	if sharepick.ChoiceValidator(m.Choice) != nil {
		return fault.OnField(fault.Invalid, "choice", "the choice is %q, expected none, picked or rejected", m.Choice)
	}
	if m.Rating < 0 || m.Rating > 5 {
		return fault.OnField(fault.Invalid, "rating", "the rating is %d, expected 0 to 5", m.Rating)
	}
	if err := r.takeTurn(&r.shares.marks, maxMarksMinute, "picks and ratings"); err != nil {
		return err
	}
	this := []func(*entsql.Selector){
		sharepick.ReviewerID(r.Reviewer.ID), sharepick.EntryID(f.EntryID()),
	}
	return r.write(ctx, func(tx *ent.Tx) error {
		if m.Choice == sharepick.ChoiceNone && m.Rating == 0 {
			_, err := tx.SharePick.Delete().Where(this[0], this[1]).Exec(ctx)
			return err
		}
		n, err := tx.SharePick.Update().
			Where(this[0], this[1]).
			SetChoice(m.Choice).SetRating(m.Rating).SetUpdatedAt(r.now()).
			Save(ctx)
		if err != nil || n > 0 {
			return err
		}
		n, err = tx.SharePick.Query().Where(sharepick.ShareID(r.Share.ID)).Count(ctx)
		if err == nil && n >= maxPicks {
			err = fault.New(fault.RateLimited, "%d picks and ratings on the link, expected at most %d", n, maxPicks)
		}
		if err != nil {
			return err
		}
		err = tx.SharePick.Create().
			SetShareID(r.Share.ID).SetReviewerID(r.Reviewer.ID).SetEntryID(f.EntryID()).SetChoice(m.Choice).
			SetRating(m.Rating).SetUpdatedAt(r.now()).
			Exec(ctx)
		if ent.IsConstraintError(err) { // the owner removed the reviewer in the meantime
			return errNoName()
		}
		return err
	})
}

// shown selects the comments that the visitor sees. Only its author still sees a hidden comment.
func (r *Review) shown() func(*entsql.Selector) {
	if r.Reviewer == nil {
		return sharecomment.IsHidden(false)
	}
	return sharecomment.Or(sharecomment.IsHidden(false), sharecomment.ReviewerID(r.Reviewer.ID))
}

// oldestComments is the order of comments for visitors.
var oldestComments = database.Order[ent.ShareComment]{
	Columns: []string{sharecomment.FieldCreatedAt, sharecomment.FieldID},
	Values:  func(c *ent.ShareComment) []any { return []any{&c.CreatedAt, &c.ID} },
}

// Comments returns a page of the comments on a shared picture that the visitor sees, oldest first, with their
// reviewers.
func (r *Review) Comments(
	ctx context.Context, f *gallery.File, after string, first int,
) (*Page[*ent.ShareComment], error) {
	query := r.shares.db.ShareComment.Query().
		Where(sharecomment.ShareID(r.Share.ID), sharecomment.EntryID(f.EntryID()), r.shown()).
		WithReviewer()
	rows, err := database.ReadPage(ctx, query, oldestComments, first, after)
	if err != nil {
		return nil, err
	}
	p := &Page[*ent.ShareComment]{Items: rows.Items}
	if rows.After {
		p.Next = rows.Cursors[first-1]
	}
	return p, nil
}

// Shown selects pictures by the feedback that a visitor sees.
type Shown string

// The selections: pictures that the visitor picked or rejected, and pictures with comments that the visitor
// sees.
const (
	ShowPicked    Shown = "picked"
	ShowRejected  Shown = "rejected"
	ShowCommented Shown = "commented"
)

// MaxShown is the maximum number of pictures with feedback that are counted for a visitor.
const MaxShown = 1000

// entries returns at most most entries after an entry, sorted by id. It returns fault.Invalid for an unknown
// selection.
func (r *Review) entries(ctx context.Context, show Shown, after, most int) (ids []int, err error) {
	switch show {
	case ShowPicked, ShowRejected:
		if r.Reviewer == nil {
			return nil, nil
		}
		err = r.shares.db.SharePick.Query().
			Where(
				sharepick.ReviewerID(r.Reviewer.ID), sharepick.ChoiceEQ(Choice(show)), sharepick.EntryIDGT(after),
			).
			Order(sharepick.ByEntryID()).Limit(most).
			Select(sharepick.FieldEntryID).
			Scan(ctx, &ids)
	case ShowCommented:
		err = r.shares.db.ShareComment.Query().
			Where(sharecomment.ShareID(r.Share.ID), sharecomment.EntryIDGT(after), r.shown()).
			Order(sharecomment.ByEntryID()).Limit(most).
			Unique(true).
			Select(sharecomment.FieldEntryID).
			Scan(ctx, &ids)
	default:
		err = fault.OnField(fault.Invalid, "show", "show is %.50q, expected picked, rejected or commented",
			string(show))
	}
	return ids, database.Translate(err)
}

// Show returns a page of the shared pictures, from all folders, that match a selection. They are sorted by
// when they were added to the library. A page may contain fewer than first files although more follow.
func (r *Review) Show(ctx context.Context, show Shown, after string, first int) (*Page[*gallery.File], error) {
	start, err := parseNumber(after)
	if err != nil {
		return nil, err
	}
	ids, err := r.entries(ctx, show, start, first+1)
	if err != nil {
		return nil, err
	}
	p := &Page[*gallery.File]{}
	if len(ids) > first {
		ids = ids[:first]
		p.Next = strconv.Itoa(ids[first-1])
	}
	p.Items, err = r.among(ctx, ids)
	return p, err
}

// Counts returns how many pictures each selection has, up to MaxShown.
func (r *Review) Counts(ctx context.Context) (map[Shown]int, error) {
	selected := map[Shown][]int{}
	var all []int
	for _, show := range []Shown{ShowPicked, ShowRejected, ShowCommented} {
		ids, err := r.entries(ctx, show, 0, MaxShown)
		if err != nil {
			return nil, err
		}
		selected[show], all = ids, append(all, ids...)
	}
	slices.Sort(all)
	files, err := r.among(ctx, slices.Compact(all))
	if err != nil {
		return nil, err
	}
	shared := map[int]bool{}
	for _, f := range files {
		shared[f.EntryID()] = true
	}
	counts := map[Shown]int{}
	for show, ids := range selected {
		counts[show] = len(slices.DeleteFunc(ids, func(id int) bool { return !shared[id] }))
	}
	return counts, nil
}

// Opinions returns the feedback on shared pictures by gallery.File.EntryID. Pictures without feedback are
// left out.
func (r *Review) Opinions(ctx context.Context, files []*gallery.File) (map[int]Opinion, error) {
	ids := make([]int, len(files))
	for i, f := range files {
		ids[i] = f.EntryID()
	}
	all := map[int]Opinion{}
	if r.Reviewer != nil {
		rows, err := r.shares.db.SharePick.Query().
			Where(sharepick.ReviewerID(r.Reviewer.ID), sharepick.EntryIDIn(ids...)).
			All(ctx)
		if err != nil {
			return nil, database.Translate(err)
		}
		for _, row := range rows {
			all[row.EntryID] = Opinion{Mine: Mark{row.Choice, row.Rating}}
		}
	}
	var counts []struct {
		EntryID int `json:"entry_id"`
		Count   int `json:"count"`
	}
	err := r.shares.db.ShareComment.Query().
		Where(sharecomment.ShareID(r.Share.ID), sharecomment.EntryIDIn(ids...), r.shown()).
		GroupBy(sharecomment.FieldEntryID).
		Aggregate(ent.Count()).
		Scan(ctx, &counts)
	if err != nil {
		return nil, database.Translate(err)
	}
	for _, c := range counts {
		o := all[c.EntryID]
		o.Comments = c.Count
		all[c.EntryID] = o
	}
	return all, nil
}

// reviewed is a query for the pictures of a link with feedback. It selects their entries and the number of
// each kind of feedback.
const reviewed = `SELECT f.entry_id, f.picked, f.rejected, f.rated, f.stars, f.comments FROM (
  SELECT entry_id, sum(picked) AS picked, sum(rejected) AS rejected, sum(rated) AS rated, sum(stars) AS stars,
    sum(comments) AS comments FROM (
      SELECT entry_id, CASE WHEN choice = 'picked' THEN 1 ELSE 0 END AS picked,
        CASE WHEN choice = 'rejected' THEN 1 ELSE 0 END AS rejected, CASE WHEN rating > 0 THEN 1 ELSE 0 END AS rated,
        rating AS stars, 0 AS comments
      FROM share_picks WHERE share_id = ? %[1]s
    UNION ALL SELECT entry_id, 0, 0, 0, 0, 1 FROM share_comments WHERE share_id = ? %[1]s) AS each_one
  GROUP BY entry_id) AS f WHERE f.entry_id > ?%[2]s`

// FeedbackFilter selects pictures by their feedback.
type FeedbackFilter string

// The filters. An empty one selects all pictures with feedback.
const (
	Picked    FeedbackFilter = "picked"
	Rejected  FeedbackFilter = "rejected"
	Rated     FeedbackFilter = "rated"
	Commented FeedbackFilter = "commented"
)

// conditions are the conditions of the filters on the columns of reviewed.
var conditions = map[FeedbackFilter]string{
	"": "", Picked: " AND f.picked > 0", Rejected: " AND f.rejected > 0", Rated: " AND f.rated > 0",
	Commented: " AND f.comments > 0",
}

// Reviewed is the feedback on one picture of a link.
type Reviewed struct {
	File     *gallery.File // nil: it is in the trash, or the caller may no longer view it
	Picked   int32         // number of reviewers who picked it
	Rejected int32
	Rating   *float64         // mean of all ratings, 1 to 5; nil: not rated
	Comments int32            // number of comments, including hidden ones
	Picks    []*ent.SharePick // with their reviewers
	entry    int
}

// FeedbackInput selects pictures with feedback.
type FeedbackInput struct {
	Filter   FeedbackFilter
	Reviewer *uuid.UUID // nil: feedback of all reviewers
	First    int        // 1 to 100
	After    string     // cursor of the last picture of the previous page; empty: from the start
}

// Feedback returns a page of the pictures of a link with feedback, sorted by when they were added to the
// library. link must be a result of Share or List.
func (s *Shares) Feedback(ctx context.Context, link *ent.Share, in FeedbackInput) (*database.Page[*Reviewed], error) {
	if err := database.CheckPage(in.First); err != nil {
		return nil, err
	}
	start, err := parseNumber(in.After)
	if err != nil {
		return nil, err
	}
	by, args := "", []any{link.ID, link.ID}
	if in.Reviewer != nil {
		by, args = "AND reviewer_id = ?", []any{link.ID, *in.Reviewer, link.ID, *in.Reviewer}
	}
	text := s.db.Numbered(fmt.Sprintf(reviewed, by, conditions[in.Filter]) + " ORDER BY f.entry_id LIMIT ?")
	type row struct {
		Reviewed
		rated, stars int32
	}
	rows, err := database.Rows(
		ctx, s.db, text, append(args[:len(args):len(args)], start, in.First+1), func(r *row) []any {
			return []any{&r.entry, &r.Picked, &r.Rejected, &r.rated, &r.stars, &r.Comments}
		},
	)
	if err != nil {
		return nil, err
	}
	list := make([]*Reviewed, len(rows))
	for i, r := range rows {
		if r.rated > 0 {
			mean := float64(r.stars) / float64(r.rated)
			r.Rating = &mean
		}
		list[i] = &r.Reviewed
	}
	if err := s.complete(ctx, link, in.Reviewer, list); err != nil {
		return nil, err
	}
	count := func(ctx context.Context, below string, args ...any) (n int, err error) {
		text := "SELECT count(*) FROM (" + fmt.Sprintf(reviewed, by, conditions[in.Filter]) + below + ") AS all_of_them"
		err = database.Row(ctx, s.db, s.db.Numbered(text), args, &n)
		return n, err
	}
	p := database.FirstOf(list, func(r *Reviewed) string { return strconv.Itoa(r.entry) }, in.First)
	p.Count = func(ctx context.Context) (int, error) {
		return count(ctx, "", append(args[:len(args):len(args)], 0)...)
	}
	if in.After == "" {
		return p, nil
	}
	before, err := count(ctx, " AND f.entry_id <= ?", append(args[:len(args):len(args)], 0, start)...)
	p.Before = before > 0
	return p, err
}

// complete adds the files and the picks to a page of pictures with feedback.
func (s *Shares) complete(
	ctx context.Context, row *ent.Share, reviewer *uuid.UUID, list []*Reviewed,
) error {
	ids := make([]int, len(list))
	for i, one := range list {
		ids[i] = one.entry
	}
	files, err := s.gallery.FilesByEntry(ctx, ids)
	if err != nil {
		return err
	}
	query := s.db.SharePick.Query().Where(sharepick.ShareID(row.ID), sharepick.EntryIDIn(ids...))
	if reviewer != nil {
		query.Where(sharepick.ReviewerID(*reviewer))
	}
	picks, err := query.WithReviewer().Order(sharepick.ByID()).All(ctx)
	if err != nil {
		return database.Translate(err)
	}
	by := map[int][]*ent.SharePick{}
	for _, p := range picks {
		by[p.EntryID] = append(by[p.EntryID], p)
	}
	for _, one := range list {
		one.File, one.Picks = files[one.entry], by[one.entry]
	}
	return nil
}

// CommentsInput selects comments on the pictures of a link.
type CommentsInput struct {
	File     *gallery.File // only comments on this picture; nil: on all
	Reviewer *uuid.UUID    // only comments of this reviewer; nil: of all
	First    int           // 1 to 100
	After    string        // cursor of the last comment of the previous page; empty: from the start
}

// Comments returns a page of the comments on the pictures of a link, newest first, with their reviewers. It
// includes hidden comments. row must be a result of Share or List.
func (s *Shares) Comments(
	ctx context.Context, row *ent.Share, in CommentsInput,
) (*database.Page[*ent.ShareComment], error) {
	query := s.db.ShareComment.Query().Where(sharecomment.ShareID(row.ID)).WithReviewer()
	if in.File != nil {
		query.Where(sharecomment.EntryID(in.File.EntryID()))
	}
	if in.Reviewer != nil {
		query.Where(sharecomment.ReviewerID(*in.Reviewer))
	}
	newestComments := oldestComments
	newestComments.Descending = true
	return database.ReadPage(ctx, query, newestComments, in.First, in.After)
}

// CommentFile returns the picture of a comment. It returns nil if the picture is in the trash, or the caller
// may no longer view it.
func (s *Shares) CommentFile(ctx context.Context, row *ent.ShareComment) (*gallery.File, error) {
	files, err := s.gallery.FilesByEntry(ctx, []int{row.EntryID})
	return files[row.EntryID], err
}

// Reviewers returns at most 100 visitors of a link who gave a name, in the order in which they did so.
func (s *Shares) Reviewers(ctx context.Context, row *ent.Share) ([]*ent.ShareReviewer, error) {
	rows, err := s.db.ShareReviewer.Query().
		Where(sharereviewer.ShareID(row.ID)).
		Order(sharereviewer.ByCreatedAt(), sharereviewer.ByID()).
		All(ctx)
	return rows, database.Translate(err)
}

// NewFeedback returns how many comments and picks of a link are newer than the last call of SeeFeedback.
func (s *Shares) NewFeedback(ctx context.Context, row *ent.Share) (int, error) {
	var since time.Time
	if row.FeedbackSeenAt != nil {
		since = *row.FeedbackSeenAt
	}
	comments, err := s.db.ShareComment.Query().
		Where(sharecomment.ShareID(row.ID), sharecomment.CreatedAtGT(since)).
		Count(ctx)
	if err != nil {
		return 0, database.Translate(err)
	}
	picks, err := s.db.SharePick.Query().Where(sharepick.ShareID(row.ID), sharepick.UpdatedAtGT(since)).Count(ctx)
	return comments + picks, database.Translate(err)
}

// allNew is a query for the sum of NewFeedback over all links of an account.
const allNew = `SELECT (
  SELECT count(*) FROM shares JOIN share_comments AS c ON c.share_id = shares.id
    WHERE owner_id = ? AND (feedback_seen_at IS NULL OR c.created_at > feedback_seen_at)) + (
  SELECT count(*) FROM shares JOIN share_picks AS p ON p.share_id = shares.id
    WHERE owner_id = ? AND (feedback_seen_at IS NULL OR p.updated_at > feedback_seen_at))`

// AllNewFeedback returns the sum of NewFeedback over all links of the caller.
func (s *Shares) AllNewFeedback(ctx context.Context) (n int, err error) {
	owner := auth.FromContext(ctx).UserID
	err = database.Row(ctx, s.db, s.db.Numbered(allNew), []any{owner, owner}, &n)
	return n, err
}

// SeeFeedback records that the owner has seen all current feedback. It has no effect for other admins.
func (s *Shares) SeeFeedback(ctx context.Context, id uuid.UUID) (*ent.Share, error) {
	row, err := s.Share(ctx, id)
	if err != nil || row.OwnerID != auth.FromContext(ctx).UserID {
		return row, err
	}
	err = s.db.Transact(ctx, func(tx *ent.Tx) error {
		row, err = tx.Share.UpdateOneID(id).SetFeedbackSeenAt(s.config.Now().UTC()).Save(ctx)
		return database.Missing(err, "the link", "id")
	})
	return row, err
}

func errNoFeedback() error { return fault.New(fault.Forbidden, "the link takes no feedback") }

// ErrNoName is the cause of the error if a visitor without a name gives feedback, or one whom the owner
// removed.
var ErrNoName = errors.New("the visitor has no name")

func errNoName() error {
	return fault.Wrap(ErrNoName, fault.Conflict, "feedback needs a name, expected one by PUT of reviewer")
}

func errNoComment() error { return fault.New(fault.NotFound, "the comment does not exist") }
