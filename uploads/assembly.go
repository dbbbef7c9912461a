package uploads

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/storage"
)

// storedParts describes the parts of an upload in the storage.
func (u *Uploads) storedParts(
	ctx context.Context, row *ent.PendingUpload, parts []*ent.PendingPart,
) ([]storage.Stat, error) {
	found := make(map[string]storage.Stat, len(parts))
	for st, err := range u.store.List(ctx, u.staging(row), storage.ListOptions{ShowHidden: true}) {
		if err != nil {
			return nil, fmt.Errorf("listing the parts of the upload: %w", err)
		}
		found[st.Key.Name()] = st
	}
	list := make([]storage.Stat, len(parts))
	var at int64
	for i, p := range parts {
		st, ok := found[p.Name]
		switch {
		case !ok || p.Start != at:
			return nil, fmt.Errorf("the bytes of the upload from offset %d are missing", at)
		case st.Size != p.Size:
			return nil, fmt.Errorf("a part of the upload has %d bytes, expected %d", st.Size, p.Size)
		}
		list[i], at = st, at+p.Size
	}
	return list, nil
}

// assembly reads the parts of an upload as one file. At most one part is open at a time.
type assembly struct {
	ctx    context.Context
	store  storage.Store
	parts  []storage.Stat
	size   int64
	at     int64
	object storage.Object // the open part; nil if none is open
	end    int64          // offset in the file where the open part ends
}

// newAssembly returns the file that consists of the parts, in this order.
func newAssembly(ctx context.Context, store storage.Store, parts []storage.Stat) *assembly {
	a := &assembly{ctx: ctx, store: store, parts: parts}
	for _, p := range parts {
		a.size += p.Size
	}
	return a
}

// Close closes the open part.
func (a *assembly) Close() error {
	if a.object == nil {
		return nil
	}
	err := a.object.Close()
	a.object = nil
	return err
}

// Seek implements io.Seeker.
func (a *assembly) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += a.at
	case io.SeekEnd:
		offset += a.size
	}
	if offset < 0 {
		return a.at, errors.New("seeking before the start of an upload")
	}
	if offset == a.at {
		return offset, nil
	}
	a.at = offset
	return offset, a.Close()
}

// Read implements io.Reader.
func (a *assembly) Read(b []byte) (int, error) {
	for {
		if a.at >= a.size {
			return 0, io.EOF
		}
		if a.object == nil {
			if err := a.open(); err != nil {
				return 0, fmt.Errorf("opening a part of the upload: %w", err)
			}
		}
		n, err := a.object.Read(b[:min(int64(len(b)), a.end-a.at)])
		a.at += int64(n)
		if errors.Is(err, io.EOF) {
			err = nil
			if n == 0 && a.at < a.end {
				return 0, fmt.Errorf("a part of the upload is shorter than %d bytes", a.end)
			}
		}
		if a.at == a.end {
			err = errors.Join(err, a.Close())
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// open opens the part that contains the next byte.
func (a *assembly) open() error {
	var start int64
	for _, p := range a.parts {
		if a.at >= start+p.Size {
			start += p.Size
			continue
		}
		o, err := storage.OpenVersion(a.ctx, a.store, p)
		if err != nil {
			return err
		}
		if _, err := o.Seek(a.at-start, io.SeekStart); err != nil {
			return errors.Join(err, o.Close())
		}
		a.object, a.end = o, start+p.Size
		return nil
	}
	return io.ErrUnexpectedEOF
}
