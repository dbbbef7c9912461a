package uploads

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/storage"
)

// assembly reads the parts of an upload as one file. At most one part is open at a time.
type assembly struct {
	ctx    context.Context
	store  storage.Store
	folder storage.Key
	parts  []*ent.PendingPart
	size   int64
	at     int64
	object storage.Object // the open part; nil if none is open
	end    int64          // of the open part, in the file
}

// newAssembly returns the file that consists of the ordered parts in folder.
func newAssembly(ctx context.Context, store storage.Store, folder storage.Key, parts []*ent.PendingPart) *assembly {
	a := &assembly{ctx: ctx, store: store, folder: folder, parts: parts}
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
				return 0, err
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

// open opens the part that holds the next byte.
func (a *assembly) open() error {
	for _, p := range a.parts {
		if a.at < p.Start || a.at >= p.Start+p.Size {
			continue
		}
		o, err := a.store.Open(a.ctx, a.folder.Join(p.Name))
		if err != nil {
			return fmt.Errorf("opening a part of the upload: %w", err)
		}
		if o.Stat().Size != p.Size {
			return errors.Join(fmt.Errorf("a part of the upload has %d bytes, expected %d", o.Stat().Size, p.Size), o.Close())
		}
		if _, err := o.Seek(a.at-p.Start, io.SeekStart); err != nil {
			return errors.Join(err, o.Close())
		}
		a.object, a.end = o, p.Start+p.Size
		return nil
	}
	return fmt.Errorf("the bytes of the upload from offset %d are missing", a.at)
}
