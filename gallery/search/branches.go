package search

import (
	"context"
	"slices"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent/entry"
)

// maxIDs is the number of ids in a statement.
const maxIDs = 500

// Branches returns which of these folders hold visible folders, in no order.
func Branches(ctx context.Context, db *database.DB, folders []int) ([]int, error) {
	var all []int
	for part := range slices.Chunk(folders, maxIDs) {
		var found []int
		err := db.Entry.Query().Where(entry.ParentIDIn(part...), entry.Kind(KindFolder), entry.Hidden(false)).GroupBy(entry.FieldParentID).Scan(ctx, &found)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}
