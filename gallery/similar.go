package gallery

import (
	"context"
	"fmt"
	"sort"
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/search"
)

// maxDistance bounds, in bits, the distance of perceptual hashes of similar pictures.
const maxDistance = 11

// SimilarFile is a picture that looks like another one.
type SimilarFile struct {
	File     *File
	Distance int32 // bits of the perceptual hash that differ, 0 to 11
}

// Cursor returns what SimilarFiles takes as after to continue behind the file.
func (s *SimilarFile) Cursor() string { return fmt.Sprintf("%d:%d", s.Distance, s.File.row.ID) }

// SimilarFilePage is a page of similar pictures, most similar first.
type SimilarFilePage struct {
	Files         []*SimilarFile
	Before, After bool // whether there are files before and after the page
	Total         int  // of all pages
}

// SimilarFiles returns 1 to 100 analysed pictures whose perceptual hash differs from that of f in at most distance bits, 0
// to 11, most similar first, without f itself, behind the one of a cursor; an empty cursor is the start. fault.Invalid for
// files that are not pictures.
func (g *Gallery) SimilarFiles(ctx context.Context, f *File, distance, first int, after string) (*SimilarFilePage, error) {
	if distance < 0 || distance > maxDistance {
		return nil, fault.OnField(fault.Invalid, "maxDistance", "maxDistance is %d, expected 0 to %d", distance, maxDistance)
	}
	if err := database.CheckPage(first); err != nil {
		return nil, err
	}
	last := search.Neighbor{Distance: -1}
	if after != "" {
		if n, err := fmt.Sscanf(after, "%d:%d", &last.Distance, &last.ID); n != 2 || err != nil {
			return nil, fault.OnField(fault.Invalid, "after", "the cursor does not belong to similarFiles, expected pageInfo.endCursor of the previous page")
		}
	}
	row, err := analysed(ctx, g, f.row)
	if err != nil {
		return nil, err
	}
	if row.Phash == nil {
		if row.MetaState == metaPending {
			return nil, fault.New(fault.Unavailable, "%s is being analysed, try again", row.Path)
		}
		return nil, fault.OnField(fault.Invalid, "path", "%s cannot be read as a picture", row.Path)
	}
	near, err := search.Near(ctx, g.db, row.ID, *row.Phash, distance)
	if err != nil {
		return nil, err
	}
	start := sort.Search(len(near), func(i int) bool {
		n := near[i]
		return n.Distance > last.Distance || n.Distance == last.Distance && n.ID > last.ID
	})
	end := min(start+first, len(near))
	files, err := loadSimilar(ctx, g, near[start:end])
	return &SimilarFilePage{Files: files, Before: start > 0, After: end < len(near), Total: len(near)}, err
}

// analysed returns the row of a file after its analysis, by a worker or now.
func analysed(ctx context.Context, g *Gallery, row *ent.Entry) (*ent.Entry, error) {
	if row.MetaState != metaPending {
		return row, nil
	}
	if err := g.analyse(ctx, row.ID); err != nil {
		return nil, err
	}
	for { // a worker may be at it already
		if _, busy := g.analysing.Load(row.ID); !busy {
			break
		}
		select {
		case <-ctx.Done():
			return nil, fault.Wrap(ctx.Err(), fault.Timeout, "%s is being analysed, try again", row.Path)
		case <-time.After(20 * time.Millisecond):
		}
	}
	row, err := g.db.Entry.Get(ctx, row.ID)
	if ent.IsNotFound(err) {
		return nil, fault.OnField(fault.NotFound, "path", "it no longer exists")
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
	files, p := make(map[int]*File, len(rows)), &page{g: g, rows: rows}
	for _, r := range rows {
		files[r.ID] = &File{row: r, g: g, page: p}
	}
	return files, nil
}
