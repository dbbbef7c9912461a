package storage

import (
	"context"
	"iter"
)

// lister is a store that lists a folder as a whole for no more than a page of it.
type lister interface {
	Each(ctx context.Context, key Key, o ListOptions) iter.Seq2[Stat, error]
}

// wrapper is a store that stands before another one and leaves its listings as they are.
type wrapper interface{ Unwrap() Store }

// Each goes through all entries directly in the folder key, in the order of List, from o.PageToken on;
// o.Limit is of no use. After an error, which are those of List, nothing follows. What comes or goes meanwhile may
// be among them or not.
func Each(ctx context.Context, store Store, key Key, o ListOptions) iter.Seq2[Stat, error] {
	if l, ok := as[lister](store); ok {
		return l.Each(ctx, key, o)
	}
	return eachPage(ctx, store, key, o)
}

func eachPage(ctx context.Context, store Store, key Key, o ListOptions) iter.Seq2[Stat, error] {
	return func(yield func(Stat, error) bool) {
		for o.Limit = 0; ; {
			p, err := store.List(ctx, key, o)
			if err != nil {
				yield(Stat{}, err)
				return
			}
			for _, s := range p.Entries {
				if !yield(s, nil) {
					return
				}
			}
			if o.PageToken = p.NextToken; o.PageToken == "" {
				return
			}
		}
	}
}
