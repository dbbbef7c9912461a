package uploads

import (
	"context"
	"io"
	"strings"
	"sync"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/storage"
)

// A file that arrives with one request is checked from a copy on this machine, so that finishing the upload need not
// read it back from a storage over a network. What this server has not checked is read when the upload is finished.

// isRemote reports whether the files at k are behind a network.
func (u *Uploads) isRemote(k storage.Key) bool { return !storage.MountOf(u.store, k).Watched }

// arrivalCheck keeps what a request sends. The zero value keeps nothing.
type arrivalCheck struct {
	spool *storage.Spool // nil: nothing is kept
}

// tee returns a reader of what r reads that keeps the bytes. If the disk has no room, nothing is kept.
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

// checkArrived checks an upload that has arrived with one request. FinishUpload checks one again that fails here, and
// returns the error.
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

// maxChecked is how many uploads a server has checked and not finished before it forgets them.
const maxChecked = 1000

// checkedUploads are the uploads that this server has checked. The zero value is empty.
type checkedUploads struct {
	mu   sync.Mutex
	byID map[string]checkedUpload
}

type checkedUpload struct{ parts, contentType string }

// put notes that the file of these parts was checked.
func (v *checkedUploads) put(id string, parts []*ent.PendingPart, contentType string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.byID == nil || len(v.byID) >= maxChecked {
		v.byID = map[string]checkedUpload{}
	}
	v.byID[id] = checkedUpload{namesOf(parts), contentType}
}

// take returns the media type of a file that was checked, and forgets it. ok is false if other parts were checked.
func (v *checkedUploads) take(id string, parts []*ent.PendingPart) (contentType string, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	found, ok := v.byID[id]
	delete(v.byID, id)
	return found.contentType, ok && found.parts == namesOf(parts)
}

// namesOf identifies the bytes of an upload: each part has a random name and is never changed.
func namesOf(parts []*ent.PendingPart) string {
	var names strings.Builder
	for _, p := range parts {
		names.WriteString(p.Name + "/")
	}
	return names.String()
}
