package graph

import (
	"context"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/shares"
	"github.com/safelight/safelight/graph/model"
)

// NewFeedback resolves newFeedback.
func (q query) NewFeedback(ctx context.Context) (*int32, error) {
	n, err := q.rules.Shares.AllNewFeedback(ctx)
	if err != nil {
		return nil, err
	}
	c := count(n)
	return &c, nil
}

// FeedbackChanges resolves feedbackChanges.
func (s subscription) FeedbackChanges(ctx context.Context) (<-chan *model.FeedbackChange, error) {
	return events(ctx, s.rules.Gallery.WatchFeedback(ctx), func(id string) *model.FeedbackChange {
		return &model.FeedbackChange{ShareID: optional(id)}
	}), nil
}

// MarkFeedbackSeen resolves markFeedbackSeen.
func (m mutation) MarkFeedbackSeen(ctx context.Context, in model.MarkFeedbackSeenInput) (*model.SharePayload, error) {
	id, err := parseID(in.ID, "id")
	if err != nil {
		return sharePayload(nil, err)
	}
	return sharePayload(m.rules.Shares.SeeFeedback(ctx, id))
}

// HideShareComment resolves hideShareComment.
func (m mutation) HideShareComment(
	ctx context.Context, in model.HideShareCommentInput,
) (*model.ShareCommentPayload, error) {
	p := &model.ShareCommentPayload{}
	id, err := parseID(in.ID, "id")
	if err == nil {
		p.Comment, err = m.rules.Shares.HideComment(ctx, id, in.IsHidden)
	}
	return p, refuse(&p.UserErrors, err)
}

// DeleteShareComment resolves deleteShareComment.
func (m mutation) DeleteShareComment(
	ctx context.Context, in model.DeleteShareCommentInput,
) (*model.DeleteShareCommentPayload, error) {
	id, err := byID(ctx, in.ID, "id", m.rules.Shares.DeleteComment)
	p := &model.DeleteShareCommentPayload{DeletedID: id}
	return p, refuse(&p.UserErrors, err)
}

// DeleteShareReviewer resolves deleteShareReviewer.
func (m mutation) DeleteShareReviewer(
	ctx context.Context, in model.DeleteShareReviewerInput,
) (*model.DeleteShareReviewerPayload, error) {
	id, err := byID(ctx, in.ID, "id", m.rules.Shares.DeleteReviewer)
	p := &model.DeleteShareReviewerPayload{DeletedID: id}
	return p, refuse(&p.UserErrors, err)
}

// NewFeedback resolves Share.newFeedback.
func (r shareFields) NewFeedback(ctx context.Context, s *ent.Share) (int32, error) {
	n, err := r.rules.Shares.NewFeedback(ctx, s)
	return count(n), err
}

// Reviewers resolves Share.reviewers.
func (r shareFields) Reviewers(ctx context.Context, s *ent.Share) ([]*ent.ShareReviewer, error) {
	return r.rules.Shares.Reviewers(ctx, s)
}

// Feedback resolves Share.feedback.
func (r shareFields) Feedback(
	ctx context.Context, s *ent.Share, filter *shares.FeedbackFilter, reviewer *string, first *int32, after *string,
) (*model.ShareFeedbackConnection, error) {
	last, err := reviewCursors.parse(after)
	if err != nil {
		return nil, err
	}
	by, err := parseOptionalID(reviewer, "reviewerId")
	if err != nil {
		return nil, err
	}
	p, err := r.rules.Shares.Feedback(ctx, s, shares.FeedbackInput{
		Filter: value(filter), Reviewer: by, First: sizeOf(first, defaultPage), After: last,
	})
	return connection(p, reviewCursors, err)
}

// Comments resolves Share.comments.
func (r shareFields) Comments(
	ctx context.Context, s *ent.Share, path, reviewer *string, first *int32, after *string,
) (*model.ShareCommentConnection, error) {
	last, err := commentCursors.parse(after)
	if err != nil {
		return nil, err
	}
	by, err := parseOptionalID(reviewer, "reviewerId")
	if err != nil {
		return nil, err
	}
	in := shares.CommentsInput{Reviewer: by, First: sizeOf(first, defaultPage), After: last}
	if path != nil {
		if in.File, err = r.rules.Gallery.File(ctx, *path); err != nil {
			return nil, fault.WithField(err, "path")
		}
	}
	p, err := r.rules.Shares.Comments(ctx, s, in)
	return connection(p, commentCursors, err)
}

type shareComments struct{ rules Rules }

// File resolves ShareComment.file.
func (r shareComments) File(ctx context.Context, c *ent.ShareComment) (*gallery.File, error) {
	return r.rules.Shares.CommentFile(ctx, c)
}

// Reviewer resolves ShareComment.reviewer.
func (shareComments) Reviewer(_ context.Context, c *ent.ShareComment) (*ent.ShareReviewer, error) {
	return c.Edges.Reviewer, nil
}

type sharePicks struct{}

// Reviewer resolves SharePick.reviewer.
func (sharePicks) Reviewer(_ context.Context, p *ent.SharePick) (*ent.ShareReviewer, error) {
	return p.Edges.Reviewer, nil
}

// Rating resolves SharePick.rating.
func (sharePicks) Rating(_ context.Context, p *ent.SharePick) (int32, error) {
	return count(p.Rating), nil
}
