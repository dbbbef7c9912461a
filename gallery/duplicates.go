package gallery

import (
	"context"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/fault"
)

// groupFiles is the maximum number of files that are loaded per group of duplicates.
const groupFiles = 100

// DuplicateGroup is a group of pictures with the same bytes.
type DuplicateGroup struct {
	SHA256 string // hash of the content, in hexadecimal
	Size   int64  // size of one file in bytes
	Count  int32
	page   *duplicates
}

// Files returns the first 100 files, sorted by path.
func (d *DuplicateGroup) Files(ctx context.Context) ([]*File, error) {
	all, err := d.page.files.get(func() (map[string][]*File, error) { return d.page.load(ctx) })
	return all[d.SHA256], err
}

// duplicates loads the files of all groups of a page at once.
type duplicates struct {
	g      *Gallery
	groups []*DuplicateGroup
	files  once[map[string][]*File]
}

// Duplicates returns 1 to 100 groups of pictures with the same content, sorted by hash, after the group of a
// cursor. It covers analyzed pictures, except hidden files and the trash.
func (g *Gallery) Duplicates(ctx context.Context, first int, after string) (*database.Page[*DuplicateGroup], error) {
	if err := database.CheckPage(first); err != nil {
		return nil, err
	}
	last, err := hex.DecodeString(after)
	if err != nil || after != "" && len(last) != 32 {
		return nil, fault.OnField(
			fault.Invalid, "after",
			"the cursor does not belong to duplicates, expected pageInfo.endCursor of the previous page",
		)
	}
	viewable, args, err := g.index.viewable(ctx, "parent_id")
	if err != nil {
		return nil, err
	}
	before := false
	if after != "" {
		if before, err = g.index.duplicatesUpTo(ctx, last); err != nil {
			return nil, err
		}
	}
	statement := g.db.Numbered(`SELECT sha256, count(*), min(size) FROM entries WHERE sha256 > ? AND NOT hidden` +
		viewable + ` GROUP BY sha256 HAVING count(*) > 1 ORDER BY sha256 LIMIT ?`)
	args = slices.Concat([]any{append([]byte{}, last...)}, args, []any{first + 1})
	rows, err := g.db.QueryContext(ctx, statement, args...)
	if err != nil {
		return nil, database.Translate(err)
	}
	defer rows.Close()
	page := &duplicates{g: g}
	var list []*DuplicateGroup
	for rows.Next() {
		var sum []byte
		d := &DuplicateGroup{page: page}
		if err := rows.Scan(&sum, &d.Count, &d.Size); err != nil {
			return nil, err
		}
		d.SHA256 = hex.EncodeToString(sum)
		list = append(list, d)
	}
	p := database.FirstOf(list, func(d *DuplicateGroup) string { return d.SHA256 }, first)
	p.Before, page.groups = before, p.Items
	return p, database.Translate(rows.Err())
}

// duplicatesUpTo reports whether there is a group with this hash or a smaller one.
func (x *index) duplicatesUpTo(ctx context.Context, hash []byte) (bool, error) {
	viewable, args, err := x.viewable(ctx, "parent_id")
	if err != nil {
		return false, err
	}
	statement := x.db.Numbered("SELECT 1 FROM entries WHERE sha256 <= ? AND NOT hidden" + viewable +
		" GROUP BY sha256 HAVING count(*) > 1 LIMIT 1")
	rows, err := x.db.QueryContext(ctx, statement, append([]any{hash}, args...)...)
	if err != nil {
		return false, database.Translate(err)
	}
	defer rows.Close()
	found := rows.Next()
	return found, database.Translate(rows.Err())
}

// load returns the files of all groups, by hash.
func (p *duplicates) load(ctx context.Context) (map[string][]*File, error) {
	groups, args := map[string][]*File{}, []any{}
	for _, d := range p.groups {
		groups[d.SHA256] = []*File{}
		sum, _ := hex.DecodeString(d.SHA256) // valid: Duplicates encoded it
		args = append(args, sum)
	}
	viewable, seen, err := p.g.index.viewable(ctx, "parent_id")
	if err != nil {
		return nil, err
	}
	marks := strings.TrimSuffix(strings.Repeat("?,", len(args)), ",")
	statement := p.g.db.Numbered(`
		SELECT id, sha256 FROM (
			SELECT id, sha256, path, row_number() OVER (PARTITION BY sha256 ORDER BY path) AS place
			FROM entries WHERE sha256 IN (` + marks + `) AND NOT hidden` + viewable + `
		) AS all_of_them WHERE place <= ? ORDER BY path`)
	rows, err := p.g.db.QueryContext(ctx, statement, slices.Concat(args, seen, []any{groupFiles})...)
	if err != nil {
		return nil, database.Translate(err)
	}
	defer rows.Close()
	var ids []int
	var in []string // the groups that contain ids
	for rows.Next() {
		var id int
		var sum []byte
		if err := rows.Scan(&id, &sum); err != nil {
			return nil, err
		}
		ids, in = append(ids, id), append(in, hex.EncodeToString(sum))
	}
	if err := rows.Err(); err != nil {
		return nil, database.Translate(err)
	}
	rows.Close() // close early, so that one connection is enough
	files, err := p.g.filesByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	for i, id := range ids {
		if f := files[id]; f != nil {
			groups[in[i]] = append(groups[in[i]], f)
		}
	}
	return groups, nil
}
