package shares

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/share"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/storage"
)

// Uploader is Visit for a visitor who adds files. They act for the owner, whose quotas apply, but only in the
// shared folder. It returns fault.Forbidden if visitors may not add files, or if the owner no longer may.
func (s *Shares) Uploader(ctx context.Context, key, token string) (within context.Context, v *Visitor, err error) {
	if _, v, err = s.Visit(ctx, key, token); err != nil {
		return nil, nil, err
	}
	if v.Share.UploadQuota <= 0 || v.Share.Kind != share.KindFolder {
		return nil, nil, errNoUploads()
	}
	if within, _, err = s.within(ctx, v.Share, access.Edit); err != nil {
		return nil, nil, err
	}
	scope, err := s.gallery.Access.Scope(within)
	if err == nil && scope.On(v.Paths[0]) < access.Edit {
		err = fault.New(fault.Forbidden, "the owner of this link may not add files to the folder any more")
	}
	return within, v, err
}

func errNoUploads() error {
	return fault.New(fault.Forbidden, "visitors of this link may not add files")
}

// maxDepth is the maximum depth of folders that visitors can add files to. Each upload creates missing
// folders.
const maxDepth = 20

// NewFile returns the path of a file that a visitor adds to a folder. inside is the folder's path within the
// shared folder. It returns fault.Invalid for a name that would change how surrounding text is displayed, and
// for a folder that is too deep.
func (v *Visitor) NewFile(inside, name string) (path string, err error) {
	folder, err := v.folder(inside)
	if err != nil {
		return "", err
	}
	k, err := gallery.ParseVisible(name, "name")
	switch {
	case err != nil:
		return "", err
	case strings.Count(inside, "/") >= maxDepth:
		depth := strings.Count(inside, "/") + 1
		return "", fault.OnField(fault.Invalid, "folder", "the folder is %d deep, expected at most %d", depth, maxDepth)
	case !gallery.IsText(name, len(name), ""):
		return "", fault.OnField(
			fault.Invalid, "name", "the name has control characters, or ones that change the direction of text, expected none",
		)
	case k.Parent() != "" || strings.HasSuffix(name, "/"):
		return "", fault.OnField(fault.Invalid, "name", "the name contains a slash, expected the name of a file")
	case !v.shares.gallery.ShownToVisitors(k):
		return "", fault.OnField(fault.UnsupportedType, "name", "%s does not end like a picture", k)
	}
	return string(folder.Join(string(k))), nil
}

// CheckUpload implements uploads.Links. It returns fault.NotFound if the link was revoked, fault.Forbidden if
// visitors may not add files, and fault.TooLarge beyond the quota.
func (s *Shares) CheckUpload(ctx context.Context, tx *ent.Tx, id uuid.UUID, bytes int64) error {
	row, err := tx.Share.Get(ctx, id)
	switch {
	case ent.IsNotFound(err):
		return errMissing()
	case err != nil:
		return err
	case row.UploadQuota <= 0:
		return errNoUploads()
	case bytes > row.UploadQuota-row.Uploaded:
		return fault.New(
			fault.TooLarge, "visitors would add %d bytes, expected at most %d, which the link still takes",
			bytes, max(0, row.UploadQuota-row.Uploaded),
		)
	}
	return nil
}

// CountUpload implements uploads.Links. It ignores a link that was revoked in the meantime, because the file
// already exists.
func (s *Shares) CountUpload(ctx context.Context, tx *ent.Tx, id uuid.UUID, path storage.Key, bytes int64) error {
	if _, err := tx.Share.Update().Where(share.ID(id)).AddUploaded(bytes).Save(ctx); err != nil {
		return err
	}
	return s.audit.Record(ctx, tx, audit.Event{
		Action: audit.ActionShareUpload, Target: target(id), After: audit.Facts{"path": string(path), "size": bytes},
	})
}
