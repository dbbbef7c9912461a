package gallery

import (
	"context"
	"fmt"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/predicate"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/storage"
)

// sampled is how many files AllMissing checks from each end of the alphabet.
const sampled = 50

// manyFiles is how many files a storage must have had before its being empty counts as a failure. Another
// program may have removed fewer files one by one.
const manyFiles = 10

// Missing is a part of a storage where none of the indexed files exist.
type Missing struct {
	Mount storage.Key // empty: the main storage
	Files int         // number of indexed files
	First storage.Key // one of the missing files
}

// String describes the part for log messages and errors.
func (m Missing) String() string {
	part := "the storage"
	if m.Mount != "" {
		part = fmt.Sprintf("the mount %s", m.Mount)
	}
	if m.Files == 1 {
		return fmt.Sprintf("%s does not have the only file that the index knows, %s", part, m.First)
	}
	return fmt.Sprintf("%s has none of the files that the index knows (%d, such as %s)", part, m.Files, m.First)
}

// AllMissing returns the parts of a storage where none of the indexed files exist, because the setting names
// a different storage, or because a file system is not mounted. It checks at most 100 files of each part. It
// ignores sample, a file that the program itself has written. A part that does not respond does not count as
// missing.
func AllMissing(ctx context.Context, db *database.DB, store storage.Store, sample storage.Key) ([]Missing, error) {
	var list []Missing
	for _, part := range storage.Mounts(store) {
		known := db.Entry.Query().Where(filesOf(db, store, part.Name), entry.PathNEQ(string(sample)))
		first, err := noneOf(ctx, known, store)
		if err != nil {
			return nil, err
		}
		if first == "" {
			continue
		}
		n, err := known.Clone().Count(ctx)
		if err != nil {
			return nil, database.Translate(err)
		}
		list = append(list, Missing{part.Name, n, first})
	}
	return list, nil
}

// filesOf selects the visible files of a part of a storage.
func filesOf(db *database.DB, store storage.Store, part storage.Key) predicate.Entry {
	all := []predicate.Entry{entry.Kind(kindFile), entry.Hidden(false)}
	if part != "" {
		return entry.And(append(all, search.Below(db, string(part)))...)
	}
	for _, m := range storage.Mounts(store) {
		if m.Name != "" {
			all = append(all, entry.Not(search.Below(db, string(m.Name))))
		}
	}
	return entry.And(all...)
}

// noneOf returns one of the known files if none of those that it checks exist in the storage. It returns an
// empty key if a checked file exists, if the storage does not respond, or if no files are known.
func noneOf(ctx context.Context, known *ent.EntryQuery, store storage.Store) (first storage.Key, err error) {
	for _, order := range []func(...string) func(*sql.Selector){ent.Asc, ent.Desc} {
		paths, err := known.Clone().
			Order(order(entry.FieldNameKey, entry.FieldID)).
			Limit(sampled).
			Select(entry.FieldPath).
			Strings(ctx)
		if err != nil {
			return "", database.Translate(err)
		}
		for _, p := range paths {
			if _, err := store.Stat(ctx, storage.Key(p)); !isMissing(err) {
				return "", ctx.Err()
			}
			if first == "" {
				first = storage.Key(p)
			}
		}
		if len(paths) < sampled {
			break // all files were checked
		}
	}
	return first, nil
}

// checkEmptied returns fault.Unavailable if the part of the storage that holds k is completely empty,
// although many files are indexed there. Files that are removed through Safelight leave the index immediately. So
// the file system is probably not mounted, or the bucket is the wrong one. Removing the rows would also
// remove the files from all albums.
func (x *index) checkEmptied(ctx context.Context, k storage.Key) error {
	if x.mayBeEmptied {
		return nil
	}
	part := storage.MountOf(x.store, k).Name
	for s, err := range x.store.List(ctx, part, storage.ListOptions{ShowHidden: true}) {
		if err != nil {
			return err
		}
		if storage.MountOf(x.store, s.Key).Name == part {
			return nil
		}
	}
	known, err := x.db.Entry.Query().Where(filesOf(x.db, x.store, part)).Limit(manyFiles).Select(entry.FieldID).
		Ints(ctx)
	if err != nil || len(known) < manyFiles {
		return database.Translate(err)
	}
	what := "the storage"
	if part != "" {
		what = "the mount " + string(part)
	}
	f := fault.New(
		fault.Unavailable, "%s looks empty, although the index knows files there: mount its file system, or "+
			"correct the setting. If the files were removed on purpose, start once with --allow-new-storage", what)
	f.RetryAfter = 10 * time.Second
	return f
}
