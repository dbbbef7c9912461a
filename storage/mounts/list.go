package mounts

import (
	"context"
	"iter"
	"strconv"
	"strings"

	"github.com/safelight/safelight/storage"
)

// tokenMount starts page tokens of the root that hold the number of the next mount: mounts are listed first. Other
// tokens are those of the main storage. Names cannot contain this character.
const tokenMount = "\x00"

// List implements storage.Store.
func (t *Tree) List(ctx context.Context, k storage.Key, o storage.ListOptions) (storage.Page, error) {
	if k == "" {
		return t.listRoot(ctx, o)
	}
	p, rest := t.locate(k)
	var page storage.Page
	err := p.call(
		ctx,
		func(ctx context.Context, s storage.Store) (err error) { page, err = s.List(ctx, rest, o); return err },
	)
	if err == nil {
		err = p.checkPresent()
	}
	if err != nil {
		return storage.Page{}, err
	}
	for i, s := range page.Entries {
		page.Entries[i] = p.stat(s)
	}
	return page, nil
}

// fromMount returns the number of the mount with which a listing of the root continues.
func (t *Tree) fromMount(token string) int {
	text, ok := strings.CutPrefix(token, tokenMount)
	if token == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if !ok || err != nil || n < 0 || n > len(t.mounts) {
		return len(t.mounts)
	}
	return n
}

func (t *Tree) listRoot(ctx context.Context, o storage.ListOptions) (storage.Page, error) {
	o.Limit = o.PageSize()
	var page storage.Page
	next := t.fromMount(o.PageToken)
	for ; next < len(t.mounts) && len(page.Entries) < o.Limit; next++ {
		page.Entries = append(page.Entries, t.mounts[next].folderStat())
	}
	if strings.HasPrefix(o.PageToken, tokenMount) {
		o.PageToken = ""
	}
	if o.Limit -= len(page.Entries); o.Limit == 0 {
		page.NextToken = tokenMount + strconv.Itoa(next)
		return page, nil
	}
	main, err := t.main.store.List(ctx, "", o)
	if err != nil {
		return storage.Page{}, err
	}
	for _, s := range main.Entries {
		if t.mount(s.Key) == nil {
			page.Entries = append(page.Entries, s)
		}
	}
	page.NextToken = main.NextToken
	return page, nil
}

func (p *part) folderStat() storage.Stat { return storage.Stat{Key: p.Name, IsFolder: true} }

// Each lists a folder as its storage does.
func (t *Tree) Each(ctx context.Context, k storage.Key, o storage.ListOptions) iter.Seq2[storage.Stat, error] {
	p, rest := t.locate(k)
	return func(yield func(storage.Stat, error) bool) {
		if k == "" {
			for _, m := range t.mounts[t.fromMount(o.PageToken):] {
				if !yield(m.folderStat(), nil) {
					return
				}
			}
			if strings.HasPrefix(o.PageToken, tokenMount) {
				o.PageToken = ""
			}
		}
		s, err := p.get(ctx)
		if err != nil {
			yield(storage.Stat{}, err)
			return
		}
		for e, err := range storage.Each(ctx, s, rest, o) {
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
		if err := p.checkPresent(); err != nil { // the listing may be that of an unmounted file system
			yield(storage.Stat{}, err)
		}
	}
}
