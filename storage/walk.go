package storage

import (
	"context"
	"slices"
)

// Walk calls do for each object in a folder at any depth, including hidden ones. It leaves out the keys in skip and
// folders behind symbolic links. The first error ends it.
func Walk(ctx context.Context, s Store, folder Key, skip []Key, do func(Key) error) error {
	for e, err := range Each(ctx, s, folder, ListOptions{ShowHidden: true}) {
		switch {
		case err != nil:
		case e.Linked || slices.Contains(skip, e.Key):
		case e.IsFolder:
			err = Walk(ctx, s, e.Key, skip, do)
		default:
			err = do(e.Key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
