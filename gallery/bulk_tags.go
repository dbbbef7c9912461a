package gallery

import (
	"context"

	"github.com/safelight/safelight/fault"
)

// TagFiles adds tags to files and removes others; those that a file has besides stay. Tags that differ in case only
// are the same. fault.Invalid when a tag is none, or is to be added and removed.
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
		return nil, fault.OnField(fault.Invalid, "add", "there is no tag to be added or removed")
	}
	gone := map[string]bool{}
	for _, t := range remove {
		gone[fold(t)] = true
	}
	for _, t := range add {
		if gone[fold(t)] {
			return nil, fault.OnField(fault.Invalid, "remove", "the tag %s is to be added and removed", t)
		}
	}
	return g.each(ctx, paths, "paths", func(p string, r *BulkResult) (err error) {
		r.Tagged, err = g.UpdateFile(ctx, UpdateFileInput{Path: p, retag: func(tags []string) []string { return retagged(tags, add, gone) }})
		return err
	})
}

// retagged returns tags without those that are gone, and with those that are added behind them.
func retagged(tags, add []string, gone map[string]bool) []string {
	list, has := []string{}, map[string]bool{}
	for _, t := range tags {
		if key := fold(t); !gone[key] && !has[key] {
			has[key] = true
			list = append(list, t)
		}
	}
	for _, t := range add {
		if !has[fold(t)] {
			list = append(list, t)
		}
	}
	return list
}
