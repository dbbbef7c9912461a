package gallery

import (
	"context"
	"crypto/rand"
	"fmt"
	"math"
	"strings"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/intent"
	"github.com/safelight/safelight/ent/predicate"
	"github.com/safelight/safelight/ent/trashitem"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/storage"
)

// trashParent is the parent id of rows in the trash. No folder has this id, so listings do not show these
// rows.
const trashParent = -1

// TrashedFile is a file or a folder in the trash.
type TrashedFile struct {
	ID          string
	Path        string // original path
	Name        string
	IsDirectory bool
	Size        int64 // in bytes; of a folder: the sum of all indexed files in it
	FileCount   int32 // 1, or the number of indexed files in the folder
	TrashedAt   time.Time
	TrashedBy   string     // username at the time of deletion; empty if there was none
	PurgeAt     *time.Time // nil: kept until it is purged manually
	ThumbHash   *string    // ThumbHash placeholder in base64; nil for a folder, and for a file that was not analyzed
}

// IsNode implements the interface Node of the API.
func (*TrashedFile) IsNode() {}

// TrashedFile returns an item of the trash. It returns fault.NotFound if it does not exist.
func (g *Gallery) TrashedFile(ctx context.Context, id string) (*TrashedFile, error) {
	row, err := g.seenTrashItem(ctx, id)
	if err != nil {
		return nil, err
	}
	items, err := g.trashedFiles(ctx, []*ent.TrashItem{row})
	if err != nil {
		return nil, err
	}
	return items[0], nil
}

// TrashFile moves a file, or a folder with its content, to the trash, and frees its path.
func (g *Gallery) TrashFile(ctx context.Context, p string) (*TrashedFile, error) {
	k, err := g.Editable(ctx, p, "path")
	if err != nil {
		return nil, err
	}
	return g.trash(ctx, k)
}

// trash moves k to the trash. It writes about.json first, then moves the content, then updates the rows.
func (g *Gallery) trash(ctx context.Context, k storage.Key) (*TrashedFile, error) {
	ctx = database.Essential(ctx)
	if err := storage.CheckTake(g.store, k); err != nil {
		return nil, err
	}
	s, err := g.store.Stat(ctx, k)
	if err != nil {
		return nil, err
	}
	about, err := g.describeTrashed(ctx, s)
	if err != nil {
		return nil, err
	}
	id := newTrashID(
		fmt.Sprintf("%016x-%s", about.TrashedAt.UnixNano(), strings.ToLower(rand.Text()[:12])),
		storage.MountOf(g.store, k).Name,
	)
	target := trashFile(id, k.Name())
	if err := g.db.RetryOnFullDisk(ctx, func() error { return writeAbout(ctx, g.store, id, about) }); err != nil {
		return nil, err
	}
	err = g.change(ctx, change{
		what:   intent.ChangeMove,
		source: k,
		target: target,
		action: audit.ActionFileTrash,
		facts:  afterFacts(audit.Facts{"trashId": id}),
		known:  storage.Hints{Fresh: trashFolder(id), Files: []storage.Stat{s}},
		store: func(ctx context.Context) error {
			if err := g.store.Move(ctx, k, target); err != nil {
				return err
			}
			return g.withSidecar(context.WithoutCancel(ctx), k, target, g.store.Move)
		},
		index: func(ctx context.Context, db *ent.Client) error {
			if err := g.index.moveRows(ctx, db, k, target); err != nil {
				return err
			}
			return g.addTrashItem(ctx, db, id, about)
		},
	})
	if err != nil {
		aside := context.WithoutCancel(ctx)
		if _, missing := g.store.Stat(aside, target); isMissing(missing) {
			_ = g.store.Delete(aside, trashFolder(id)) // on failure, the next sweep removes it
		}
		return nil, err
	}
	return g.trashedFile(rowOfTrashed(id, about)), nil
}

// describeTrashed returns the about.json of an entry that is being moved to the trash.
func (g *Gallery) describeTrashed(ctx context.Context, s storage.Stat) (about, error) {
	a := about{Version: 1, Path: string(s.Key), IsFolder: s.IsFolder, Size: s.Size, Files: 1,
		TrashedAt: g.config.Now().UTC(), TrashedBy: auth.FromContext(ctx).Name, TrashedByID: accountID(ctx)}
	if !s.IsFolder {
		return a, nil
	}
	sum, err := usedSpace(ctx, g.db.Client, search.Below(g.db, string(s.Key)))
	a.Files, a.Size = int(sum.Files), sum.Bytes
	return a, err
}

// accountID returns the id of the account in ctx; empty without one.
func accountID(ctx context.Context) string {
	if i := auth.FromContext(ctx); !i.IsAnonymous() {
		return i.UserID.String()
	}
	return ""
}

// isWithin selects an entry and everything below it.
func (x *index) isWithin(k storage.Key) predicate.Entry {
	return entry.Or(entry.Path(string(k)), search.Below(x.db, string(k)))
}

// afterFacts returns the facts of a change whose result is known in advance.
func afterFacts(after audit.Facts) func() (before, after audit.Facts) {
	return func() (audit.Facts, audit.Facts) { return nil, after }
}

func rowOfTrashed(id string, a about) *ent.TrashItem {
	return &ent.TrashItem{
		ID:          id,
		Path:        trashPlace(storage.Key(a.Path), storage.Key(a.Path)),
		IsFolder:    a.IsFolder,
		Size:        a.Size,
		Files:       a.Files,
		TrashedAt:   a.TrashedAt.UnixNano(),
		TrashedBy:   a.TrashedBy,
		TrashedByID: a.TrashedByID,
	}
}

const insertTrashItem = `INSERT INTO trash_items
	(id, path, is_folder, size, files, trashed_at, trashed_by, trashed_by_id)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`

// addTrashItem inserts an item of the trash unless it exists: a sweep may have found it in the storage
// already.
func (g *Gallery) addTrashItem(ctx context.Context, db *ent.Client, id string, a about) error {
	row := rowOfTrashed(id, a)
	_, err := db.ExecContext(ctx, g.db.Numbered(insertTrashItem),
		id, row.Path, a.IsFolder, a.Size, a.Files, a.TrashedAt.UnixNano(), a.TrashedBy, a.TrashedByID)
	return err
}

func (g *Gallery) trashedFile(row *ent.TrashItem) *TrashedFile {
	t := &TrashedFile{
		ID:          row.ID,
		Path:        string(placeOf(row)),
		Name:        placeOf(row).Name(),
		IsDirectory: row.IsFolder,
		Size:        row.Size,
		FileCount:   int32(min(row.Files, math.MaxInt32)),
		TrashedAt:   timeOf(row.TrashedAt),
		TrashedBy:   row.TrashedBy,
	}
	if g.config.TrashRetention > 0 {
		at := t.TrashedAt.Add(g.config.TrashRetention)
		t.PurgeAt = &at
	}
	return t
}

// trashedFiles converts rows to items of the trash, with their placeholders.
func (g *Gallery) trashedFiles(ctx context.Context, rows []*ent.TrashItem) ([]*TrashedFile, error) {
	items := make([]*TrashedFile, len(rows))
	paths := make([]string, len(rows))
	for i, row := range rows {
		items[i] = g.trashedFile(row)
		paths[i] = string(trashFile(row.ID, items[i].Name))
	}
	entries, err := g.db.Entry.Query().
		Where(entry.PathIn(paths...), entry.Kind(kindFile), entry.ThumbhashNEQ("")).
		Select(entry.FieldPath, entry.FieldThumbhash).
		All(ctx)
	if err != nil {
		return nil, database.Translate(err)
	}
	hashes := map[string]string{}
	for _, e := range entries {
		hashes[e.Path] = e.Thumbhash
	}
	for i, item := range items {
		item.ThumbHash = known(hashes[paths[i]])
	}
	return items, nil
}

// trashItem returns an item of the trash. It returns fault.NotFound if it does not exist.
func (g *Gallery) trashItem(ctx context.Context, id string) (*ent.TrashItem, error) {
	row, err := g.db.TrashItem.Get(ctx, id)
	if ent.IsNotFound(err) {
		return nil, fault.OnField(fault.NotFound, "id", "the item does not exist in the trash")
	}
	return row, database.Translate(err)
}

// seenTrashItem is trashItem for items whose original path the caller may see.
func (g *Gallery) seenTrashItem(ctx context.Context, id string) (*ent.TrashItem, error) {
	scope, err := g.Access.Scope(ctx)
	if err != nil {
		return nil, err
	}
	row, err := g.trashItem(ctx, id)
	if err == nil && !scope.Sees(row.Path) {
		return nil, fault.OnField(fault.NotFound, "id", "the item does not exist in the trash")
	}
	return row, err
}

// editedTrashItem is seenTrashItem for items whose original path the caller may edit.
func (g *Gallery) editedTrashItem(ctx context.Context, id string) (*ent.TrashItem, error) {
	row, err := g.seenTrashItem(ctx, id)
	if err != nil {
		return nil, err
	}
	err = g.checkEdit(ctx, storage.Key(row.Path))
	if fault.CodeOf(err) == fault.Forbidden {
		return nil, fault.OnField(fault.Forbidden, "id", "you may view %s, but not change it", placeOf(row))
	}
	return row, fault.WithField(err, "id")
}

// trashedIn selects the items whose original path is at or below the folders of a scope.
func (g *Gallery) trashedIn(scope access.Scope) predicate.TrashItem {
	return func(s *entsql.Selector) {
		if !scope.Whole() {
			s.Where(search.Within(s.C(trashitem.FieldPath), scope.Below("")))
		}
	}
}

// newestTrashed is the order of the trash. Ids begin with the time at which an item was trashed.
var newestTrashed = database.Order[ent.TrashItem]{
	Columns: []string{trashitem.FieldID}, Descending: true,
	Values: func(row *ent.TrashItem) []any { return []any{&row.ID} },
}

// TrashedFiles returns a page of 1 to 100 items of the trash whose original paths the caller may see, newest
// first, after a cursor.
func (g *Gallery) TrashedFiles(ctx context.Context, first int, after string) (*database.Page[*TrashedFile], error) {
	scope, err := g.Access.Scope(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := database.ReadPage(
		ctx, g.db.TrashItem.Query().Where(g.trashedIn(scope)), newestTrashed, first, after,
	)
	if err != nil {
		return nil, err
	}
	items, err := g.trashedFiles(ctx, rows.Items)
	return database.WithItems(rows, items), err
}
