package uploads

import (
	"context"
	"io"
	"strings"
	"sync"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/storage"
)

// A file that arrives in a single request is checked from a local copy, so that finishing the upload need not
// download it from the storage. Files that this server has not checked are read from the storage when the
// upload is finished.

// isRemote reports whether the file k is stored on another computer.
func (u *Uploads) isRemote(k storage.Key) bool { return !storage.MountOf(u.store, k).Watched }

// arrivalCheck buffers the body of a request for the check. The zero value buffers nothing.
type arrivalCheck struct {
	spool *storage.Spool // nil: nothing is buffered
}

// tee returns a reader that buffers what is read from r. If the disk has no space, it discards the buffer.
func (c *arrivalCheck) tee(r io.Reader) io.Reader {
	c.spool = &storage.Spool{}
	return io.TeeReader(r, c)
}

// Write implements io.Writer. It never fails.
func (c *arrivalCheck) Write(p []byte) (int, error) {
	if c.spool != nil {
		_, _ = c.spool.Write(p)
		if c.spool.Failed() {
			c.close()
		}
	}
	return len(p), nil
}

func (c *arrivalCheck) close() {
	if c.spool != nil {
		c.spool.Close()
		c.spool = nil
	}
}

// checkArrived checks an upload that arrived in a single request. It ignores errors, because FinishUpload
// then checks the upload again.
func (u *Uploads) checkArrived(ctx context.Context, row *ent.PendingUpload, c *arrivalCheck) {
	if c.spool == nil {
		return
	}
	parts, err := u.parts(ctx, row.ID)
	if err != nil {
		return
	}
	contentType, err := u.checkFile(ctx, storage.Key(row.Path), c.spool.Object(storage.Stat{}), row.Size)
	if err == nil {
		u.checked.put(row.ID, parts, contentType)
	}
}

// maxChecked is the maximum number of checked but unfinished uploads that a server remembers.
const maxChecked = 1000

// checkedUploads contains the uploads that this server has checked. The zero value is empty.
type checkedUploads struct {
	mu   sync.Mutex
	byID map[string]checkedUpload
}

type checkedUpload struct{ parts, contentType string }

// put records that a file consisting of these parts was checked.
func (v *checkedUploads) put(id string, parts []*ent.PendingPart, contentType string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.byID == nil || len(v.byID) >= maxChecked {
		v.byID = map[string]checkedUpload{}
	}
	v.byID[id] = checkedUpload{namesOf(parts), contentType}
}

// take returns the media type of a checked file, and removes it. ok is false if different parts were checked.
func (v *checkedUploads) take(id string, parts []*ent.PendingPart) (contentType string, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	found, ok := v.byID[id]
	delete(v.byID, id)
	return found.contentType, ok && found.parts == namesOf(parts)
}

// namesOf identifies the content of an upload: parts have random names and are immutable.
func namesOf(parts []*ent.PendingPart) string {
	var names strings.Builder
	for _, p := range parts {
		names.WriteString(p.Name + "/")
	}
	return names.String()
}
