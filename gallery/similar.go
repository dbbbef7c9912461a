package gallery

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/fault"
)

// maxDistance is the most bits in which the perceptual hashes of similar pictures may differ.
const maxDistance = 11

// SimilarFile is a picture that looks like another one.
type SimilarFile struct {
	File     *File
	Distance int32 // bits of the perceptual hash that differ, 0 to 11
}

// SimilarFiles returns the first, 1 to 100, pictures whose perceptual hash differs from that of f in distance bits, 0 to 11, at
// most, the likest first; f itself is none of them. All of them are found that the index has looked at.
// fault.Invalid for a file that is no picture.
func (g *Gallery) SimilarFiles(ctx context.Context, f *File, distance, first int) ([]*SimilarFile, error) {
	if distance < 0 || distance > maxDistance {
		return nil, fault.OnField(fault.Invalid, "maxDistance", "maxDistance is %d, expected 0 to %d", distance, maxDistance)
	}
	if err := database.CheckPage(first); err != nil {
		return nil, err
	}
	row, err := g.lookedAt(ctx, f.row)
	if err != nil {
		return nil, err
	}
	if row.Phash == nil {
		if row.MetaState == metaPending {
			return nil, fault.New(fault.Unavailable, "%s is being looked at, ask again", row.Path)
		}
		return nil, fault.OnField(fault.Invalid, "path", "%s cannot be read as a picture", row.Path)
	}
	near, err := g.nearHashes(ctx, row.ID, *row.Phash, distance, first)
	if err != nil {
		return nil, err
	}
	return g.loadSimilar(ctx, near)
}

// lookedAt returns the row of a file after its bytes were looked at, by a worker or now.
func (g *Gallery) lookedAt(ctx context.Context, row *ent.Entry) (*ent.Entry, error) {
	if row.MetaState != metaPending {
		return row, nil
	}
	if err := g.lookAt(ctx, row.ID); err != nil {
		return nil, err
	}
	for { // a worker may have been at it already
		if _, busy := g.looking.Load(row.ID); !busy {
			break
		}
		select {
		case <-ctx.Done():
			return nil, fault.Wrap(ctx.Err(), fault.Timeout, "%s is being looked at, ask again", row.Path)
		case <-time.After(20 * time.Millisecond):
		}
	}
	row, err := g.db.Entry.Get(ctx, row.ID)
	if ent.IsNotFound(err) {
		return nil, fault.OnField(fault.NotFound, "path", "it does not exist any more")
	}
	return row, database.Translate(err)
}

// likeness is an entry and how far its hash is from another.
type likeness struct{ id, distance int }

// nearHashes finds entries by the four quarters of their hashes: of d bits that differ, one quarter has at most d/4, so that
// it is enough to look, by an index, for the quarters that differ by as much, and to count the bits of what is found.
func (g *Gallery) nearHashes(ctx context.Context, id int, hash int64, distance, first int) ([]likeness, error) {
	var parts []string
	for _, shift := range []int{48, 32, 16, 0} {
		quarter := uint16(uint64(hash) >> shift)
		parts = append(parts, fmt.Sprintf("SELECT id, phash FROM entries WHERE %s IN (%s) AND phash IS NOT NULL AND NOT hidden",
			quarterOf(shift), neighbours(quarter, distance/4)))
	}
	rows, err := g.db.QueryContext(ctx, strings.Join(parts, " UNION "))
	if err != nil {
		return nil, database.Translate(err)
	}
	defer rows.Close()
	var list []likeness
	for rows.Next() {
		var n likeness
		var other int64
		if err := rows.Scan(&n.id, &other); err != nil {
			return nil, err
		}
		if n.distance = bits.OnesCount64(uint64(hash ^ other)); n.distance <= distance && n.id != id {
			list = append(list, n)
		}
	}
	slices.SortFunc(list, func(a, b likeness) int { return cmp.Or(a.distance-b.distance, a.id-b.id) })
	return list[:min(first, len(list))], database.Translate(rows.Err())
}

// quarterOf is the expression that the indexes of migration `similar` hold.
func quarterOf(shift int) string {
	if shift == 0 {
		return "(phash & 65535)"
	}
	return fmt.Sprintf("((phash >> %d) & 65535)", shift)
}

// neighbours lists the values that differ from v in radius bits at most: 1, 17 or 137 of them.
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

func (g *Gallery) loadSimilar(ctx context.Context, found []likeness) ([]*SimilarFile, error) {
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
		if f := files[n.id]; f != nil { // else it was removed meanwhile
			list = append(list, &SimilarFile{File: f, Distance: int32(n.distance)})
		}
	}
	return list, nil
}

// filesByID loads files of one answer.
func (g *Gallery) filesByID(ctx context.Context, ids []int) (map[int]*File, error) {
	rows, err := g.db.Entry.Query().Where(entry.IDIn(ids...)).Select(cheap...).All(ctx)
	if err != nil {
		return nil, database.Translate(err)
	}
	files, p := make(map[int]*File, len(rows)), &page{g: g, rows: rows}
	for _, r := range rows {
		files[r.ID] = &File{row: r, g: g, page: p}
	}
	return files, nil
}
