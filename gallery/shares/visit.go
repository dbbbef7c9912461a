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

// VisitTime is how long a browser that has opened a link needs no password, and makes no new visit.
const VisitTime = 12 * time.Hour

// Visitor is somebody who has opened a link.
type Visitor struct {
	Share  *ent.Share
	Paths  []string // the folder, or the files in their order, as far as the owner may view them now
	Album  *gallery.Album
	shares *Shares
}

// Visit returns the visitor that a key and the token of an open visit stand for, and the context in which they act:
// anonymous, with a scope that holds what is shared, as far as the owner of the link may view it now. For an album, the
// scope is all that its owner may view, and only the methods of Visitor narrow it to the album. fault.NotFound for an
// unknown key, a revoked link, and one whose owner may view nothing of it any more, fault.Expired for one that has
// ended, fault.Unauthenticated if the password is missing.
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

// Open begins a visit, which it counts, or continues the one of token. It returns the visitor as Visit does, and the
// token of the visit. fault.LoginFailed for a wrong password, fault.RateLimited after too many of them.
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

// find returns the link of a key.
func (s *Shares) find(ctx context.Context, key string) (*ent.Share, error) {
	row, err := s.db.Share.Query().Where(share.KeyHash(hash(key))).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, errMissing()
	}
	return row, database.Translate(err)
}

// enter returns a visitor of a link, whose password it does not check, and the context in which they act.
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

// within returns a context with the owner of a link as the caller, whose scope holds what is shared up to a right. What
// an album holds changes with each request: its scope is that of the owner, and Visitor selects from the album.
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
	paths, err := s.paths(ctx, row)
	if err != nil {
		return nil, nil, err
	}
	within, reached, err := s.gallery.Access.Within(ctx, i, paths, limit)
	if err == nil && len(reached) == 0 {
		err = errMissing()
	}
	return auth.WithIdentity(within, i), reached, err
}

// token returns the token of a visit until a time. It ends with the link, and when the password changes.
func (s *Shares) token(row *ent.Share, until time.Time) string {
	text := strconv.FormatInt(until.Unix(), 10)
	return text + "." + s.macs(row, text)[0]
}

// macs returns what authenticates a visit until a time: the first one is the current one.
func (s *Shares) macs(row *ent.Share, until string) []string {
	var list []string
	for _, secret := range s.keys.Derive("visits of share links") {
		mac := hmac.New(sha256.New, []byte(secret))
		fmt.Fprintf(mac, "%s\n%s\n%s\n%s", row.ID, row.KeyHash, row.PasswordHash, until)
		list = append(list, base64.RawURLEncoding.EncodeToString(mac.Sum(nil)))
	}
	return list
}

// isOpen reports whether a token belongs to a visit of the link that has not ended.
func (s *Shares) isOpen(row *ent.Share, token string) bool {
	until, mac, _ := strings.Cut(token, ".")
	seconds, err := strconv.ParseInt(until, 10, 64)
	if err != nil || s.config.Now().Unix() >= seconds {
		return false
	}
	return slices.ContainsFunc(s.macs(row, until), func(m string) bool { return hmac.Equal([]byte(m), []byte(mac)) })
}

// maxVisits is how many visits of a link are counted a minute. Each is two writes, and whoever has the link can make as
// many as they like. Nobody is refused: that would keep others out.
const maxVisits = 100

// minute counts what happens in the current minute by id. It is safe for concurrent use.
type minute struct {
	mu    sync.Mutex
	start time.Time
	of    map[uuid.UUID]int
}

// take reports whether id has happened at most that often in this minute, this time included.
func (m *minute) take(id uuid.UUID, now time.Time, most int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if start := now.Truncate(time.Minute); !start.Equal(m.start) {
		m.start, m.of = start, map[uuid.UUID]int{}
	}
	m.of[id]++
	return m.of[id] <= most
}

// count counts a visit and writes the event for webhooks. The first one of a day deletes the days that are not shown
// any more.
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

// folder returns the path of a folder by its path within the shared one; empty if the link leads to no folder.
// fault.NotFound if there can be no such folder.
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

// pictures returns a page of the pictures of the album, or of a folder, and of those below it if recursive.
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
	Next  string // cursor of the next page; empty: this is the last one
}

// Files returns a page of the pictures of a folder, which is named by its path within the shared one, or of the shared
// files. ctx is that of Visit, as for the other methods.
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

// next sets the cursor of the next page of a connection.
func next[T any](ctx context.Context, c *gallery.Connection[T], to *string) error {
	info, err := c.PageInfo(ctx)
	if err == nil && info.HasNextPage {
		*to = *info.EndCursor
	}
	return err
}

// chosen is Files of chosen files. Its cursors are positions.
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

// Same reports whether a visitor of a later request of the same link may still see what this one selected.
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

// Folders returns a page of the folders in a folder, which is named by its path within the shared one.
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

// Inside returns the path of a folder within the shared one.
func (v *Visitor) Inside(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, v.Paths[0]), "/")
}

// Count returns how many pictures a folder and those below it have, or how many of the chosen ones there are, or the
// album has.
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

// File returns a shared picture by its ID; fault.NotFound for every other file.
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

// shows reports whether visitors see a file that the scope of the link has, but for that of an album.
func (v *Visitor) shows(f *gallery.File) bool {
	return f.ShownToVisitors() && (v.Share.Kind != share.KindFiles || slices.Contains(v.Paths, f.Path()))
}

// among returns those of the entries that are shared pictures, in their order.
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

// Cover returns the cover of the album, or else the first picture; fault.NotFound if there is none.
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

// Selection returns the paths of everything in a folder, which is named by its path within the shared one, or of the
// shared files: for an archive. fault.TooLarge for a smart album of too many files.
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

// Left returns how many bytes visitors may still add, beside those that they are adding; 0 if they may not.
func (v *Visitor) Left() int64 { return max(0, v.Share.UploadQuota-v.Share.Uploaded) }
