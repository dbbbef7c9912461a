package gallery

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/trashitem"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/notes"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/gallery/tokenizer"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
)

// The kinds of an entry.
const kindFolder, kindFile = search.KindFolder, search.KindFile

// The states of a picture's metadata in the database.
const (
	metaPending int8 = 0
	metaKnown   int8 = 1
	metaFailed  int8 = 2 // a limit was exceeded, or this build cannot read the format
	metaNone         = search.StateNone
	metaBroken       = search.StateBroken
)

// batch is how many rows one statement inserts.
const batch = 500

// privateName is the prefix of the names of Safelight's own files in the storage. Listings do not show them.
const privateName = ".safelight"

// isPrivate reports whether a key is inside one of Safelight's own folders.
func isPrivate(k storage.Key) bool {
	for name := range strings.SplitSeq(string(k), "/") {
		if strings.HasPrefix(name, privateName) {
			return true
		}
	}
	return false
}

// run executes a statement with ? placeholders on either database.
func (x *index) run(ctx context.Context, db *ent.Client, statement string, args ...any) error {
	_, err := db.ExecContext(ctx, x.db.Numbered(statement), args...)
	return err
}

// below is the SQL condition for entries below a folder, at any depth. belowArgs returns its arguments.
func (x *index) below() string {
	if x.db.IsPostgres() {
		return `(path COLLATE "C" >= ? AND path COLLATE "C" < ?)`
	}
	return "(path >= ? AND path < ?)"
}

func belowArgs(k storage.Key) []any {
	if k == "" {
		return []any{"\x01", "\U0010FFFF\U0010FFFF"}
	}
	return []any{string(k) + "/", string(k) + "0"} // 0 is what follows / in ASCII
}

var fileColumns = []database.Column{
	{Name: entry.FieldPath, Type: "text"},
	{Name: entry.FieldParentID, Type: "bigint"},
	{Name: entry.FieldName, Type: "text"},
	{Name: entry.FieldNameKey, Type: "bytea"},
	{Name: entry.FieldKind, Type: "smallint"},
	{Name: entry.FieldHidden, Type: "boolean"},
	{Name: entry.FieldSize, Type: "bigint"},
	{Name: entry.FieldModified, Type: "bigint"},
	{Name: entry.FieldEtag, Type: "text"},
	{Name: entry.FieldType, Type: "text"},
	{Name: entry.FieldWords, Type: "text"},
	{Name: entry.FieldTakenKey, Type: "bigint"},
	{Name: entry.FieldMetaState, Type: "smallint"},
	{Name: entry.FieldHasNotes, Type: "boolean"},
	{Name: entry.FieldTags, Type: "jsonb"},
	{Name: entry.FieldDescription, Type: "text"},
	{Name: entry.FieldFocalX, Type: "double precision"},
	{Name: entry.FieldFocalY, Type: "double precision"},
	{Name: entry.FieldRating, Type: "smallint"},
	{Name: entry.FieldFavorite, Type: "boolean"},
}

// overwrite updates the row of an existing path. It keeps words and notes, and resets the metadata of the old
// content.
const overwrite = "ON CONFLICT (path) DO UPDATE SET parent_id = excluded.parent_id, kind = excluded.kind, " +
	"size = excluded.size, modified = excluded.modified, " +
	"etag = excluded.etag, type = excluded.type, taken_key = excluded.taken_key, meta_state = excluded.meta_state, " +
	noMetadata + ", version = '', synced = 0"

// noMetadata resets the columns that an analysis sets.
const noMetadata = "meta_tries = 0, width = 0, height = 0, pixels = 0, pages = 0, orientation = 0, taken = NULL, " +
	"camera = '', lens = '', has_gps = FALSE, map_x = NULL, map_y = NULL, place = '', exif = '', " +
	"truncated = FALSE, " +
	"dominant = NULL, ok_l = NULL, ok_a = NULL, ok_b = NULL, colors = '', " +
	"blurhash = '', thumbhash = '', phash = NULL, sha256 = NULL"

// found is an entry of the storage with its notes.
type found struct {
	storage.Stat
	notes *notes.Notes // nil: none
}

// upsert inserts or updates the rows of entries in a folder.
func (x *index) upsert(ctx context.Context, db *ent.Client, parent int, list []found) error {
	for len(list) > 0 {
		n := min(len(list), batch)
		values := make([][]any, n)
		for i, f := range list[:n] {
			values[i] = x.rowOf(parent, f)
		}
		statement, args := database.InsertRows(x.db.Dialect(), entry.Table, fileColumns, values, overwrite)
		if _, err := db.ExecContext(ctx, statement, args...); err != nil {
			return err
		}
		if err := x.insertTags(ctx, db, list[:n]); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

func (x *index) rowOf(parent int, f found) []any {
	name, kind, state, format := f.Key.Name(), kindFile, metaPending, x.pictureFormat(f.Key.Name())
	if f.IsFolder {
		kind, format = kindFolder, ""
	}
	if format == "" {
		state = metaNone
	}
	modified := f.Modified.UnixNano()
	if f.Modified.IsZero() {
		modified = 0
	}
	n := f.notes
	has := n != nil
	if !has {
		n = &notes.Notes{}
	}
	across, down := n.FocalPoint.Columns()
	return []any{
		string(f.Key),
		parent,
		name,
		tokenizer.NameKey(name),
		kind,
		search.IsHidden(string(f.Key)),
		f.Size,
		modified,
		f.ETag,
		string(format),
		tokenizer.Index(
			append([]string{name, n.Description}, n.Tags...)...),
		modified,
		state,
		has,
		notes.TagsColumn(n.Tags),
		n.Description,
		across,
		down,
		n.Rating,
		n.Favorite,
	}
}

// adoptPDF queues PDFs for analysis that were indexed while the setting pdf was off.
func (x *index) adoptPDF(ctx context.Context) error {
	if !x.pdf {
		return nil
	}
	return x.run(
		ctx, x.db.Client,
		"UPDATE entries SET type = ?, meta_state = ?, meta_tries = 0 "+
			"WHERE meta_state = ? AND kind = ? AND lower(name) LIKE '%.pdf'",
		string(imaging.PDF), metaPending, metaNone, kindFile,
	)
}

// folderID returns the id of a folder's row. It creates missing rows of the folder and its parents.
func (x *index) folderID(ctx context.Context, db *ent.Client, k storage.Key) (int, error) {
	row, err := db.Entry.Query().Where(entry.Path(string(k))).Select(entry.FieldID, entry.FieldKind).Only(ctx)
	if err == nil && row.Kind == kindFolder {
		return row.ID, nil
	}
	if err != nil && !ent.IsNotFound(err) {
		return 0, err
	}
	parent := 0
	if k != "" {
		if parent, err = x.folderID(ctx, db, k.Parent()); err != nil {
			return 0, err
		}
	}
	if err := x.upsert(ctx, db, parent, []found{{Stat: storage.Stat{Key: k, IsFolder: true}}}); err != nil {
		return 0, err
	}
	return db.Entry.Query().Where(entry.Path(string(k))).OnlyID(ctx)
}

// indexFile upserts the row of a file and the missing rows of its folders.
func (x *index) indexFile(ctx context.Context, db *ent.Client, f found) error {
	parent, err := x.folderID(ctx, db, f.Key.Parent())
	if err != nil {
		return err
	}
	return x.upsert(ctx, db, parent, []found{f})
}

// removeRows removes the rows of a file, or of a folder and everything below it; triggers remove their tags.
func (x *index) removeRows(ctx context.Context, db *ent.Client, k storage.Key) error {
	return x.run(
		ctx,
		db,
		"DELETE FROM entries WHERE path = ? OR "+x.below(),
		append([]any{string(k)}, belowArgs(k)...)...)
}

// moveRows updates the rows after a move. A folder takes three statements. It removes rows at the target,
// where the storage had no files.
func (x *index) moveRows(ctx context.Context, db *ent.Client, from, to storage.Key) error {
	if from == to {
		return nil
	}
	isFile, err := x.moveEntries(ctx, db, from, to)
	if err != nil {
		return err
	}
	if isFile {
		return x.access.FollowFile(ctx, db, string(from), string(to))
	}
	return x.access.Follow(ctx, db, string(from), string(to)) // last, because it holds a lock until the commit
}

// moveEntries is moveRows without the grants. It reports whether the moved entry is a file; files have no
// grants.
func (x *index) moveEntries(ctx context.Context, db *ent.Client, from, to storage.Key) (isFile bool, err error) {
	if err := x.removeRows(ctx, db, to); err != nil {
		return false, err
	}
	if id := trashID(from); id != "" {
		if _, err := db.TrashItem.Delete().Where(trashitem.ID(id)).Exec(ctx); err != nil {
			return false, err
		}
	}
	top, err := db.Entry.Query().Where(entry.Path(string(from))).Only(ctx)
	if err != nil && !ent.IsNotFound(err) {
		return false, err
	}
	if top == nil || top.Kind == kindFolder {
		if err := x.moveTrashed(ctx, db, from, to); err != nil {
			return false, err
		}
	}
	if top == nil {
		return false, nil // the next listing adds the row
	}
	parent, moved := trashParent, x.now().UnixNano()
	if trashID(to) == "" {
		if parent, err = x.folderID(ctx, db, to.Parent()); err != nil {
			return false, err
		}
	}
	if top.Kind == kindFolder {
		cut := utf8.RuneCountInString(string(from)) + 1
		args := append([]any{string(to), cut, moved}, belowArgs(from)...)
		move := "UPDATE entries SET path = CAST(? AS TEXT) || substr(path, ?), " +
			"synced = CASE kind WHEN 1 THEN ? ELSE synced END WHERE "
		if err := x.run(ctx, db, move+x.below(), args...); err != nil {
			return false, err
		}
		hide := "UPDATE entries SET hidden = " + search.HiddenSQL(x.db.Dialect(), "path") + " WHERE " + x.below()
		if err := x.run(ctx, db, hide, belowArgs(to)...); err != nil {
			return false, err
		}
	}
	u := db.Entry.Update().
		Where(entry.ID(top.ID)).
		SetPath(string(to)).
		SetParentID(parent).
		SetName(to.Name()).
		SetNameKey(tokenizer.NameKey(to.Name())).
		SetHidden(search.IsHidden(string(to))).
		SetWords(wordsOf(top, to.Name()))
	if top.Kind == kindFile {
		u.SetSynced(moved)
	}
	if trashID(to) != "" {
		u.SetTrashedAt(x.now().UTC())
	} else {
		u.ClearTrashedAt()
	}
	isFile = top.Kind == kindFile
	if err := u.Exec(ctx); err != nil || !isFile || trashID(to) != "" {
		return isFile, err
	}
	return isFile, x.renameKind(ctx, db, top, to.Name())
}

// renameKind makes a file a picture that needs an analysis, or not a picture, if its new extension says so
// and the old one did not.
func (x *index) renameKind(ctx context.Context, db *ent.Client, e *ent.Entry, name string) error {
	format, state := x.pictureFormat(name), metaPending
	if format == "" {
		state = metaNone
	}
	if (state == metaNone) == (e.MetaState == metaNone) {
		return nil
	}
	const update = "UPDATE entries SET type = ?, meta_state = ?, words = ?, taken_key = modified, " + noMetadata +
		" WHERE id = ?"
	words := tokenizer.Index(append([]string{name, e.Description}, e.Tags...)...)
	return x.run(ctx, db, update, string(format), state, words, e.ID)
}

// wordsOf returns the text that searches match for an entry called name.
func wordsOf(e *ent.Entry, name string) string {
	return tokenizer.Index(append([]string{name, e.Description, e.Camera}, e.Tags...)...)
}

// timeOf converts nanoseconds since 1970 to a time in UTC.
func timeOf(nanoseconds int64) time.Time { return time.Unix(0, nanoseconds).UTC() }

// isMissing reports whether err is fault.NotFound.
func isMissing(err error) bool { return fault.CodeOf(err) == fault.NotFound }
