package graph

import (
	"context"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/shares"
	"github.com/safelight/safelight/graph/model"
)

// Shares resolves shares.
func (q query) Shares(
	ctx context.Context, path, albumID *string, all bool, first *int32, after *string,
) (*model.ShareConnection, error) {
	last, err := shareCursors.parse(after)
	if err != nil {
		return nil, err
	}
	album, err := parseOptionalID(albumID, "albumId")
	if err != nil {
		return nil, err
	}
	p, err := q.rules.Shares.List(ctx, shares.ListInput{
		Path: path, Album: album, All: all, First: sizeOf(first, defaultPage), After: last,
	})
	return connection(p, shareCursors, err)
}

// CreateShare resolves createShare.
func (m mutation) CreateShare(ctx context.Context, in model.CreateShareInput) (*model.SharePayload, error) {
	album, err := parseOptionalID(in.AlbumID.Value(), "albumId")
	if err != nil {
		return sharePayload(nil, err)
	}
	return sharePayload(m.rules.Shares.Create(ctx, shares.CreateInput{
		Paths: in.Paths, Album: album, Name: value(in.Name.Value()), Password: value(in.Password.Value()),
		ExpiresAt: in.ExpiresAt.Value(), Downloads: in.Downloads, UploadQuota: in.UploadQuotaBytes,
		Watermark: value(in.Watermark.Value()), AllowFeedback: in.AllowFeedback,
	}))
}

// UpdateShare resolves updateShare.
func (m mutation) UpdateShare(ctx context.Context, in model.UpdateShareInput) (*model.SharePayload, error) {
	id, err := parseID(in.ID, "id")
	if err != nil {
		return sharePayload(nil, err)
	}
	c := shares.UpdateInput{
		Name: in.Name.Value(), Downloads: in.Downloads.Value(), UploadQuota: in.UploadQuotaBytes.Value(),
		AllowFeedback: in.AllowFeedback.Value(),
	}
	if in.ExpiresAt.IsSet() {
		at := in.ExpiresAt.Value()
		c.ExpiresAt = &at
	}
	if in.Password.IsSet() {
		password := value(in.Password.Value())
		c.Password = &password
	}
	if in.Watermark.IsSet() {
		watermark := value(in.Watermark.Value())
		c.Watermark = &watermark
	}
	return sharePayload(m.rules.Shares.Update(ctx, id, c))
}

func sharePayload(s *ent.Share, err error) (*model.SharePayload, error) {
	if err != nil {
		s = nil
	}
	p := &model.SharePayload{Share: s}
	return p, refuse(&p.UserErrors, err)
}

// DeleteShare resolves deleteShare.
func (m mutation) DeleteShare(ctx context.Context, in model.DeleteShareInput) (*model.DeleteSharePayload, error) {
	id, err := byID(ctx, in.ID, "id", m.rules.Shares.Delete)
	p := &model.DeleteSharePayload{DeletedID: id}
	return p, refuse(&p.UserErrors, err)
}

type shareFields struct{ rules Rules }

// URL resolves Share.url.
func (r shareFields) URL(_ context.Context, s *ent.Share) (*string, error) {
	return r.rules.Shares.URL(s), nil
}

// Paths resolves Share.paths.
func (r shareFields) Paths(ctx context.Context, s *ent.Share) ([]string, error) {
	return r.rules.Shares.Paths(ctx, s)
}

// Album resolves Share.album.
func (r shareFields) Album(ctx context.Context, s *ent.Share) (*gallery.Album, error) {
	return r.rules.Shares.Album(ctx, s)
}

// Owner resolves Share.owner.
func (r shareFields) Owner(ctx context.Context, s *ent.Share) (*ent.User, error) {
	return r.rules.Shares.Owner(ctx, s)
}

// HasPassword resolves Share.hasPassword.
func (shareFields) HasPassword(_ context.Context, s *ent.Share) (bool, error) {
	return s.PasswordHash != "", nil
}

// IsActive resolves Share.isActive.
func (r shareFields) IsActive(ctx context.Context, s *ent.Share) (bool, error) {
	return r.rules.Shares.IsActive(ctx, s)
}

// Watermark resolves Share.watermark.
func (shareFields) Watermark(_ context.Context, s *ent.Share) (*string, error) {
	return optional(s.Watermark), nil
}

// VisitsByDay resolves Share.visitsByDay.
func (r shareFields) VisitsByDay(ctx context.Context, s *ent.Share) ([]*ent.ShareDay, error) {
	return r.rules.Shares.Days(ctx, s)
}

type shareVisits struct{}

// Visits resolves ShareVisits.visits.
func (shareVisits) Visits(_ context.Context, d *ent.ShareDay) (int32, error) {
	return count(d.Visits), nil
}
