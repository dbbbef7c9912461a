package shares

import (
	"context"

	entsql "entgo.io/ent/dialect/sql"
	"github.com/google/uuid"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/share"
	"github.com/safelight/safelight/ent/sharecomment"
	"github.com/safelight/safelight/ent/sharereviewer"
)

// ownReviewers selects the reviewers of the caller's links, or all reviewers with scope admin.
func ownReviewers(ctx context.Context) func(*entsql.Selector) {
	i := auth.FromContext(ctx)
	if i.Has(auth.ScopeAdmin) {
		return func(*entsql.Selector) {}
	}
	return sharereviewer.HasShareWith(share.OwnerID(i.UserID))
}

// Comment returns a comment, with its reviewer, on a link of the caller, or on any link with scope admin.
// Otherwise it returns fault.NotFound.
func (s *Shares) Comment(ctx context.Context, id uuid.UUID) (*ent.ShareComment, error) {
	row, err := s.db.ShareComment.Query().
		Where(sharecomment.ID(id), sharecomment.HasReviewerWith(ownReviewers(ctx))).
		WithReviewer().
		Only(ctx)
	if err != nil {
		return nil, database.Missing(err, "the comment", "id")
	}
	return row, nil
}

// Reviewer returns a reviewer of a link of the caller, or of any link with scope admin. Otherwise it returns
// fault.NotFound.
func (s *Shares) Reviewer(ctx context.Context, id uuid.UUID) (*ent.ShareReviewer, error) {
	row, err := s.db.ShareReviewer.Query().Where(sharereviewer.ID(id), ownReviewers(ctx)).Only(ctx)
	if err != nil {
		return nil, database.Missing(err, "the visitor", "id")
	}
	return row, nil
}

// HideComment hides a comment from other visitors, or shows it again. It returns the errors of Comment.
func (s *Shares) HideComment(ctx context.Context, id uuid.UUID, hidden bool) (*ent.ShareComment, error) {
	return s.moderate(ctx, id, audit.ActionCommentHide, audit.Facts{"hidden": hidden}, func(tx *ent.Tx) error {
		return tx.ShareComment.UpdateOneID(id).SetIsHidden(hidden).Exec(ctx)
	})
}

// DeleteComment deletes a comment. It returns the errors of Comment.
func (s *Shares) DeleteComment(ctx context.Context, id uuid.UUID) error {
	_, err := s.moderate(ctx, id, audit.ActionCommentDelete, nil, func(tx *ent.Tx) error {
		return tx.ShareComment.DeleteOneID(id).Exec(ctx)
	})
	return err
}

// moderate changes a comment and writes an audit event.
func (s *Shares) moderate(
	ctx context.Context, id uuid.UUID, action audit.Action, after audit.Facts, change func(*ent.Tx) error,
) (*ent.ShareComment, error) {
	row, err := s.Comment(ctx, id)
	if err != nil {
		return nil, err
	}
	err = s.db.Transact(ctx, func(tx *ent.Tx) error {
		if err := change(tx); err != nil {
			return database.Missing(err, "the comment", "id")
		}
		return s.audit.Record(ctx, tx, audit.Event{
			Action: action, Target: target(row.ShareID), After: after,
			Before: audit.Facts{"comment": id.String(), "name": row.Edges.Reviewer.Name},
		})
	})
	if err == nil && after != nil {
		return s.Comment(ctx, id)
	}
	return row, err
}

// DeleteReviewer removes a visitor who gave a name, with all their comments and picks. It returns the errors
// of Reviewer.
func (s *Shares) DeleteReviewer(ctx context.Context, id uuid.UUID) error {
	row, err := s.Reviewer(ctx, id)
	if err != nil {
		return err
	}
	return s.db.Transact(ctx, func(tx *ent.Tx) error {
		if err := tx.ShareReviewer.DeleteOneID(id).Exec(ctx); err != nil {
			return database.Missing(err, "the visitor", "id")
		}
		return s.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionReviewerDelete, Target: target(row.ShareID),
			Before: audit.Facts{"reviewer": id.String(), "name": row.Name},
		})
	})
}
