package archive

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"math"
	"path"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/safelight/safelight/storage"
)

// Download is an archive that is about to be sent.
type Download struct {
	Name    string // file name
	Account uuid.UUID
	Guest   bool
	// Check is called before each file. Its error ends the download. nil: no check.
	Check func(context.Context) error
	// render returns the content to send instead of a file. nil: the files are sent unchanged.
	render  func(ctx context.Context, path string) ([]byte, error)
	store   storage.Store
	walk    func(context.Context) ([]entry, error)
	entries []entry
}

// List finds the files of a download that Open returned, which can take seconds. It returns fault.NotFound for missing
// files, and leaves out those that the creator may no longer see.
func (d *Download) List(ctx context.Context) (err error) {
	d.entries, err = d.walk(ctx)
	return err
}

// RenderAll replaces the content of each file by the result of render, and its extension by extension, which
// starts with a dot. The files get the time of the archive, because the files' own times are often the times
// at which the pictures were taken.
func (d *Download) RenderAll(extension string, render func(ctx context.Context, path string) ([]byte, error)) {
	d.render = render
	taken, now := names{}, time.Now()
	for i, e := range d.entries {
		d.entries[i].name = taken.take(strings.TrimSuffix(e.name, path.Ext(e.name)) + extension)
		d.entries[i].modified = now
	}
}

// The lengths of the parts of a ZIP in addition to names and content.
const (
	localHeader, descriptor, centralHeader, endRecord = 30, 16, 46, 22
	timestamp                                         = 9 // in both headers
)

// Size returns the length of the ZIP in bytes. It is -1 if the length is unknown: files are rendered, or the
// ZIP needs the ZIP64 extension.
func (d *Download) Size() int64 {
	if d.render != nil {
		return -1
	}
	size := int64(endRecord)
	for _, e := range d.entries {
		size += localHeader + descriptor + centralHeader + 2*int64(len(e.name)) + e.size
		if !e.modified.IsZero() {
			size += 2 * timestamp
		}
	}
	if size >= math.MaxUint32 || len(d.entries) >= math.MaxUint16 {
		return -1
	}
	return size
}

// Reader returns the ZIP, which is created as it is read. Read fails if a file cannot be read or has changed
// since the download was opened. The caller must close the reader, which stops the work.
func (d *Download) Reader(ctx context.Context) io.ReadCloser {
	ctx, cancel := context.WithCancel(ctx)
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v != nil {
				w.CloseWithError(fmt.Errorf("panic: %v\n%s", v, debug.Stack()))
			}
		}()
		w.CloseWithError(d.write(ctx, w))
	}()
	return &reader{PipeReader: r, stop: sync.OnceFunc(func() {
		cancel()
		r.Close()
		<-done
	})}
}

// reader is the read end of the pipe.
type reader struct {
	*io.PipeReader
	stop func()
}

// Close stops the writer and waits for it.
func (r *reader) Close() error {
	r.stop()
	return nil
}

// write writes the ZIP. Pictures are compressed already, so files are stored uncompressed.
func (d *Download) write(ctx context.Context, w io.Writer) error {
	z := zip.NewWriter(w)
	for _, e := range d.entries {
		if d.Check != nil {
			if err := d.Check(ctx); err != nil {
				return err
			}
		}
		part, err := z.CreateHeader(&zip.FileHeader{Name: e.name, Method: zip.Store, Modified: e.modified})
		if err != nil {
			return err
		}
		if err := d.copy(ctx, part, e); err != nil {
			return fmt.Errorf("adding %s to the archive: %w", e.key, err)
		}
	}
	return z.Close()
}

func (d *Download) copy(ctx context.Context, w io.Writer, e entry) error {
	if d.render != nil {
		data, err := d.render(ctx, string(e.key))
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	}
	o, err := d.store.Open(ctx, e.key)
	if err != nil {
		return err
	}
	defer o.Close()
	n, err := io.Copy(w, contextReader{ctx, o})
	if err == nil && n != e.size {
		err = fmt.Errorf("it has %d bytes and had %d before", n, e.size)
	}
	return err
}

// contextReader stops reading when its context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}
