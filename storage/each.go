package storage

import (
	"context"
	"iter"
)

// lister is a store that lists a whole folder at the cost of a page.
type lister interface {
	Each(ctx context.Context, key Key, o ListOptions) iter.Seq2[Stat, error]
}

// wrapper is a store that wraps another one without changing its listings.
type wrapper interface{ Unwrap() Store }

// Each yields all entries directly in the folder key after o.PageToken, in the order of List; o.Limit is ignored. It
// ends after an error, which is one of List. Entries that are added or removed meanwhile may be among them or not.
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
