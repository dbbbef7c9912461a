package gallery

import (
	"context"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/words"
)

// TagFiles adds tags to files and removes others; all other tags stay. Tags are compared without case. fault.Invalid for an
// invalid tag, and for one that is both added and removed.
func (g *Gallery) TagFiles(ctx context.Context, paths, add, remove []string) ([]*BulkResult, error) {
	add, err := checkTags(add)
	if err != nil {
		return nil, fault.WithField(err, "add")
	}
	remove, err = checkTags(remove)
	if err != nil {
		return nil, fault.WithField(err, "remove")
	}
	if len(add)+len(remove) == 0 {
		return nil, fault.OnField(fault.Invalid, "add", "no tag to add or remove is named")
	}
	gone := map[string]bool{}
	for _, t := range remove {
		gone[words.Fold(t)] = true
	}
	for _, t := range add {
		if gone[words.Fold(t)] {
			return nil, fault.OnField(fault.Invalid, "remove", "the tag %s is both added and removed", t)
		}
	}
	return g.each(ctx, paths, "paths", func(p string, r *BulkResult) (err error) {
		r.Tagged, err = g.UpdateFile(ctx, UpdateFileInput{Path: p, retag: func(tags []string) []string { return retagged(tags, add, gone) }})
		return err
	})
}

// retagged returns tags without the removed ones, followed by the added ones.
func retagged(tags, add []string, gone map[string]bool) []string {
	list, has := []string{}, map[string]bool{}
	for _, t := range tags {
		if key := words.Fold(t); !gone[key] && !has[key] {
			has[key] = true
			list = append(list, t)
		}
	}
	for _, t := range add {
		if !has[words.Fold(t)] {
			list = append(list, t)
		}
	}
	return list
}
