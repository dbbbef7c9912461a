package gallery

import (
	"context"
	"strings"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/intents"
	"github.com/safelight/safelight/storage"
)

// folder returns the row of a folder whose entries are in sync with the storage. It reads the folder if it
// has changed. It returns fault.NotFound if the storage has no such folder.
func (x *index) folder(ctx context.Context, k storage.Key) (*ent.Entry, error) {
	if isPrivate(k) {
		return nil, fault.OnField(fault.NotFound, "path", "%s does not exist", k)
	}
	row, err := x.db.Entry.Query().Where(entry.Path(string(k)), entry.Kind(kindFolder)).Only(ctx)
	if err != nil && !ent.IsNotFound(err) {
		return nil, database.Translate(err)
	}
	if err == nil && row.Synced > 0 {
		w, ok := storage.WatchedAt(x.store, k)
		if !ok {
			return row, nil
		}
		version, err := w.FolderVersion(ctx, k)
		if err == nil && version != "" && version == row.Version {
			return row, nil
		}
		if err != nil && !isMissing(err) {
			return nil, err
		}
	}
	synced, err := x.syncFolder(ctx, k)
	if row != nil && row.Synced > 0 && database.IsMoving(err) {
		return row, nil // reads keep working during a database move, without an update of the index
	}
	return synced, err
}

// reading is the content of a folder in the storage, compared with its rows.
type reading struct {
	key     storage.Key
	row     *ent.Entry // of the folder; nil if it has no row yet
	entries []storage.Stat
	difference
	watched bool
	version string // version of the folder before it was read
	began   int64  // start of reading, in Unix ns
	changes int64  // value of index.changes before reading
}

// current reports whether the rows already match the storage.
func (r *reading) current() bool {
	return r.watched && r.empty() && !r.arriving && r.row != nil && r.row.Synced > 0
}

// syncFolder reads a folder of the storage and updates its rows. It returns the row of the folder itself.
func (x *index) syncFolder(ctx context.Context, k storage.Key) (*ent.Entry, error) {
	r, err := x.read(ctx, k)
	if err != nil {
		return nil, err
	}
	if r.current() {
		return r.row, x.markSynced(ctx, r)
	}
	err = x.write(ctx, r)
	return r.row, err
}

// read reads a folder of the storage. If the folder does not exist, it removes its rows and returns
// fault.NotFound.
func (x *index) read(ctx context.Context, k storage.Key) (*reading, error) {
	r := &reading{key: k, changes: x.changes.Load(), began: x.now().UnixNano()}
	w, watched := storage.WatchedAt(x.store, k)
	if r.watched = watched; watched {
		r.version, _ = w.FolderVersion(ctx, k) // ignore the error, because the listing reports errors better
	}
	entries, sidecars, err := x.readFolder(ctx, k)
	if isMissing(err) {
		return nil, x.removeMissing(ctx, k, err)
	}
	if err != nil {
		return nil, err
	}
	r.entries = entries
	r.difference, r.row, err = x.compare(ctx, k, entries, sidecars || watched)
	if err == nil && len(r.gone) > 0 && k == storage.MountOf(x.store, k).Name {
		err = x.checkEmptied(ctx, k)
	}
	return r, err
}

// write updates the rows of the folders in readings, in one transaction, and sets the folders' own rows in
// readings. The storage is read before the transaction, which blocks all other writers on SQLite.
func (x *index) write(ctx context.Context, readings ...*reading) error {
	var folders, changed []storage.Key
	for _, r := range readings {
		folders, changed = append(folders, r.key), append(changed, r.keys()...)
	}
	err := x.db.TransactMany(ctx, func(tx *ent.Tx) error {
		if err := x.lockFolders(ctx, tx.Client(), folders...); err != nil {
			return err
		}
		for _, r := range readings {
			if err := x.writeFolder(ctx, tx.Client(), r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	x.publish(changed...)
	for _, r := range readings {
		if err := x.checkWritten(ctx, r.key, r.difference, r.changes); err != nil {
			return err
		}
	}
	return nil
}

// checkStill removes the row of an entry if the storage no longer has the entry, and then returns
// fault.NotFound. This covers an entry that was removed between being read and its row being written, when
// the remover found no row to delete. Whoever removes the entry later also removes its row.
func (x *index) checkStill(ctx context.Context, k storage.Key) error {
	_, err := x.store.Stat(ctx, k)
	if isMissing(err) {
		return x.removeMissing(ctx, k, err)
	}
	return err
}

// checkWritten calls checkStill for the written rows of a folder, if this process has changed the storage
// since the folder was read, when x.changes was before. It does not cover changes by other servers, or
// buckets, where each check costs a request. The next read of the folder handles these.
func (x *index) checkWritten(ctx context.Context, folder storage.Key, written difference, before int64) error {
	if _, watched := storage.WatchedAt(x.store, folder); !watched || x.changes.Load() == before {
		return nil
	}
	for _, f := range written.changed {
		if err := x.checkStill(ctx, f.Key); err != nil && !isMissing(err) {
			return err
		}
	}
	return nil
}

// writeFolder does the work of write for one folder, in a transaction that holds its lock.
func (x *index) writeFolder(ctx context.Context, db *ent.Client, r *reading) error {
	id, err := x.folderID(ctx, db, r.key)
	if err != nil {
		return err
	}
	left, err := x.apply(ctx, db, id, r.difference, r.changes)
	if err != nil {
		return err
	}
	synced := r.began
	if left || r.arriving {
		synced = 0 // read the folder again after the moves
	}
	if !r.watched && x.changes.Load() != r.changes {
		synced = 0 // this process changed the storage while the folder was read: read it again
	}
	r.row, err = db.Entry.UpdateOneID(id).SetVersion(r.version).SetSynced(synced).Save(ctx)
	return err
}

// markSynced records that a folder's rows match the storage, unless they were invalidated since the
// comparison.
func (x *index) markSynced(ctx context.Context, r *reading) error {
	if r.version == "" || r.version == r.row.Version {
		return nil
	}
	return x.db.Transact(ctx, func(tx *ent.Tx) error {
		return tx.Entry.Update().
			Where(entry.ID(r.row.ID), entry.Synced(r.row.Synced)).
			SetVersion(r.version).
			SetSynced(r.began).
			Exec(ctx)
	})
}

// removeTries is how often removeMissing checks a path again while other changes are made.
const removeTries = 5

// removeMissing removes the rows of a path that no longer exists in the storage. It returns missing, the
// error of the storage.
func (x *index) removeMissing(ctx context.Context, k storage.Key, missing error) error {
	for range removeTries {
		if back, err := x.removeIfMissing(ctx, k, missing); !back {
			return err
		}
	}
	return missing // the next read of the folder removes it
}

// removeIfMissing makes one attempt of removeMissing. back reports that it removed nothing because the entry
// may exist again.
func (x *index) removeIfMissing(ctx context.Context, k storage.Key, missing error) (back bool, err error) {
	before := x.changes.Load()
	known, err := x.db.Entry.Query().Where(entry.Path(string(k))).Only(ctx)
	if k == "" || err != nil {
		return false, missing
	}
	if _, err := x.store.Stat(ctx, k); !isMissing(err) {
		return false, missing // the entry exists again, or the storage does not respond
	}
	if err := x.checkEmptied(ctx, k); err != nil {
		return false, err
	}
	removed := false
	err = x.db.Transact(ctx, func(tx *ent.Tx) (err error) {
		removed = false
		if err := x.lockFolders(ctx, tx.Client(), k, k.Parent()); err != nil {
			return err
		}
		if back, err = x.isBack(ctx, known, before); err != nil || back {
			return err
		}
		// The move in progress needs the rows. Without them, the notes of the files would be lost.
		if moving, err := intents.Moving(ctx, tx.Client(), k); err != nil || moving {
			return err
		}
		removed = true
		return x.removeRows(ctx, tx.Client(), k)
	})
	if err != nil {
		return false, err
	}
	if removed {
		x.publish(k)
	}
	return back, missing
}

// isBack reports whether an entry that was missing from the storage may have been moved back since x.changes
// was before. The caller's transaction holds the lock of the folder. On SQLite, a transaction must not wait
// for the storage, so any change by this process counts.
func (x *index) isBack(ctx context.Context, r *ent.Entry, before int64) (bool, error) {
	if !x.db.IsPostgres() {
		return x.changes.Load() != before, nil
	}
	s, err := x.store.Stat(ctx, storage.Key(r.Path))
	if isMissing(err) {
		return false, nil
	}
	return err == nil && s.IsFolder == (r.Kind == kindFolder), err
}

// readFolder lists a folder, without Safelight's own files. sidecars reports whether the folder has sidecars.
func (x *index) readFolder(ctx context.Context, k storage.Key) (list []storage.Stat, sidecars bool, err error) {
	if isPrivate(k) {
		return nil, false, fault.OnField(fault.NotFound, "path", "%s does not exist", k)
	}
	for s, err := range x.store.List(ctx, k, storage.ListOptions{ShowHidden: true}) {
		if err != nil {
			return nil, false, err
		}
		if name := s.Key.Name(); strings.HasPrefix(name, privateName) {
			sidecars = sidecars || name == privateName
			continue
		}
		list = append(list, s)
	}
	return list, sidecars, nil
}

// difference is the set of changes to the rows of one folder.
type difference struct {
	changed []found      // new files and folders, and files with different content
	touched []*ent.Entry // folders with a different modification time, already updated in the row
	gone    []*ent.Entry
	// arriving reports that files were skipped because a copy or move into the folder is in progress.
	arriving bool
}

// keys returns the paths that changed.
func (d difference) keys() (keys []storage.Key) {
	for _, f := range d.changed {
		keys = append(keys, f.Key)
	}
	for _, r := range d.gone {
		keys = append(keys, storage.Key(r.Path))
	}
	return keys
}

// size returns the number of rows to change.
func (d difference) size() int { return len(d.changed) + len(d.touched) + len(d.gone) }

func (d difference) empty() bool { return d.size() == 0 }

// compare returns the difference between a listing and the rows of a folder, and the row of the folder
// itself, or nil if it has none. If sidecars is false, the folder has no sidecars, which saves a bucket a
// request.
func (x *index) compare(
	ctx context.Context,
	k storage.Key,
	list []storage.Stat,
	sidecars bool,
) (d difference, row *ent.Entry, err error) {
	row, err = x.db.Entry.Query().Where(entry.Path(string(k)), entry.Kind(kindFolder)).Only(ctx)
	if err != nil && !ent.IsNotFound(err) {
		return d, nil, database.Translate(err)
	}
	var rows []*ent.Entry
	if row != nil {
		rows, err = x.db.Entry.Query().Where(entry.ParentID(row.ID), entry.PathNEQ("")).
			Select(
				entry.FieldID, entry.FieldPath, entry.FieldKind, entry.FieldEtag,
				entry.FieldModified, entry.FieldSize, entry.FieldSynced,
			).
			All(ctx)
		if err != nil {
			return d, nil, database.Translate(err)
		}
	}
	known := make(map[string]*ent.Entry, len(rows))
	for _, r := range rows {
		known[r.Path] = r
	}
	for _, s := range list {
		old := known[string(s.Key)]
		delete(known, string(s.Key))
		switch {
		case same(old, s):
		case old != nil && old.Kind == kindFolder && s.IsFolder:
			old.Modified = s.Modified.UnixNano()
			d.touched = append(d.touched, old)
		default:
			if old != nil && old.Kind == kindFolder {
				d.gone = append(d.gone, old) // a file replaced the folder
			}
			d.changed = append(d.changed, found{Stat: s})
		}
	}
	settled, err := x.settle(ctx, k, d.changed, sidecars)
	if err != nil {
		return d, row, err
	}
	d.arriving = len(settled) < len(d.changed)
	d.changed = settled
	for _, r := range known {
		// Check again, because the entry may have been created during the listing.
		s, err := x.store.Stat(ctx, storage.Key(r.Path))
		if isMissing(err) || err == nil && s.IsFolder != (r.Kind == kindFolder) {
			d.gone = append(d.gone, r)
		} else if err != nil {
			return d, row, err
		}
	}
	return d, row, nil
}

// apply writes the difference found by a listing that started when x.changes was before. left reports that it
// kept rows of missing entries: of entries that are being moved away, because the move updates their rows,
// and of folders that may exist again.
func (x *index) apply(
	ctx context.Context,
	db *ent.Client,
	folder int,
	d difference,
	before int64,
) (left bool, err error) {
	for _, r := range d.gone {
		moving, err := intents.Moving(ctx, db, storage.Key(r.Path))
		if err != nil {
			return false, err
		}
		if moving {
			left = true
			continue
		}
		if r.Kind == kindFile {
			// Only delete this version: another file may have the name now, or the same file may have been
			// moved back.
			_, err := db.Entry.Delete().
				Where(entry.ID(r.ID), entry.Etag(r.Etag), entry.Path(r.Path), entry.Synced(r.Synced)).
				Exec(ctx)
			if err != nil {
				return false, err
			}
			continue
		}
		back, err := x.isBack(ctx, r, before)
		if err != nil {
			return false, err
		}
		if back {
			left = true
			continue
		}
		if err := x.removeRows(ctx, db, storage.Key(r.Path)); err != nil {
			return false, err
		}
	}
	for _, r := range d.touched {
		err := db.Entry.Update().
			Where(entry.ID(r.ID), entry.ModifiedNEQ(r.Modified)).SetModified(r.Modified).
			Exec(ctx)
		if err != nil {
			return false, err
		}
	}
	return left, x.upsert(ctx, db, folder, d.changed)
}

// same reports whether a row matches the storage.
func same(row *ent.Entry, s storage.Stat) bool {
	switch {
	case row == nil, (row.Kind == kindFolder) != s.IsFolder:
		return false
	case s.IsFolder:
		return s.Modified.IsZero() || row.Modified == s.Modified.UnixNano()
	}
	return row.Etag == s.ETag && row.Size == s.Size
}

// eachFolder calls do with every indexed folder directly inside row.
func (x *index) eachFolder(ctx context.Context, row *ent.Entry, do func(storage.Key) error) error {
	rows, err := x.db.Entry.Query().
		Where(entry.ParentID(row.ID), entry.Kind(kindFolder), entry.PathNEQ("")).
		Select(entry.FieldPath).
		All(ctx)
	if err != nil {
		return database.Translate(err)
	}
	for _, r := range rows {
		if err := do(storage.Key(r.Path)); err != nil {
			return err
		}
	}
	return nil
}
