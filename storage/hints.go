package storage

import (
	"context"
	"slices"
)

// Hints tell a store what the caller already knows about the names in its next calls. They save requests to buckets;
// other stores ignore them.
type Hints struct {
	FilesOnly bool   // no name in the calls belongs to a folder
	Folders   []Key  // folders that exist; an outdated hint does no harm
	Fresh     Key    // a random name that cannot exist yet; empty: none
	Files     []Stat // versions to copy or move; S3 compares them, so an outdated hint only costs requests
}

type hintsKey struct{}

// WithHints returns a context with hints, which replace those of ctx.
func WithHints(ctx context.Context, k Hints) context.Context {
	return context.WithValue(ctx, hintsKey{}, k)
}

// FilesOnly returns a context that adds the hint FilesOnly to the hints of ctx.
func FilesOnly(ctx context.Context) context.Context {
	k := hintsIn(ctx)
	k.FilesOnly = true
	return WithHints(ctx, k)
}

func hintsIn(ctx context.Context) Hints {
	k, _ := ctx.Value(hintsKey{}).(Hints)
	return k
}

// isFresh reports whether the name k cannot exist yet.
func (n Hints) isFresh(k Key) bool { return n.Fresh != "" && n.Fresh.Holds(k) }

// version returns the hinted version of a file, or false if there is none.
func (n Hints) version(k Key) (objectInfo, bool) {
	i := slices.IndexFunc(n.Files, func(s Stat) bool { return s.Key == k && s.ETag != "" && !s.IsFolder })
	if i < 0 {
		return objectInfo{}, false
	}
	s := n.Files[i]
	return objectInfo{name: string(k), size: s.Size, modified: s.Modified, etag: s.ETag}, true
}
