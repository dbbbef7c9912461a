package shares

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/share"
	"github.com/safelight/safelight/ent/shareday"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/webhooks/outbox"
)

// VisitTime is the duration of a visit. During this time, the browser needs no password, and opening the link
// again does not count as a new visit.
const VisitTime = 12 * time.Hour

// Visitor is somebody who has opened a link.
type Visitor struct {
	Share  *ent.Share
	Paths  []string // the folder, or the files in their order, that the owner may currently view
	Album  *gallery.Album
	shares *Shares
}

// Visit returns the visitor for the key of a link and the token of an open visit, and the context in which
// the visitor acts. The context is anonymous. Its scope is the shared content that the owner of the link may
// currently view. For an album, the scope is everything that the owner may view; only the methods of Visitor
// restrict it to the album.
//
// It returns fault.NotFound for an unknown key, a revoked link, and a link whose owner may no longer view any
// of its content, fault.Expired for an expired link, and fault.Unauthenticated if the password is missing.
func (s *Shares) Visit(ctx context.Context, key, token string) (context.Context, *Visitor, error) {
	row, err := s.find(ctx, key)
	if err != nil {
		return nil, nil, err
	}
	within, v, err := s.enter(ctx, row)
	if err != nil {
		return nil, nil, err
	}
	if row.PasswordHash != "" && !s.isOpen(row, token) {
		return nil, nil, fault.Wrap(errNoPassword, fault.Unauthenticated, "the link needs its password")
	}
	return within, v, nil
}

// Open starts a visit and counts it, or continues the visit of token. It returns the visitor as Visit does,
// and the token of the visit. It returns fault.LoginFailed for a wrong password, and fault.RateLimited after
// too many wrong passwords.
func (s *Shares) Open(
	ctx context.Context, key, token, password string,
) (within context.Context, v *Visitor, visit string, err error) {
	row, err := s.find(ctx, key)
	if err != nil {
		return nil, nil, "", err
	}
	if within, v, err = s.enter(ctx, row); err != nil {
		return nil, nil, "", err
	}
	if s.isOpen(row, token) {
		return within, v, token, nil
	}
	if row.PasswordHash != "" {
		if password == "" {
			return nil, nil, "", fault.Wrap(errNoPassword, fault.Unauthenticated, "the link needs its password")
		}
		ok, err := s.accounts.CheckPassword(ctx, target(row.ID), row.PasswordHash, password)
		if err == nil && !ok {
			err = fault.New(fault.LoginFailed, "the password of the link is wrong")
		}
		if err != nil {
			return nil, nil, "", err
		}
	}
	if s.visits.take(row.ID, s.config.Now(), maxVisits) {
		if err := s.count(ctx, v); err != nil && !database.IsMoving(err) {
			return nil, nil, "", err
		}
	}
	return within, v, s.token(row, s.config.Now().Add(VisitTime)), nil
}

// find returns the link with a key.
func (s *Shares) find(ctx context.Context, key string) (*ent.Share, error) {
	row, err := s.db.Share.Query().Where(share.KeyHash(hash(key))).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, errMissing()
	}
	return row, database.Translate(err)
}

// enter returns a visitor of a link and the context in which they act. It does not check the password.
func (s *Shares) enter(ctx context.Context, row *ent.Share) (context.Context, *Visitor, error) {
	v := &Visitor{Share: row, shares: s}
	within, paths, err := s.within(ctx, row, access.View)
	if err != nil {
		return nil, nil, err
	}
	if row.Kind == share.KindAlbum {
		if v.Album, err = s.Album(within, row); err == nil && v.Album == nil {
			err = errMissing()
		}
		if err != nil {
			return nil, nil, err
		}
	}
	within = auth.WithIdentity(within, auth.Identity{})
	if row.Kind == share.KindFolder {
		if _, err := s.gallery.Folder(within, paths[0]); fault.CodeOf(err) == fault.NotFound {
			return nil, nil, errMissing()
		} else if err != nil {
			return nil, nil, err
		}
	}
	v.Paths = paths
	return within, v, nil
}

// within returns a context with the owner of a link as the caller. Its scope is the shared content, limited
// to a right. The content of an album can change with each request, so its scope is that of the owner, and
// Visitor selects the files of the album.
func (s *Shares) within(ctx context.Context, row *ent.Share, limit access.Right) (context.Context, []string, error) {
	if row.ExpiresAt != nil && !s.config.Now().Before(*row.ExpiresAt) {
		return nil, nil, errEnded(row)
	}
	owner, err := s.accounts.User(ctx, row.OwnerID)
	if err == nil && !owner.IsActive || fault.CodeOf(err) == fault.NotFound {
		err = errMissing()
	}
	if err != nil {
		return nil, nil, err
	}
	role := auth.Role(owner.Role)
	i := auth.Identity{UserID: owner.ID, Name: owner.Username, Role: role, Scopes: role.Scopes(),
		TokenID: target(row.ID)}
	if row.Kind == share.KindAlbum {
		within, err := s.gallery.Access.As(ctx, i, min(limit, access.View))
		if err != nil {
			return nil, nil, err
		}
		return auth.WithIdentity(within, i), nil, nil
	}
	paths, err := pathsOf(ctx, s.db.Client, row)
	if err != nil {
		return nil, nil, err
	}
	within, reached, err := s.gallery.Access.Within(ctx, i, paths, limit)
	if err == nil && len(reached) == 0 {
		err = errMissing()
	}
	return auth.WithIdentity(within, i), reached, err
}

// token returns a token of a visit that is valid until a time. It also becomes invalid with the link, and
// when the password changes.
func (s *Shares) token(row *ent.Share, until time.Time) string {
	text := strconv.FormatInt(until.Unix(), 10)
	return text + "." + s.macs(row, text)[0]
}

// macs returns the MACs that authenticate a visit until a time. The first one is the current one.
func (s *Shares) macs(row *ent.Share, until string) []string {
	var list []string
	for _, secret := range s.keys.Derive("visits of share links") {
		mac := hmac.New(sha256.New, []byte(secret))
		fmt.Fprintf(mac, "%s\n%s\n%s\n%s", row.ID, row.KeyHash, row.PasswordHash, until)
		list = append(list, base64.RawURLEncoding.EncodeToString(mac.Sum(nil)))
	}
	return list
}

// isOpen reports whether a token belongs to a current visit of the link.
func (s *Shares) isOpen(row *ent.Share, token string) bool {
	until, mac, _ := strings.Cut(token, ".")
	seconds, err := strconv.ParseInt(until, 10, 64)
	if err != nil || s.config.Now().Unix() >= seconds {
		return false
	}
	return slices.ContainsFunc(s.macs(row, until), func(m string) bool { return hmac.Equal([]byte(m), []byte(mac)) })
}

// maxVisits is how many visits of a link are counted per minute. Counting a visit takes two writes, and
// anyone who has the link can make any number of visits. Further visits are not rejected, because that would
// lock out other visitors.
const maxVisits = 100

// minute counts events by id in the current minute. It is safe for concurrent use.
type minute struct {
	mu    sync.Mutex
	start time.Time
	of    map[uuid.UUID]int
}

// take counts an event of id, and reports whether there were at most most events of id in the current minute.
func (m *minute) take(id uuid.UUID, now time.Time, most int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if start := now.Truncate(time.Minute); !start.Equal(m.start) {
		m.start, m.of = start, map[uuid.UUID]int{}
	}
	m.of[id]++
	return m.of[id] <= most
}

// count counts a visit and writes the event for webhooks. The first visit of a day deletes the counts of days
// that are no longer shown.
func (s *Shares) count(ctx context.Context, v *Visitor) error {
	row := v.Share
	now := s.config.Now().UTC()
	today := now.Format(time.DateOnly)
	return s.db.Transact(ctx, func(tx *ent.Tx) error {
		err := tx.Share.UpdateOneID(row.ID).AddVisits(1).SetLastVisitAt(now).Exec(ctx)
		if ent.IsNotFound(err) {
			return errMissing()
		}
		if err != nil {
			return err
		}
		if row.LastVisitAt != nil && row.LastVisitAt.UTC().Format(time.DateOnly) != today {
			_, err := tx.ShareDay.Delete().Where(shareday.ShareID(row.ID), shareday.DayLT(firstDay(now))).Exec(ctx)
			if err != nil {
				return err
			}
		}
		_, err = tx.Client().ExecContext(
			ctx, s.db.Numbered("INSERT INTO share_days (share_id, day, visits) VALUES (?, ?, 1) "+
				"ON CONFLICT (share_id, day) DO UPDATE SET visits = share_days.visits + 1"),
			row.ID, today,
		)
		if err != nil {
			return err
		}
		return s.config.Outbox.Emit(ctx, tx.Client(), outbox.Event{
			Type: outbox.ShareOpened, Source: target(row.ID), Locks: true, Paths: v.Paths,
			Data: map[string]any{"actor": nil, "share": row.ID.String(), "name": row.Name},
		})
	})
}

// folder converts a path within the shared folder to the path of the folder. It returns an empty path if the
// link does not lead to a folder, and fault.NotFound if there cannot be such a folder.
func (v *Visitor) folder(inside string) (storage.Key, error) {
	k, err := storage.ParseKey(inside)
	if err != nil {
		return "", fault.WithField(err, "folder")
	}
	switch isFolder := v.Share.Kind == share.KindFolder; {
	case !isFolder && k != "" || k.IsHidden():
		return "", fault.OnField(fault.NotFound, "folder", "the folder does not exist")
	case !isFolder:
		return "", nil
	case k == "":
		return storage.Key(v.Paths[0]), nil
	}
	return storage.Key(v.Paths[0]).Join(string(k)), nil
}

// pictures returns a page of the pictures of the album or folder. If recursive is set, it includes
// subfolders.
func (v *Visitor) pictures(
	ctx context.Context, folder storage.Key, recursive bool, after string, first int,
) (*gallery.FileConnection, error) {
	size := int32(first)
	if v.Album != nil {
		return v.Album.Files(ctx, gallery.AlbumPage{First: &size, After: after, Pictures: true})
	}
	return v.shares.gallery.Files(ctx, gallery.BrowseOptions{
		Folder: string(folder), Recursive: recursive, Filter: gallery.Pictures(), First: &size, After: after,
	})
}

// Page is a page of pictures or folders.
type Page[T any] struct {
	Items []T
	Next  string // cursor of the next page; empty: this is the last page
}

// Files returns a page of the pictures of a folder or of the shared files. inside is the folder's path within
// the shared folder. ctx must be the context of Visit, as for the other methods.
func (v *Visitor) Files(ctx context.Context, inside, after string, first int) (*Page[*gallery.File], error) {
	folder, err := v.folder(inside)
	if err != nil {
		return nil, err
	}
	if v.Share.Kind == share.KindFiles {
		return v.chosen(ctx, after, first)
	}
	c, err := v.pictures(ctx, folder, false, after, first)
	if err != nil {
		return nil, err
	}
	p := &Page[*gallery.File]{Items: slices.DeleteFunc(c.Nodes(), isNotShown)}
	return p, next(ctx, c, &p.Next)
}

func isNotShown(f *gallery.File) bool { return !f.ShownToVisitors() }

// next sets the cursor of the page after a connection.
func next[T any](ctx context.Context, c *gallery.Connection[T], to *string) error {
	info, err := c.PageInfo(ctx)
	if err == nil && info.HasNextPage {
		*to = *info.EndCursor
	}
	return err
}

// chosen is Files for individually shared files. Its cursors are positions.
func (v *Visitor) chosen(ctx context.Context, after string, first int) (*Page[*gallery.File], error) {
	if err := database.CheckPage(first); err != nil {
		return nil, err
	}
	start, err := parseNumber(after)
	if err != nil {
		return nil, err
	}
	start = min(start, len(v.Paths))
	end := min(start+first, len(v.Paths))
	files, err := v.shares.gallery.FilesAt(ctx, v.Paths[start:end])
	if err != nil {
		return nil, err
	}
	p := &Page[*gallery.File]{Items: slices.DeleteFunc(files, isNotShown)}
	if end < len(v.Paths) {
		p.Next = strconv.Itoa(end)
	}
	return p, nil
}

// Same reports whether a visitor from a later request of the same link may still see what this visitor
// selected.
func (v *Visitor) Same(ctx context.Context, later *Visitor, laterCtx context.Context) (bool, error) {
	if v.Share.Downloads != later.Share.Downloads || v.Share.Watermark != later.Share.Watermark ||
		!slices.Equal(v.Paths, later.Paths) {
		return false, nil
	}
	if v.Album == nil {
		return true, nil
	}
	before, err := v.shares.gallery.Access.Scope(ctx)
	if err != nil {
		return false, err
	}
	now, err := v.shares.gallery.Access.Scope(laterCtx)
	return v.Album.UpdatedAt().Equal(later.Album.UpdatedAt()) && now.Equal(before), err
}

// Folders returns a page of the subfolders of a folder. inside is the folder's path within the shared folder.
func (v *Visitor) Folders(ctx context.Context, inside, after string, first int) (*Page[*gallery.Folder], error) {
	folder, err := v.folder(inside)
	if err != nil || v.Share.Kind != share.KindFolder {
		return &Page[*gallery.Folder]{}, err
	}
	size := int32(first)
	c, err := v.shares.gallery.Folders(ctx, gallery.BrowseOptions{Folder: string(folder), First: &size, After: after})
	if err != nil {
		return nil, err
	}
	p := &Page[*gallery.Folder]{Items: c.Nodes()}
	return p, next(ctx, c, &p.Next)
}

// Inside converts the path of a folder to its path within the shared folder.
func (v *Visitor) Inside(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, v.Paths[0]), "/")
}

// Count returns the number of pictures in a folder and its subfolders, of individually shared pictures, or of
// pictures in the album.
func (v *Visitor) Count(ctx context.Context, inside string) (int, error) {
	if v.Share.Kind == share.KindFiles {
		files, err := v.shares.gallery.FilesAt(ctx, v.Paths)
		return len(slices.DeleteFunc(files, isNotShown)), err
	}
	folder, err := v.folder(inside)
	if err != nil {
		return 0, err
	}
	c, err := v.pictures(ctx, folder, true, "", 1)
	if err != nil {
		return 0, err
	}
	n, err := c.TotalCount(ctx, true)
	if err != nil || n == nil {
		return 0, err
	}
	return int(*n), nil
}

// File returns a shared picture by its ID. It returns fault.NotFound for other files.
func (v *Visitor) File(ctx context.Context, id string) (*gallery.File, error) {
	missing := fault.New(fault.NotFound, "the picture does not exist")
	entry, ok := v.entryOf(id)
	if !ok {
		return nil, missing
	}
	node, err := v.shares.gallery.NodeByID(ctx, gallery.FileID(entry))
	if fault.CodeOf(err) == fault.NotFound {
		return nil, missing
	}
	if err != nil {
		return nil, err
	}
	f, isFile := node.(*gallery.File)
	if !isFile || !v.shows(f) {
		return nil, missing
	}
	if v.Album == nil {
		return f, nil
	}
	if has, err := v.Album.Has(ctx, f); err != nil || !has {
		return nil, cmp.Or(err, error(missing))
	}
	return f, nil
}

// shows reports whether visitors see a file in the scope of the link. It does not check whether the file is
// in the album.
func (v *Visitor) shows(f *gallery.File) bool {
	return f.ShownToVisitors() && (v.Share.Kind != share.KindFiles || slices.Contains(v.Paths, f.Path()))
}

// among returns those of the entries that are shared pictures, in the same order.
func (v *Visitor) among(ctx context.Context, entries []int) ([]*gallery.File, error) {
	found, err := v.shares.gallery.FilesByEntry(ctx, entries)
	if err != nil {
		return nil, err
	}
	inAlbum := map[int]bool{}
	if v.Album != nil {
		if inAlbum, err = v.Album.Among(ctx, entries); err != nil {
			return nil, err
		}
	}
	var list []*gallery.File
	for _, id := range entries {
		if f := found[id]; f != nil && v.shows(f) && (v.Album == nil || inAlbum[id]) {
			list = append(list, f)
		}
	}
	return list, nil
}

// Cover returns the cover of the album or, without one, the first picture. It returns fault.NotFound if there
// is no picture.
func (v *Visitor) Cover(ctx context.Context) (*gallery.File, error) {
	if v.Album != nil {
		if f, err := v.Album.Cover(ctx); err != nil || f != nil && f.ShownToVisitors() {
			return f, err
		}
	}
	p, err := v.Files(ctx, "", "", 1)
	if err == nil && len(p.Items) == 0 && v.Share.Kind == share.KindFolder {
		var c *gallery.FileConnection
		if c, err = v.pictures(ctx, storage.Key(v.Paths[0]), true, "", 1); err == nil {
			p.Items = c.Nodes()
		}
	}
	if err != nil {
		return nil, err
	}
	if len(p.Items) == 0 || !p.Items[0].ShownToVisitors() {
		return nil, fault.New(fault.NotFound, "there is no picture")
	}
	return p.Items[0], nil
}

// Selection returns the paths of the shared files or of everything in a folder, for an archive. inside is the
// folder's path within the shared folder. It returns fault.TooLarge for a smart album with too many files.
func (v *Visitor) Selection(ctx context.Context, inside string) ([]string, error) {
	folder, err := v.folder(inside)
	if err == nil && v.Album != nil {
		return v.Album.Paths(ctx)
	}
	if err != nil || v.Share.Kind == share.KindFiles {
		return v.Paths, err
	}
	_, err = v.shares.gallery.Folder(ctx, string(folder))
	return []string{string(folder)}, err
}

// Left returns how many more bytes visitors may upload. It does not subtract uploads in progress. It is 0 if they may
// not upload.
func (v *Visitor) Left() int64 { return max(0, v.Share.UploadQuota-v.Share.Uploaded) }
