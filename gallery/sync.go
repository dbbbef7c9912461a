package gallery

import (
	"context"
	"strings"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// folder returns the row of a folder whose names the index knows as the storage has them: at once where
// nothing changed, else after reading it. fault.NotFound when the storage has no such folder.
func (g *Gallery) folder(ctx context.Context, k storage.Key) (*ent.Entry, error) {
	if isPrivate(k) {
		return nil, fault.OnField(fault.NotFound, "path", "%s does not exist", k)
	}
	row, err := g.db.Entry.Query().Where(entry.Path(string(k)), entry.Kind(kindFolder)).Only(ctx)
	if err != nil && !ent.IsNotFound(err) {
		return nil, database.Translate(err)
	}
	if err == nil && row.Synced > 0 {
		w, ok := g.store.(storage.Watched)
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
	return g.syncFolder(ctx, k)
}

// syncFolder reads a folder of the storage and makes the index say the same. It returns its row.
func (g *Gallery) syncFolder(ctx context.Context, k storage.Key) (*ent.Entry, error) {
	row, _, err := g.readInto(ctx, k)
	return row, err
}

// readInto is syncFolder; it returns what the folder holds too.
func (g *Gallery) readInto(ctx context.Context, k storage.Key) (row *ent.Entry, list []storage.Stat, err error) {
	before, began := g.changes.Load(), g.config.Now().UnixNano()
	version := ""
	w, watched := g.store.(storage.Watched)
	if watched {
		version, _ = w.FolderVersion(ctx, k) // what is wrong with it, the listing says better
	}
	list, sidecars, err := g.readFolder(ctx, k)
	if isMissing(err) {
		return nil, nil, g.forgetMissing(ctx, k, err)
	}
	if err != nil {
		return nil, nil, err
	}
	// the storage is asked before the transaction: on SQLite nobody else writes meanwhile
	d, known, err := g.compare(ctx, k, list, sidecars)
	if err != nil {
		return nil, nil, err
	}
	if watched && d.empty() && known != nil && known.Synced > 0 {
		return known, list, g.believe(ctx, known, version, began)
	}
	err = g.db.Transact(ctx, func(tx *ent.Tx) error {
		db := tx.Client()
		if err := g.lockFolders(ctx, db, k); err != nil {
			return err
		}
		id, err := g.folderID(ctx, db, k)
		if err != nil {
			return err
		}
		if err := g.apply(ctx, db, id, d); err != nil {
			return err
		}
		if !watched && g.changes.Load() != before {
			began = 0 // a change of ours passed by while the folder was read: read it again
		}
		row, err = db.Entry.UpdateOneID(id).SetVersion(version).SetSynced(began).Save(ctx)
		return err
	})
	return row, list, err
}

// believe notes that a folder's rows say what the storage does. It does not wait for those who change the folder: where
// one of them distrusts it meanwhile, that stays.
func (g *Gallery) believe(ctx context.Context, row *ent.Entry, version string, began int64) error {
	if version == "" || version == row.Version {
		return nil
	}
	return g.db.Transact(ctx, func(tx *ent.Tx) error {
		return tx.Entry.Update().Where(entry.ID(row.ID), entry.Synced(row.Synced)).SetVersion(version).SetSynced(began).Exec(ctx)
	})
}

// forgetMissing takes out of the index what the storage said is not there, and returns what it said.
func (g *Gallery) forgetMissing(ctx context.Context, k storage.Key, said error) error {
	if known, err := g.db.Entry.Query().Where(entry.Path(string(k))).Exist(ctx); k == "" || err != nil || !known {
		return said
	}
	if _, err := g.store.Stat(ctx, k); !isMissing(err) {
		return said // it came back, is a file, or nobody knows
	}
	if err := g.db.Transact(ctx, func(tx *ent.Tx) error { return g.forget(ctx, tx.Client(), k) }); err != nil {
		return err
	}
	return said
}

// readFolder lists a folder. sidecars is true when it holds notes of files.
func (g *Gallery) readFolder(ctx context.Context, k storage.Key) (list []storage.Stat, sidecars bool, err error) {
	if isPrivate(k) {
		return nil, false, fault.OnField(fault.NotFound, "path", "%s does not exist", k)
	}
	for s, err := range storage.Each(ctx, g.store, k, storage.ListOptions{ShowHidden: true}) {
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

// difference is what the index lacks of one folder.
type difference struct {
	changed []found      // new, or with other bytes
	touched []*ent.Entry // folders with another time, set
	gone    []*ent.Entry
}

func (d difference) empty() bool { return len(d.changed)+len(d.touched)+len(d.gone) == 0 }

// compare finds what the rows of a folder do not say as the listing does. It returns the folder's own row too, nil
// where it has none.
func (g *Gallery) compare(ctx context.Context, k storage.Key, list []storage.Stat, sidecars bool) (d difference, row *ent.Entry, err error) {
	row, err = g.db.Entry.Query().Where(entry.Path(string(k)), entry.Kind(kindFolder)).Only(ctx)
	if err != nil && !ent.IsNotFound(err) {
		return d, nil, database.Translate(err)
	}
	var rows []*ent.Entry
	if row != nil {
		rows, err = g.db.Entry.Query().Where(entry.ParentID(row.ID), entry.PathNEQ("")).
			Select(entry.FieldID, entry.FieldPath, entry.FieldKind, entry.FieldEtag, entry.FieldModified, entry.FieldSize).All(ctx)
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
				d.gone = append(d.gone, old) // a file took its place
			}
			d.changed = append(d.changed, found{Stat: s})
		}
	}
	if sidecars {
		if err := g.readNotes(ctx, k, d.changed); err != nil {
			return d, row, err
		}
	}
	for _, r := range known {
		// looked at once more: it may have come while the folder was read
		s, err := g.store.Stat(ctx, storage.Key(r.Path))
		if isMissing(err) || err == nil && s.IsFolder != (r.Kind == kindFolder) {
			d.gone = append(d.gone, r)
		} else if err != nil {
			return d, row, err
		}
	}
	return d, row, nil
}

// apply writes a difference.
func (g *Gallery) apply(ctx context.Context, db *ent.Client, folder int, d difference) error {
	for _, r := range d.gone {
		if r.Kind == kindFile {
			// only what was seen to be gone: the name may bear another file by now
			n, err := db.Entry.Delete().Where(entry.ID(r.ID), entry.Etag(r.Etag), entry.Path(r.Path)).Exec(ctx)
			if err != nil {
				return err
			}
			if n == 0 {
				continue
			}
			if err := setTags(ctx, db, r.ID, nil); err != nil {
				return err
			}
			continue
		}
		if err := g.forget(ctx, db, storage.Key(r.Path)); err != nil {
			return err
		}
	}
	for _, r := range d.touched {
		if err := db.Entry.Update().Where(entry.ID(r.ID), entry.ModifiedNEQ(r.Modified)).SetModified(r.Modified).Exec(ctx); err != nil {
			return err
		}
	}
	return g.upsert(ctx, db, folder, d.changed)
}

// same reports whether a row says what the storage says.
func same(row *ent.Entry, s storage.Stat) bool {
	switch {
	case row == nil, (row.Kind == kindFolder) != s.IsFolder:
		return false
	case s.IsFolder:
		return s.Modified.IsZero() || row.Modified == s.Modified.UnixNano()
	}
	return row.Etag == s.ETag && row.Size == s.Size
}

// eachFolder calls do with every folder directly in one that the index knows.
func (g *Gallery) eachFolder(ctx context.Context, row *ent.Entry, do func(storage.Key) error) error {
	rows, err := g.db.Entry.Query().Where(entry.ParentID(row.ID), entry.Kind(kindFolder), entry.PathNEQ("")).Select(entry.FieldPath).All(ctx)
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
