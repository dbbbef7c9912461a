package search

import (
	"context"
	"fmt"
	"math/bits"
	"sort"
	"strconv"
	"strings"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/gallery/access"
)

// Neighbor is an entry with the distance of its perceptual hash in bits.
type Neighbor struct{ ID, Distance int }

// Near returns the pictures that the caller may view and whose perceptual hash differs from hash by at most
// distance bits, 0 to 11, nearest first, except for the entry id.
//
// It uses the four quarters of hashes. If d bits differ, at least one quarter differs by at most d/4 bits. So
// a lookup of similar quarters in the index finds all candidates, whose differing bits are then counted.
// PostgreSQL overestimates the number of candidates by a factor of 80 or more, and would read the whole table
// four times.
func Near(
	ctx context.Context, db *database.DB, scope access.Scope, id int, hash int64, distance int,
) ([]Neighbor, error) {
	viewable, each, err := Viewable(ctx, db, scope, "parent_id")
	if err != nil {
		return nil, err
	}
	var parts []string
	var args []any
	for _, shift := range []int{48, 32, 16, 0} {
		quarter := uint16(uint64(hash) >> shift)
		parts = append(
			parts,
			fmt.Sprintf("SELECT id, phash FROM entries WHERE %s IN (%s) AND phash IS NOT NULL AND NOT hidden",
				quarterOf(shift), neighbors(quarter, distance/4))+viewable,
		)
		args = append(args, each...)
	}
	type candidate struct {
		id   int
		hash int64
	}
	var candidates []candidate
	err = db.Lookup(ctx, func(tx *ent.Client) (err error) {
		statement := db.Numbered(strings.Join(parts, " UNION ALL "))
		candidates, err = database.Rows(
			ctx, tx, statement, args, func(c *candidate) []any { return []any{&c.id, &c.hash} },
		)
		return err
	})
	found := map[int]int{}
	for _, c := range candidates {
		if d := bits.OnesCount64(uint64(hash ^ c.hash)); d <= distance && c.id != id {
			found[c.id] = d
		}
	}
	list := make([]Neighbor, 0, len(found))
	for other, d := range found {
		list = append(list, Neighbor{other, d})
	}
	sort.Slice(list, func(i, j int) bool {
		a, b := list[i], list[j]
		return a.Distance < b.Distance || a.Distance == b.Distance && a.ID < b.ID
	})
	return list, err
}

// quarterOf is the expression of the indexes of the migration `alike`.
func quarterOf(shift int) string {
	if shift == 0 {
		return "(phash & 65535)"
	}
	return fmt.Sprintf("((phash >> %d) & 65535)", shift)
}

// neighbors lists the 1, 17 or 137 values that differ from v by at most radius bits.
func neighbors(v uint16, radius int) string {
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
