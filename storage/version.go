package storage

import "context"

// versionOpener is a store that compares the version of a file with the request that reads it.
type versionOpener interface {
	OpenVersion(ctx context.Context, st Stat) (Object, error)
}

// OpenVersion opens the file that st describes. If it is another version by now, IsChanged reports true for the error,
// here or of a later read. On a bucket this is one request, which begins to read the whole file: a Stat or an Open before it
// would be another one.
func OpenVersion(ctx context.Context, s Store, st Stat) (Object, error) {
	if v, ok := as[versionOpener](s); ok {
		return v.OpenVersion(ctx, st)
	}
	o, err := s.Open(ctx, st.Key)
	if err != nil {
		return nil, err
	}
	if now := o.Stat(); now.ETag != st.ETag || now.Size != st.Size {
		o.Close()
		return nil, changed(st.Key)
	}
	return o, nil
}
