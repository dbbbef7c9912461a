package archive_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/archive"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/storage/mounts"
)

// line is a connection to a service that can be interrupted and restored.
type line struct {
	listener net.Listener
	mu       sync.Mutex
	cut      bool
	open     []net.Conn
}

// lineTo returns a line to an address.
func lineTo(t *testing.T, to string) *line {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	gallerytest.Must(t, err)
	n := &line{listener: l}
	t.Cleanup(func() { l.Close(); n.set(true) })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				c.Close()
				continue
			}
			n.mu.Lock()
			n.open = append(n.open, c, far)
			if n.cut {
				c.Close()
				far.Close()
			}
			n.mu.Unlock()
			go func() { _, _ = io.Copy(far, c); far.Close() }()
			go func() { _, _ = io.Copy(c, far); c.Close() }()
		}
	}()
	return n
}

// set interrupts the line, dropping data in transit, or restores it.
func (n *line) set(cut bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut = cut
	for _, c := range n.open {
		c.Close()
	}
	n.open = nil
}

// mounted is a stage with mounts: bucket is on S3 and connected through a line, and scans is a folder.
type mounted struct {
	*gallerytest.Stage
	ada   context.Context // of an account
	line  *line
	scans string
}

// large is larger than the buffers between an S3 server and the reader of a ZIP.
const large = 32 << 20

// withMounts runs a test on each database, with files in the main storage and in both mounts.
func withMounts(t *testing.T, test func(*mounted)) {
	t.Helper()
	bucket, query, _ := strings.Cut(os.Getenv(gallerytest.S3Variable), "?")
	_, address, _ := strings.Cut(query, "endpoint=http://")
	address, _, _ = strings.Cut(address, "&")
	if address == "" {
		t.Skip(gallerytest.S3Variable + " names no bucket by http: make test starts a server and sets it")
	}
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		m := &mounted{
			Stage: s,
			ada:   s.As(s.Person("ada", auth.RoleUser)),
			line:  lineTo(s.T, address),
			scans: filepath.Join(s.TempDir(), "scans"),
		}
		s.Must(os.Mkdir(m.scans, 0o755))
		place := bucket + "/zip-" + rand.Text() + "?" +
			strings.Replace(query, address, m.line.listener.Addr().String(), 1)
		list, err := mounts.Parse("bucket=" + place + ",scans=file://" + m.scans)
		s.Must(err)
		tree, err := mounts.New(s.Context(), s.Store, list, mounts.Options{Now: s.Clock.Now})
		s.Must(err)
		s.Store = tree
		s.Rules = s.Again()
		for _, p := range []string{"a.png", "main/a.png", "bucket/a.png", "bucket/2010/b.png", "scans/a.png",
			"scans/sub/c.png"} {
			s.Put(p, gallerytest.PNG+p)
		}
		test(m)
	})
}

// selects creates an archive of these paths.
func (m *mounted) selects(paths ...string) *archive.Archive {
	m.Helper()
	a, err := m.Archives.Create(m.ada, paths, "")
	m.Must(err)
	return a
}

// opens opens the download of an archive.
func (m *mounted) opens(a *archive.Archive) *archive.Download {
	m.Helper()
	d, err := opened(m.Context(), m.Archives, token(a))
	m.Must(err)
	return d
}

// TestArchiveOfMounts downloads files of the main storage and of two mounts in one ZIP.
func TestArchiveOfMounts(t *testing.T) {
	withMounts(t, func(m *mounted) {
		for _, c := range []struct{ paths, want string }{
			{"a.png bucket/a.png scans/a.png", "a (2).png=bucket/a.png a (3).png=scans/a.png a.png=a.png"},
			{"bucket scans main a.png", "a.png=a.png bucket/2010/b.png=bucket/2010/b.png bucket/a.png=bucket/a.png " +
				"main/a.png=main/a.png scans/a.png=scans/a.png scans/sub/c.png=scans/sub/c.png"},
			{"scans/sub bucket/2010/b.png bucket/2010 main",
				"2010/b.png=bucket/2010/b.png main/a.png=main/a.png sub/c.png=scans/sub/c.png"},
		} {
			files := content(m.T, m.opens(m.selects(strings.Fields(c.paths)...)))
			var have []string
			for _, name := range slices.Sorted(maps.Keys(files)) {
				have = append(have, name+"="+strings.TrimPrefix(files[name], gallerytest.PNG))
			}
			if got := strings.Join(have, " "); got != c.want {
				m.Errorf("%s holds %s, expected %s", c.paths, got, c.want)
			}
		}
	})
}

// TestArchiveOfMountThatIsDown creates and opens archives while a mount is down. Archives with its files fail
// until the mount is back; others work.
func TestArchiveOfMountThatIsDown(t *testing.T) {
	withMounts(t, func(m *mounted) {
		all, others := m.selects("a.png", "bucket", "scans/a.png"), m.selects("main", "scans")
		m.line.set(true)
		for _, paths := range [][]string{{"a.png", "bucket"}, {"a.png", "bucket/a.png"}} {
			_, err := m.Archives.Create(m.ada, paths, "")
			gallerytest.Want(m.T, err, fault.Unavailable, "an archive of a bucket that does not answer")
		}
		_, err := opened(m.Context(), m.Archives, token(all))
		gallerytest.Want(m.T, err, fault.Unavailable, "a download from a bucket that does not answer")
		if f := fault.Of(err); f == nil || f.RetryAfter == 0 || !strings.Contains(f.Message, "bucket") {
			m.Errorf("it says %+v", f)
		}
		if files := content(m.T, m.opens(others)); len(files) != 3 {
			m.Errorf("the others hold %d files", len(files))
		}
		m.line.set(false)
		for { // until the circuit breaker closes
			d, err := opened(m.Context(), m.Archives, token(all))
			if fault.CodeOf(err) == fault.Unavailable {
				time.Sleep(20 * time.Millisecond)
				continue
			}
			m.Must(err)
			if files := content(m.T, d); len(files) != 4 {
				m.Errorf("with the bucket it holds %d files", len(files))
			}
			break
		}
		m.Must(os.RemoveAll(m.scans))
		_, err = opened(m.Context(), m.Archives, token(others))
		gallerytest.Want(m.T, err, fault.Unavailable, "a download from a folder that is gone")
	})
}

// TestArchiveLosesMount interrupts a mount while the ZIP is read. Reading must fail, instead of ending like a
// complete ZIP.
func TestArchiveLosesMount(t *testing.T) {
	withMounts(t, func(m *mounted) {
		big := gallerytest.PNG + strings.Repeat("x", large)
		m.Put("bucket/large.png", big)
		m.Put("large.png", big)
		for name, c := range map[string]struct {
			paths []string
			lose  func()
		}{
			"in a file of a bucket": {[]string{"bucket/large.png", "a.png"}, func() { m.line.set(true) }},
			"before a bucket":       {[]string{"large.png", "bucket/a.png", "a.png"}, func() { m.line.set(true) }},
			"before a folder": {[]string{"large.png", "scans/a.png", "a.png"},
				func() { m.Must(os.RemoveAll(m.scans)) }},
		} {
			r := m.opens(m.selects(c.paths...)).Reader(m.Context())
			begin := make([]byte, 1<<20)
			_, err := io.ReadFull(r, begin)
			m.Must(err)
			c.lose()
			rest, err := io.ReadAll(r)
			if err == nil || errors.Is(err, io.EOF) || bytes.Contains(rest, []byte("PK\x01\x02")) {
				m.Errorf("%s: %d bytes are read, then %v", name, len(begin)+len(rest), err)
			}
			if name != "in a file of a bucket" {
				gallerytest.Want(m.T, err, fault.Unavailable, name)
			}
			m.Must(r.Close())
			m.line.set(false)
			// Wait until the circuit breaker closes.
			for fault.CodeOf(errOf(m.Store.Stat(m.Context(), "bucket/a.png"))) == fault.Unavailable {
				time.Sleep(20 * time.Millisecond)
			}
		}
	})
}

func errOf(_ storage.Stat, err error) error { return err }
