package mounts

import (
	"context"
	"iter"

	"github.com/safelight/safelight/storage"
)

func (p *part) folderStat() storage.Stat { return storage.Stat{Key: p.Name, IsFolder: true} }

// List implements storage.Store. In the root, mounts come first.
func (t *Tree) List(ctx context.Context, k storage.Key, o storage.ListOptions) iter.Seq2[storage.Stat, error] {
	p, rest := t.locate(k)
	return func(yield func(storage.Stat, error) bool) {
		if k == "" {
			for _, m := range t.mounts {
				if !yield(m.folderStat(), nil) {
					return
				}
			}
		}
		s, err := p.get(ctx)
		if err != nil {
			yield(storage.Stat{}, err)
			return
		}
		for e, err := range s.List(ctx, rest, o) {
			if err != nil {
				yield(storage.Stat{}, p.nameMount(err))
				return
			}
			if k == "" && t.mount(e.Key) != nil {
				continue
			}
			if !yield(p.stat(e), nil) {
				return
			}
		}
		if err := p.checkPresent(); err != nil { // the listing may be of an unmounted file system
			yield(storage.Stat{}, err)
		}
	}
}
