package gallery

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/search"
)

// maxDistance bounds, in bits, the distance of perceptual hashes of similar pictures.
const maxDistance = 11

// SimilarFile is a picture that looks like the one asked about.
type SimilarFile struct {
	File     *File
	Distance int32 // bits of the perceptual hash that differ, 0 to 11
}

// Cursor returns what SimilarFiles takes as after to continue behind the file.
func (s *SimilarFile) Cursor() string { return fmt.Sprintf("%d:%d", s.Distance, s.File.row.ID) }

// SimilarFiles returns 1 to 100 analyzed pictures whose perceptual hash differs from that of f in at most distance
// bits, 0 to 11, most similar first, without f itself, behind the one of a cursor; an empty cursor is the start.
// fault.Invalid for files that are not pictures.
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
		if n, err := fmt.Sscanf(after, "%d:%d", &last.Distance, &last.ID); n != 2 || err != nil {
			return nil, fault.OnField(
				fault.Invalid, "after",
				"the cursor does not belong to similarFiles, expected pageInfo.endCursor of the previous page",
			)
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
	p := database.PageOf(near, start, first)
	files, err := loadSimilar(ctx, g, p.Items)
	return &database.Page[*SimilarFile]{Items: files, Before: p.Before, After: p.After, Count: p.Count}, err
}

// analyzed returns the row of a file after its analysis, by a worker or now.
func analyzed(ctx context.Context, g *Gallery, row *ent.Entry) (*ent.Entry, error) {
	if row.MetaState != metaPending {
		return row, nil
	}
	if err := g.analyze(ctx, row.ID); err != nil {
		return nil, err
	}
	for { // a worker may be at it already
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

func loadSimilar(ctx context.Context, g *Gallery, found []search.Neighbor) ([]*SimilarFile, error) {
	ids := make([]int, len(found))
	for i, n := range found {
		ids[i] = n.ID
	}
	files, err := g.filesByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	list := []*SimilarFile{}
	for _, n := range found {
		if f := files[n.ID]; f != nil { // else it was deleted since
			list = append(list, &SimilarFile{File: f, Distance: int32(n.Distance)})
		}
	}
	return list, nil
}

// filesByID loads files of one answer.
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

// SimilarGroup is a group of pictures that look the same and have different bytes.
type SimilarGroup struct {
	Count int32
	ids   []int // of the first 100
	page  *similar
}

// Files returns the first 100, the most pixels first.
func (s *SimilarGroup) Files(ctx context.Context) ([]*File, error) {
	all, err := s.page.files.get(func() (map[int]*File, error) { return s.page.load(ctx) })
	files := []*File{}
	for _, id := range s.ids {
		if f := all[id]; f != nil { // else it was deleted since
			files = append(files, f)
		}
	}
	slices.SortStableFunc(files, func(a, b *File) int { return cmp.Compare(b.row.Pixels, a.row.Pixels) })
	return files, err
}

// Cursor returns what SimilarGroups takes as after to continue behind the group.
func (s *SimilarGroup) Cursor() string { return strconv.Itoa(s.ids[0]) }

// similar loads the files of all groups of a page at once.
type similar struct {
	g      *Gallery
	groups [][]int // the first 100 ids of each
	files  once[map[int]*File]
}

// SimilarGroups returns groups of pictures that look the same, in the order of their oldest pictures, 1 to 100 at once,
// after the group of a cursor. It covers analyzed pictures, except hidden files and the trash, and compares all of them
// on each call, one call at a time.
func (g *Gallery) SimilarGroups(ctx context.Context, first int, after string) (*database.Page[*SimilarGroup], error) {
	if err := database.CheckPage(first); err != nil {
		return nil, err
	}
	last, err := strconv.Atoi(cmp.Or(after, "0"))
	if err != nil {
		return nil, fault.OnField(
			fault.Invalid, "after",
			"the cursor does not belong to similarGroups, expected pageInfo.endCursor of the previous page",
		)
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
	p := database.FirstOf(groups[start:], first)
	page, list := &similar{g: g}, make([]*SimilarGroup, len(p.Items))
	for i, group := range p.Items {
		ids := group[:min(len(group), groupFiles)]
		page.groups = append(page.groups, ids)
		list[i] = &SimilarGroup{Count: int32(len(group)), ids: ids, page: page}
	}
	return &database.Page[*SimilarGroup]{Items: list, Before: start > 0, After: p.After}, nil
}

// hashes returns what is compared of every picture that the caller may see.
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
