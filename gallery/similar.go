package gallery

import (
	"context"
	"fmt"
	"math/bits"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/fault"
)

// maxDistance bounds, in bits, the distance of perceptual hashes of similar pictures.
const maxDistance = 11

// SimilarFile is a picture that looks like another one.
type SimilarFile struct {
	File     *File
	Distance int32 // bits of the perceptual hash that differ, 0 to 11
}

// SimilarFiles returns 1 to 100 analysed pictures whose perceptual hash differs from that of f in at most distance bits, 0
// to 11, most similar first, without f itself. fault.Invalid for files that are not pictures.
func (g *Gallery) SimilarFiles(ctx context.Context, f *File, distance, first int) ([]*SimilarFile, error) {
	if distance < 0 || distance > maxDistance {
		return nil, fault.OnField(fault.Invalid, "maxDistance", "maxDistance is %d, expected 0 to %d", distance, maxDistance)
	}
	if err := database.CheckPage(first); err != nil {
		return nil, err
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
	near, err := g.index.nearHashes(ctx, row.ID, *row.Phash, distance, first)
	if err != nil {
		return nil, err
	}
	return loadSimilar(ctx, g, near)
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

// neighbor is an entry and the distance of its hash.
type neighbor struct{ id, distance int }

// nearHashes uses the four quarters of hashes: of d differing bits one quarter has at most d/4, so an index lookup of quarters
// that close finds all candidates, whose bits are counted then.
func (x *index) nearHashes(ctx context.Context, id int, hash int64, distance, first int) ([]neighbor, error) {
	var parts []string
	for _, shift := range []int{48, 32, 16, 0} {
		quarter := uint16(uint64(hash) >> shift)
		parts = append(parts, fmt.Sprintf("SELECT id, phash FROM entries WHERE %s IN (%s) AND phash IS NOT NULL AND NOT hidden",
			quarterOf(shift), neighbours(quarter, distance/4)))
	}
	rows, err := x.db.QueryContext(ctx, strings.Join(parts, " UNION "))
	if err != nil {
		return nil, database.Translate(err)
	}
	defer rows.Close()
	var list []neighbor
	for rows.Next() {
		var n neighbor
		var other int64
		if err := rows.Scan(&n.id, &other); err != nil {
			return nil, err
		}
		if n.distance = bits.OnesCount64(uint64(hash ^ other)); n.distance <= distance && n.id != id {
			list = append(list, n)
		}
	}
	sort.Slice(list, func(i, j int) bool {
		a, b := list[i], list[j]
		return a.distance < b.distance || a.distance == b.distance && a.id < b.id
	})
	return list[:min(first, len(list))], database.Translate(rows.Err())
}

// quarterOf is the expression of the indexes of migration `similar`.
func quarterOf(shift int) string {
	if shift == 0 {
		return "(phash & 65535)"
	}
	return fmt.Sprintf("((phash >> %d) & 65535)", shift)
}

// neighbours lists the values that differ from v in at most radius bits: 1, 17 or 137 of them.
func neighbours(v uint16, radius int) string {
	list := []string{strconv.Itoa(int(v))}
	for i := 0; radius > 0 && i < 16; i++ {
		one := v ^ 1<<i
		list = append(list, strconv.Itoa(int(one)))
		for j := 0; radius > 1 && j < i; j++ {
			list = append(list, strconv.Itoa(int(one^1<<j)))
		}
	}
	return strings.Join(list, ",")
}

func loadSimilar(ctx context.Context, g *Gallery, found []neighbor) ([]*SimilarFile, error) {
	ids := make([]int, len(found))
	for i, n := range found {
		ids[i] = n.id
	}
	files, err := g.filesByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	list := []*SimilarFile{}
	for _, n := range found {
		if f := files[n.id]; f != nil { // else it was deleted since
			list = append(list, &SimilarFile{File: f, Distance: int32(n.distance)})
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
