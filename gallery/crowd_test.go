package gallery_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/uploads"
)

// stressVariable is the environment variable with the duration of the test for each storage, such as 60s.
const stressVariable = "SAFELIGHT_TEST_STRESS"

// crowd records what 32 clients have done to one folder. All counted files have the same content, and folders
// contain one file each, so that the number of files is known from the successful operations.
type crowd struct {
	*stage
	files   atomic.Int64 // number of files that must exist
	serial  atomic.Int64
	done    atomic.Int64 // operations that succeeded
	refused atomic.Int64
}

// body returns the content of a file, which contains n at both ends.
func body(n int64) string {
	return fmt.Sprintf("%s<%d>%s<%d>", png, n, strings.Repeat("x", int(n*977%40_000)), n)
}

// isWhole reports whether s is a complete body.
func isWhole(s string) bool {
	var n int64
	_, err := fmt.Sscanf(strings.TrimPrefix(s, png), "<%d>", &n)
	return err == nil && s == body(n)
}

func (c *crowd) name() string { return fmt.Sprintf("f/n%d.png", rand.IntN(40)) }

func (c *crowd) folder() string { return fmt.Sprintf("f/d%d", rand.IntN(6)) }

// ended counts an operation that changes the number of files by n.
func (c *crowd) ended(err error, n int64, doing string) {
	switch fault.CodeOf(err) {
	case "":
		c.files.Add(n)
		c.done.Add(1)
	case fault.Conflict, fault.NotFound:
		c.refused.Add(1)
	case fault.Invalid: // a move onto itself
		c.refused.Add(1)
	default:
		c.Errorf("%s: %v", doing, err)
	}
}

func (c *crowd) upload(ctx context.Context) {
	data := body(c.serial.Add(1))
	policy := []gallery.ConflictPolicy{gallery.ConflictError, gallery.ConflictRename}[rand.IntN(2)]
	if rand.IntN(2) == 0 {
		_, err := c.AddFile(
			ctx,
			uploads.AddFileInput{Path: c.name(), Content: strings.NewReader(data), OnConflict: policy},
		)
		c.ended(err, 1, "addFile")
		return
	}
	u, err := c.CreateUpload(
		ctx,
		uploads.CreateUploadInput{Path: c.name(), SizeBytes: int64(len(data)), OnConflict: policy},
	)
	if err == nil {
		_, err = c.ReceiveUpload(ctx, u.ID, uploads.FromStart, strings.NewReader(data))
	}
	if err == nil {
		_, _, err = c.FinishUpload(ctx, u.ID)
	}
	c.ended(err, 1, "upload")
}

// bring creates a folder with one file under a unique name, and then moves it to a name that other clients
// also use.
func (c *crowd) bring(ctx context.Context) {
	n := c.serial.Add(1)
	own := fmt.Sprintf("f/own%d", n)
	c.ended(c.CreateFolder(ctx, own), 0, "createFolder")
	_, err := c.UploadFile(ctx, own+"/one.png", strings.NewReader(body(n)))
	c.ended(err, 1, "uploadFile into a folder")
	c.ended(c.MoveFile(ctx, own, c.folder()), 0, "moving a folder")
}

func (c *crowd) replace(ctx context.Context) {
	_, err := c.AddFile(ctx, uploads.AddFileInput{
		Path:       fmt.Sprintf("r/%d.png", rand.IntN(3)),
		Content:    strings.NewReader(body(c.serial.Add(1))),
		OnConflict: gallery.ConflictReplace,
	})
	c.ended(err, 0, "replacing")
}

// look lists and reads files: each name must occur once, and files must be complete.
func (c *crowd) look(ctx context.Context) {
	names, err := c.Names(ctx, "f")
	c.ended(err, 0, "a listing")
	if err != nil {
		return
	}
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			c.Errorf("%s is listed twice", name)
		}
		seen[name] = true
	}
	for _, path := range []string{c.name(), fmt.Sprintf("r/%d.png", rand.IntN(3))} {
		c.read(ctx, path)
	}
}

func (c *crowd) read(ctx context.Context, path string) {
	o, err := c.OpenImage(ctx, path)
	if fault.CodeOf(err) == fault.NotFound {
		return
	}
	if err != nil {
		c.Errorf("opening %s: %v", path, err)
		return
	}
	defer o.Close()
	b, err := io.ReadAll(o)
	if code := fault.CodeOf(err); code == fault.Unavailable || code == fault.NotFound {
		return // changed while it was read from a bucket, which is reported
	}
	if err != nil || !isWhole(string(b)) {
		c.Errorf("%s is no whole file: %d bytes, %v", path, len(b), err)
	}
}

func (c *crowd) act(ctx context.Context) {
	switch n := rand.IntN(20); {
	case n < 6:
		c.upload(ctx)
	case n < 8:
		c.ended(c.CopyFile(ctx, c.name(), c.name()), 1, "copyFile")
	case n < 11:
		c.ended(c.MoveFile(ctx, c.name(), c.name()), 0, "moveFile")
	case n < 14:
		c.ended(c.DeleteFile(ctx, c.name()), -1, "deleteFile")
	case n < 15:
		c.bring(ctx)
	case n < 16:
		c.ended(c.CopyFile(ctx, c.folder(), c.folder()), 1, "copying a folder")
	case n < 17:
		c.ended(c.DeleteFile(ctx, c.folder()), -1, "deleting a folder")
	case n < 18:
		c.replace(ctx)
	default:
		c.look(ctx)
	}
}

// count walks the storage below k and returns the number of files. The index must agree.
func (c *crowd) count(k storage.Key) int64 {
	var n, here int64
	defer func() {
		if names, err := c.Names(c.Context(), string(k)); err != nil || int64(len(names)) != here {
			c.Errorf("%s holds %d entries, the index says %q, %v", k, here, names, err)
		}
	}()
	for e, err := range c.Store.List(c.Context(), k, storage.ListOptions{}) {
		must(c.T, err)
		here++
		if e.IsFolder {
			n += c.count(e.Key)
			continue
		}
		n++
		c.read(c.Context(), string(e.Key))
	}
	return n
}

// TestCrowd lets 32 clients mix all kinds of changes in one folder. No file must be lost, duplicated,
// incomplete or stuck.
func TestCrowd(t *testing.T) {
	long := 500 * time.Millisecond
	if text := os.Getenv(stressVariable); text != "" {
		var err error
		long, err = time.ParseDuration(text)
		must(t, err)
	}
	eachStore(t, gallerytest.Config{}, func(s *stage) {
		t := s.T
		c := &crowd{stage: s}
		must(t, s.CreateFolder(access.All(t.Context()), "f"))
		stop := time.Now().Add(long)
		var wg sync.WaitGroup
		for range 32 {
			wg.Go(func() {
				ctx := s.Someone(auth.RoleUser)
				for time.Now().Before(stop) && !t.Failed() {
					c.act(ctx)
				}
			})
		}
		wg.Wait()
		if n := c.count("f"); n != c.files.Load() {
			t.Errorf("%d files are there, %d were acknowledged", n, c.files.Load())
		}
		t.Logf("%d changes, %d refused, %d files", c.done.Load(), c.refused.Load(), c.files.Load())
	})
}
