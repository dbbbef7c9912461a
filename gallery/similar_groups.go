package gallery

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/search"
)

// SimilarGroup is a group of pictures that look the same and have different bytes.
type SimilarGroup struct {
	Count int32
	ids   []int // of the first 100
	page  *SimilarPage
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

// SimilarEdge is a group in a page.
type SimilarEdge struct {
	Cursor string
	Node   *SimilarGroup
}

// SimilarPage is a page of groups, in the order of their oldest pictures.
type SimilarPage struct {
	g              *Gallery
	earlier, later bool // groups precede, follow
	files          once[map[int]*File]
	Edges          []*SimilarEdge
}

// SimilarGroups returns groups of pictures that look the same, 1 to 100 at once, after the group of a cursor. It covers
// analysed pictures, except hidden files and the trash, and compares all of them on each call, one call at a time.
func (g *Gallery) SimilarGroups(ctx context.Context, first int, after string) (*SimilarPage, error) {
	if err := database.CheckPage(first); err != nil {
		return nil, err
	}
	last, err := strconv.Atoi(cmp.Or(after, "0"))
	if err != nil {
		return nil, fault.OnField(fault.Invalid, "after", "the cursor does not belong to similarGroups, expected pageInfo.endCursor of the previous page")
	}
	if err := g.comparing.Acquire(ctx, 1); err != nil {
		return nil, fault.Wrap(err, fault.Timeout, "others wait for the comparison of all pictures, try again")
	}
	defer g.comparing.Release(1)
	pictures, err := g.index.hashes(ctx)
	if err != nil {
		return nil, err
	}
	groups := search.GroupSimilar(pictures)
	start, _ := slices.BinarySearchFunc(groups, last+1, func(group []int, id int) int { return cmp.Compare(group[0], id) })
	end := min(start+first, len(groups))
	p := &SimilarPage{g: g, earlier: start > 0, later: end < len(groups), Edges: []*SimilarEdge{}}
	for _, group := range groups[start:end] {
		node := &SimilarGroup{Count: int32(len(group)), ids: group[:min(len(group), groupFiles)], page: p}
		p.Edges = append(p.Edges, &SimilarEdge{Cursor: strconv.Itoa(group[0]), Node: node})
	}
	return p, nil
}

// hashes returns what is compared of every picture.
func (x *index) hashes(ctx context.Context) ([]search.Picture, error) {
	rows, err := x.db.QueryContext(ctx, "SELECT id, phash, sha256 FROM entries WHERE phash IS NOT NULL AND NOT hidden")
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
func (p *SimilarPage) load(ctx context.Context) (map[int]*File, error) {
	var ids []int
	for _, e := range p.Edges {
		ids = append(ids, e.Node.ids...)
	}
	return p.g.filesByID(ctx, ids)
}

// Nodes returns the groups without their cursors.
func (p *SimilarPage) Nodes() []*SimilarGroup {
	nodes := make([]*SimilarGroup, len(p.Edges))
	for i, e := range p.Edges {
		nodes[i] = e.Node
	}
	return nodes
}

// PageInfo describes the page.
func (p *SimilarPage) PageInfo() *PageInfo {
	info := &PageInfo{HasNextPage: p.later, HasPreviousPage: p.earlier}
	if n := len(p.Edges); n > 0 {
		info.StartCursor, info.EndCursor = &p.Edges[0].Cursor, &p.Edges[n-1].Cursor
	}
	return info
}
