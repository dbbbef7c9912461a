package gallery

import (
	"context"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/trashitem"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
)

// The kinds of an entry: folders come first.
const (
	kindFolder int8 = 0
	kindFile   int8 = 1
)

// What is known of a picture's bytes.
const (
	metaPending int8 = 0
	metaKnown   int8 = 1
	metaFailed  int8 = 2
	metaNone    int8 = 3 // no picture
)

// batch is how many rows one statement writes.
const batch = 500

// privateName starts the names of what Safelight keeps for itself in the storage; no listing shows them.
const privateName = ".safelight"

// isPrivate reports whether a key lies in what Safelight keeps for itself.
func isPrivate(k storage.Key) bool {
	for name := range strings.SplitSeq(string(k), "/") {
		if strings.HasPrefix(name, privateName) {
			return true
		}
	}
	return false
}

// run executes a statement with ? for its arguments on either database.
func (g *Gallery) run(ctx context.Context, db *ent.Client, statement string, args ...any) error {
	statement = g.numbered(statement)
	_, err := db.ExecContext(ctx, statement, args...)
	return err
}

// numbered returns a statement with ? for its arguments as the database wants it.
func (g *Gallery) numbered(statement string) string {
	if !g.db.IsPostgres() {
		return statement
	}
	var b strings.Builder
	n := 0
	for _, r := range statement {
		if r != '?' {
			b.WriteRune(r)
			continue
		}
		n++
		b.WriteString("$" + strconv.Itoa(n))
	}
	return b.String()
}

// below is the condition for what lies in a folder, at any depth; it takes the arguments of belowArgs.
func (g *Gallery) below() string {
	if g.db.IsPostgres() {
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

// hiddenPath is the SQL for a path that hidden reports.
func hiddenPath(column string) string {
	return "(" + column + " LIKE '.%' OR " + column + " LIKE '%/.%' OR " + column + " LIKE '%" + PreviewSuffix + "')"
}

// hidden reports whether a file is none that is shown: a segment of its path starts with a dot, or it is the
// preview of a template.
func hidden(k storage.Key) bool { return k.IsHidden() || isPreview(k) }

var fileColumns = []string{entry.FieldPath, entry.FieldParentID, entry.FieldName, entry.FieldNameKey, entry.FieldKind, entry.FieldHidden,
	entry.FieldSize, entry.FieldModified, entry.FieldEtag, entry.FieldType, entry.FieldWords, entry.FieldTakenKey, entry.FieldMetaState,
	entry.FieldHasNotes, entry.FieldTags, entry.FieldDescription, entry.FieldFocalX, entry.FieldFocalY}

// fresh is what an entry has whose bytes were changed: nothing is known of them.
var fresh = map[string]any{entry.FieldMetaTries: 0, entry.FieldWidth: 0, entry.FieldHeight: 0, entry.FieldPixels: 0, entry.FieldPages: 0,
	entry.FieldOrientation: 0, entry.FieldTaken: nil, entry.FieldCamera: "", entry.FieldHasGps: false, entry.FieldExif: "", entry.FieldDominant: nil,
	entry.FieldOkL: nil, entry.FieldOkA: nil, entry.FieldOkB: nil, entry.FieldBlurhash: "", entry.FieldThumbhash: "", entry.FieldPhash: nil, entry.FieldSha256: nil,
	entry.FieldVersion: "", entry.FieldSynced: 0}

// rewritten are the columns that follow the storage when a path is there already; words and notes stay.
var rewritten = []string{entry.FieldParentID, entry.FieldKind, entry.FieldSize, entry.FieldModified, entry.FieldEtag, entry.FieldType,
	entry.FieldTakenKey, entry.FieldMetaState}

// found is something that the storage holds, with what people said of it.
type found struct {
	storage.Stat
	notes *notes // nil: none
}

// upsert writes rows of one folder as the storage has them.
func (g *Gallery) upsert(ctx context.Context, db *ent.Client, parent int, list []found) error {
	for len(list) > 0 {
		n := min(len(list), batch)
		insert := entsql.Dialect(g.db.Dialect()).Insert(entry.Table).Columns(fileColumns...)
		for _, f := range list[:n] {
			insert.Values(rowOf(parent, f)...)
		}
		insert.OnConflict(entsql.ConflictColumns(entry.FieldPath), entsql.ResolveWith(func(u *entsql.UpdateSet) {
			for _, c := range rewritten {
				u.SetExcluded(c)
			}
			for c, v := range fresh {
				if v == nil {
					u.SetNull(c)
				} else {
					u.Set(c, v)
				}
			}
		}))
		statement, args := insert.Query()
		if _, err := db.ExecContext(ctx, statement, args...); err != nil {
			return err
		}
		if err := g.tagAll(ctx, db, list[:n]); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

func rowOf(parent int, f found) []any {
	name, kind, state, format := f.Key.Name(), kindFile, metaPending, pictureFormat(f.Key.Name())
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
		n = &notes{}
	}
	x, y := n.FocalPoint.columns()
	return []any{string(f.Key), parent, name, NameKey(name), kind, hidden(f.Key), f.Size, modified, f.ETag, string(format),
		searchWords(append([]string{name, n.Description}, n.Tags...)...), modified, state, has, tagsColumn(n.Tags), n.Description, x, y}
}

// pictureFormat goes by the name; the empty format for what no picture is called.
func pictureFormat(name string) imaging.Format {
	if !isPicture(name) {
		return ""
	}
	f, _ := imaging.ParseFormat(path.Ext(name))
	return f
}

// folderID returns the id of a folder's row, and makes it and those above it where they are not there.
func (g *Gallery) folderID(ctx context.Context, db *ent.Client, k storage.Key) (int, error) {
	row, err := db.Entry.Query().Where(entry.Path(string(k))).Select(entry.FieldID, entry.FieldKind).Only(ctx)
	if err == nil && row.Kind == kindFolder {
		return row.ID, nil
	}
	if err != nil && !ent.IsNotFound(err) {
		return 0, err
	}
	parent := 0
	if k != "" {
		if parent, err = g.folderID(ctx, db, k.Parent()); err != nil {
			return 0, err
		}
	}
	if err := g.upsert(ctx, db, parent, []found{{Stat: storage.Stat{Key: k, IsFolder: true}}}); err != nil {
		return 0, err
	}
	return db.Entry.Query().Where(entry.Path(string(k))).OnlyID(ctx)
}

// indexFile writes the row of a file that was made or changed, and those of the folders above it.
func (g *Gallery) indexFile(ctx context.Context, db *ent.Client, s storage.Stat) error {
	parent, err := g.folderID(ctx, db, s.Key.Parent())
	if err != nil {
		return err
	}
	return g.upsert(ctx, db, parent, []found{{Stat: s}})
}

// forget removes the rows of a file, or of a folder and all that it holds.
func (g *Gallery) forget(ctx context.Context, db *ent.Client, k storage.Key) error {
	args := append([]any{string(k)}, belowArgs(k)...)
	where := "(path = ? OR " + g.below() + ")"
	if err := g.run(ctx, db, "DELETE FROM taggings WHERE entry_id IN (SELECT id FROM entries WHERE "+where+")", args...); err != nil {
		return err
	}
	return g.run(ctx, db, "DELETE FROM entries WHERE "+where, args...)
}

// relocate lets the rows follow a file or folder that was moved, whatever it holds in three statements. What
// rows say of the target is forgotten: the storage found it free.
func (g *Gallery) relocate(ctx context.Context, db *ent.Client, from, to storage.Key) error {
	if from == to {
		return nil
	}
	if err := g.forget(ctx, db, to); err != nil {
		return err
	}
	if id := trashID(from); id != "" {
		if _, err := db.TrashItem.Delete().Where(trashitem.ID(id)).Exec(ctx); err != nil {
			return err
		}
	}
	top, err := db.Entry.Query().Where(entry.Path(string(from))).Only(ctx)
	if ent.IsNotFound(err) {
		return nil // the next listing finds it
	}
	if err != nil {
		return err
	}
	parent := trashParent
	if !inTrash(to) {
		if parent, err = g.folderID(ctx, db, to.Parent()); err != nil {
			return err
		}
	}
	if top.Kind == kindFolder {
		cut := utf8.RuneCountInString(string(from)) + 1
		args := append([]any{string(to), cut}, belowArgs(from)...)
		if err := g.run(ctx, db, "UPDATE entries SET path = CAST(? AS TEXT) || substr(path, ?) WHERE "+g.below(), args...); err != nil {
			return err
		}
		if err := g.run(ctx, db, "UPDATE entries SET hidden = "+hiddenPath("path")+" WHERE "+g.below(), belowArgs(to)...); err != nil {
			return err
		}
	}
	u := db.Entry.UpdateOneID(top.ID).SetPath(string(to)).SetParentID(parent).SetName(to.Name()).SetNameKey(NameKey(to.Name())).
		SetHidden(hidden(to)).SetWords(wordsOf(top, to.Name()))
	if inTrash(to) {
		u.SetTrashedAt(g.config.Now().UTC())
	} else {
		u.ClearTrashedAt()
	}
	return u.Exec(ctx)
}

// wordsOf returns what a search looks at in an entry that is called name.
func wordsOf(e *ent.Entry, name string) string {
	return searchWords(append([]string{name, e.Description, e.Camera}, e.Tags...)...)
}

// moment turns nanoseconds since 1970 into a time.
func moment(nanoseconds int64) time.Time { return time.Unix(0, nanoseconds).UTC() }

// notThere reports whether an error says that nothing lies there.
func isMissing(err error) bool { return fault.CodeOf(err) == fault.NotFound }
