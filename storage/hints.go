package storage

import (
	"context"
	"slices"
)

// Known is what a caller knows of the names that it is about to work on. It saves a bucket the requests to look; other stores ignore it.
type Hints struct {
	FilesOnly bool   // no name is a folder's
	Folders   []Key  // exist; one that went a moment ago does no harm
	Fresh     Key    // a name that the caller has made up: nothing is there, nor in it. Empty: none
	Files     []Stat // versions to copy or move; S3 compares them, so a wrong one costs requests and changes nothing
}

type hintsKey struct{}

// WithHints returns a context with the knowledge of its caller; that of ctx is replaced.
func WithHints(ctx context.Context, k Hints) context.Context {
	return context.WithValue(ctx, hintsKey{}, k)
}

// FilesOnly returns a context in which no name is a folder's; the other knowledge of ctx stays.
func FilesOnly(ctx context.Context) context.Context {
	k := hintsIn(ctx)
	k.FilesOnly = true
	return WithHints(ctx, k)
}

func hintsIn(ctx context.Context) Hints {
	k, _ := ctx.Value(hintsKey{}).(Hints)
	return k
}

// isFresh reports whether nothing can be called k.
func (n Hints) isFresh(k Key) bool { return n.Fresh != "" && n.Fresh.Holds(k) }

// version returns the object of a file; false if it is not known.
func (n Hints) version(k Key) (objectInfo, bool) {
	i := slices.IndexFunc(n.Files, func(s Stat) bool { return s.Key == k && s.ETag != "" && !s.IsFolder })
	if i < 0 {
		return objectInfo{}, false
	}
	s := n.Files[i]
	return objectInfo{name: string(k), size: s.Size, modified: s.Modified, etag: s.ETag}, true
}
