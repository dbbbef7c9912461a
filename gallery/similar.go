package gallery

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"sort"
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/search"
)

// maxDistance is the maximum distance, in bits, between the perceptual hashes of similar pictures.
const maxDistance = 11

// SimilarFile is a picture that looks like the requested picture.
type SimilarFile struct {
	File     *File
	Distance int32 // number of differing bits of the perceptual hashes, 0 to 11
}

// SimilarFiles returns 1 to 100 analyzed pictures whose perceptual hash differs from that of f by at most
// distance bits, 0 to 11. The most similar come first; f itself is left out. The page starts after the file
// of a cursor; an empty cursor is the start. It returns fault.Invalid for files that are not pictures.
func (g *Gallery) SimilarFiles(
	ctx context.Context,
	f *File,
	distance, first int,
	after string,
) (*database.Page[*SimilarFile], error) {
	if err := database.CheckPage(first); err != nil {
		return nil, err
	}
	if distance < 0 || distance > maxDistance {
		return nil, fault.OnField(
			fault.Invalid, "maxDistance", "maxDistance is %d, expected 0 to %d", distance, maxDistance,
		)
	}
	last := search.Neighbor{Distance: -1}
	if after != "" {
		if err := database.ParseCursor(after, &last.Distance, &last.ID); err != nil {
			return nil, err
		}
	}
	row, err := analyzed(ctx, g, f.row)
	if err != nil {
		return nil, err
	}
	if row.Phash == nil {
		if row.MetaState == metaPending {
			return nil, fault.New(fault.Unavailable, "%s is being analyzed, try again", row.Path)
		}
		return nil, fault.OnField(fault.Invalid, "path", "%s cannot be read as a picture", row.Path)
	}
	scope, err := g.Access.Scope(ctx)
	if err != nil {
		return nil, err
	}
	near, err := search.Near(ctx, g.db, scope, row.ID, *row.Phash, distance)
	if err != nil {
		return nil, err
	}
	start := sort.Search(len(near), func(i int) bool {
		n := near[i]
		return n.Distance > last.Distance || n.Distance == last.Distance && n.ID > last.ID
	})
	cursor := func(n search.Neighbor) string { return database.Cursor(n.Distance, n.ID) }
	p := database.PageOf(near, cursor, start, first)
	files, err := loadSimilar(ctx, g, p.Items)
	return database.WithItems(p, files), err
}

// analyzed returns the row of a file once it is analyzed. If no worker is analyzing it, analyzed does so.
func analyzed(ctx context.Context, g *Gallery, row *ent.Entry) (*ent.Entry, error) {
	if row.MetaState != metaPending {
		return row, nil
	}
	if err := g.analyze(ctx, row.ID); err != nil {
		return nil, err
	}
	for { // a worker may be analyzing the file already
		if _, busy := g.analyzing.Load(row.ID); !busy {
			break
		}
		select {
		case <-ctx.Done():
			return nil, fault.Wrap(ctx.Err(), fault.Timeout, "%s is being analyzed, try again", row.Path)
		case <-time.After(20 * time.Millisecond):
		}
	}
	row, err := g.db.Entry.Get(ctx, row.ID)
	if ent.IsNotFound(err) {
		return nil, fault.OnField(fault.NotFound, "path", "the file no longer exists")
	}
	return row, database.Translate(err)
}

// loadSimilar returns a file for each of found; nil if it was deleted in the meantime.
func loadSimilar(ctx context.Context, g *Gallery, found []search.Neighbor) ([]*SimilarFile, error) {
	ids := make([]int, len(found))
	for i, n := range found {
		ids[i] = n.ID
	}
	files, err := g.filesByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	list := make([]*SimilarFile, len(found))
	for i, n := range found {
		if f := files[n.ID]; f != nil {
			list[i] = &SimilarFile{File: f, Distance: int32(n.Distance)}
		}
	}
	return list, nil
}

// filesByID loads the files of a response.
func (g *Gallery) filesByID(ctx context.Context, ids []int) (map[int]*File, error) {
	rows, err := g.db.Entry.Query().Where(entry.IDIn(ids...)).Select(listColumns...).All(ctx)
	if err != nil {
		return nil, database.Translate(err)
	}
	files, p := make(map[int]*File, len(rows)), &loader{g: g, rows: rows}
	for _, r := range rows {
		files[r.ID] = &File{row: r, g: g, loader: p}
	}
	return files, nil
}

// SimilarGroup is a group of pictures that look the same but have different content.
type SimilarGroup struct {
	Count int32
	ids   []int // of the first 100 pictures
	page  *similar
}

// Files returns the first 100 pictures, those with the most pixels first.
func (s *SimilarGroup) Files(ctx context.Context) ([]*File, error) {
	all, err := s.page.files.get(func() (map[int]*File, error) { return s.page.load(ctx) })
	files := []*File{}
	for _, id := range s.ids {
		if f := all[id]; f != nil { // nil if it was deleted in the meantime
			files = append(files, f)
		}
	}
	slices.SortStableFunc(files, func(a, b *File) int { return cmp.Compare(b.row.Pixels, a.row.Pixels) })
	return files, err
}

// similar loads the files of all groups of a page at once.
type similar struct {
	g      *Gallery
	groups [][]int // the first 100 ids of each group
	files  once[map[int]*File]
}

// SimilarGroups returns 1 to 100 groups of pictures that look the same, ordered by their oldest pictures,
// after the group of a cursor. It covers analyzed pictures, except hidden files and the trash. Each call
// compares all pictures, and calls run one at a time.
func (g *Gallery) SimilarGroups(ctx context.Context, first int, after string) (*database.Page[*SimilarGroup], error) {
	if err := database.CheckPage(first); err != nil {
		return nil, err
	}
	last := 0
	if after != "" {
		if err := database.ParseCursor(after, &last); err != nil {
			return nil, err
		}
	}
	if err := g.comparing.Acquire(ctx, 1); err != nil {
		return nil, fault.Wrap(
			err, fault.Timeout, "too many requests wait for the comparison of all pictures, try again",
		)
	}
	defer g.comparing.Release(1)
	pictures, err := g.index.hashes(ctx)
	if err != nil {
		return nil, err
	}
	groups := search.GroupSimilar(pictures)
	start, _ := slices.BinarySearchFunc(
		groups, last+1, func(group []int, id int) int { return cmp.Compare(group[0], id) },
	)
	p := database.FirstOf(groups[start:], func(group []int) string { return database.Cursor(group[0]) }, first)
	page, list := &similar{g: g}, make([]*SimilarGroup, len(p.Items))
	for i, group := range p.Items {
		ids := group[:min(len(group), groupFiles)]
		page.groups = append(page.groups, ids)
		list[i] = &SimilarGroup{Count: int32(len(group)), ids: ids, page: page}
	}
	p.Before = start > 0
	return database.WithItems(p, list), nil
}

// hashes returns the hash and other compared values of every picture that the caller may see.
func (x *index) hashes(ctx context.Context) ([]search.Picture, error) {
	viewable, args, err := x.viewable(ctx, "parent_id")
	if err != nil {
		return nil, err
	}
	const all = "SELECT id, phash, sha256 FROM entries WHERE phash IS NOT NULL AND NOT hidden"
	rows, err := x.db.QueryContext(ctx, x.db.Numbered(all+viewable), args...)
	if err != nil {
		return nil, database.Translate(err)
	}
	defer rows.Close()
	var list []search.Picture
	for rows.Next() {
		var p search.Picture
		var hash int64
		var sum []byte
		if err := rows.Scan(&p.ID, &hash, &sum); err != nil {
			return nil, err
		}
		p.Hash = uint64(hash)
		if p.Bytes = uint64(p.ID); len(sum) >= 8 {
			p.Bytes = binary.BigEndian.Uint64(sum)
		}
		list = append(list, p)
	}
	return list, database.Translate(rows.Err())
}

// load returns the files of all groups by id.
func (p *similar) load(ctx context.Context) (map[int]*File, error) {
	return p.g.filesByID(ctx, slices.Concat(p.groups...))
}
