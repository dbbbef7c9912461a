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
	type group struct {
		sum   []byte
		count int32
		size  int64
	}
	rows, err := database.Rows(
		ctx, g.db, statement, args, func(r *group) []any { return []any{&r.sum, &r.count, &r.size} },
	)
	page, list := &duplicates{g: g}, make([]*DuplicateGroup, len(rows))
	for i, r := range rows {
		list[i] = &DuplicateGroup{SHA256: hex.EncodeToString(r.sum), Size: r.size, Count: r.count, page: page}
	}
	p := database.FirstOf(list, func(d *DuplicateGroup) string { return d.SHA256 }, first)
	p.Before, page.groups = before, p.Items
	return p, err
}

// duplicatesUpTo reports whether there is a group with this hash or a smaller one.
func (x *index) duplicatesUpTo(ctx context.Context, hash []byte) (found bool, err error) {
	viewable, args, err := x.viewable(ctx, "parent_id")
	if err != nil {
		return false, err
	}
	statement := x.db.Numbered("SELECT TRUE FROM entries WHERE sha256 <= ? AND NOT hidden" + viewable +
		" GROUP BY sha256 HAVING count(*) > 1 LIMIT 1")
	err = database.Row(ctx, x.db, statement, append([]any{hash}, args...), &found)
	return found, err
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
	type member struct {
		id  int
		sum []byte
	}
	members, err := database.Rows(
		ctx, p.g.db, statement, slices.Concat(args, seen, []any{groupFiles}),
		func(m *member) []any { return []any{&m.id, &m.sum} },
	)
	if err != nil {
		return nil, err
	}
	ids := make([]int, len(members))
	for i, m := range members {
		ids[i] = m.id
	}
	files, err := p.g.filesByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		if f := files[m.id]; f != nil {
			sum := hex.EncodeToString(m.sum)
			groups[sum] = append(groups[sum], f)
		}
	}
	return groups, nil
}
