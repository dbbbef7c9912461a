package storage

import "context"

// versionOpener is a store that compares the version in the same request that reads the file.
type versionOpener interface {
	OpenVersion(ctx context.Context, st Stat) (Object, error)
}

// OpenVersion opens the file that st describes. If the file has changed since, IsChanged reports true for the error,
// which may come from a later read. On a bucket, this takes a single request, which begins to read the whole file.
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
