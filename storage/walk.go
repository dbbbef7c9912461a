package storage

import (
	"context"
	"iter"
	"slices"
)

// Walk calls do for each object in a folder at any depth, including hidden ones. It skips the keys in skip and folders
// behind symbolic links, and stops at the first error.
func Walk(ctx context.Context, s Store, folder Key, skip []Key, do func(Stat) error) error {
	for e, err := range s.List(ctx, folder, ListOptions{ShowHidden: true}) {
		switch {
		case err != nil:
		case e.Linked || slices.Contains(skip, e.Key):
		case e.IsFolder:
			err = Walk(ctx, s, e.Key, skip, do)
		default:
			err = do(e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// IsEmpty reports whether a folder has no entries, including hidden ones.
func IsEmpty(ctx context.Context, s Store, folder Key) (bool, error) {
	for _, err := range s.List(ctx, folder, ListOptions{ShowHidden: true}) {
		return false, err
	}
	return true, nil
}

// Entries collects the entries of a listing.
func Entries(list iter.Seq2[Stat, error]) (all []Stat, err error) {
	for s, err := range list {
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}
