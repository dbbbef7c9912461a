package storage

import (
	"context"
	"slices"
)

// Hints are what a caller already knows of the names in the next calls. They save a bucket requests; other stores
// ignore them.
type Hints struct {
	FilesOnly bool   // no name belongs to a folder
	Folders   []Key  // folders that exist; an outdated hint does no harm
	Fresh     Key    // a random name that nothing can have yet; empty: none
	Files     []Stat // versions to copy or move; S3 compares them, so an outdated hint costs requests and nothing else
}

type hintsKey struct{}

// WithHints returns a context with hints, which replace those of ctx.
func WithHints(ctx context.Context, k Hints) context.Context {
	return context.WithValue(ctx, hintsKey{}, k)
}

// FilesOnly returns a context with the hints of ctx and the hint FilesOnly.
func FilesOnly(ctx context.Context) context.Context {
	k := hintsIn(ctx)
	k.FilesOnly = true
	return WithHints(ctx, k)
}

func hintsIn(ctx context.Context) Hints {
	k, _ := ctx.Value(hintsKey{}).(Hints)
	return k
}

// isFresh reports whether nothing can have the name k.
func (n Hints) isFresh(k Key) bool { return n.Fresh != "" && n.Fresh.Holds(k) }

// version returns the hinted version of a file; false if there is none.
func (n Hints) version(k Key) (objectInfo, bool) {
	i := slices.IndexFunc(n.Files, func(s Stat) bool { return s.Key == k && s.ETag != "" && !s.IsFolder })
	if i < 0 {
		return objectInfo{}, false
	}
	s := n.Files[i]
	return objectInfo{name: string(k), size: s.Size, modified: s.Modified, etag: s.ETag}, true
}
