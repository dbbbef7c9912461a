package gallery_test

import (
	"crypto/rand"
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/storage/mounts"
	"github.com/safelight/safelight/uploads"
)

// mounted is a stage whose storage has mounts: archive, scans in a folder, and readonly, also in a folder.
type mounted struct {
	*stage
	scans, readonly string // the folders
}

// withMounts runs a test on each database, with main storages and mounts of each kind.
func withMounts(t *testing.T, test func(*mounted)) { withRetention(t, 0, test) }

// withRetention is withMounts with a retention of the trash.
func withRetention(t *testing.T, retention time.Duration, test func(*mounted)) {
	for name, kinds := range map[string]struct{ main, archive string }{
		"files and files": {"files", "files"}, "memory and files": {"memory", "files"}, "files and s3": {"files", "s3"},
		"s3 and s3": {"s3", "s3"}} {
		t.Run(name, func(t *testing.T) {
			databasetest.Each(t, func(t *testing.T, db *sql.DB, dialect string) {
				s := newStage(
					t, db, dialect,
					gallerytest.Config{Gallery: gallery.Config{Trash: true, TrashRetention: retention}},
				)
				m := &mounted{stage: s, scans: filepath.Join(t.TempDir(), "scans"), readonly: t.TempDir()}
				must(t, os.Mkdir(m.scans, 0o755))
				must(t, os.WriteFile(filepath.Join(m.readonly, "r.png"), []byte(png), 0o644))
				main := s.Store
				if kinds.main != "files" {
					var err error
					main, err = storage.Open(access.All(t.Context()), m.address(kinds.main))
					if kinds.main == "memory" {
						main, err = storage.NewMemory(), nil
					}
					must(t, err)
				}
				list, err := mounts.Parse(
					"archive=" + m.address(kinds.archive) + ",scans=file://" + m.scans +
						",readonly=file://" + m.readonly + "?readonly=true",
				)
				must(t, err)
				tree, err := mounts.New(access.All(t.Context()), main, list, mounts.Options{})
				must(t, err)
				s.Store = tree
				s.Rules = s.Again()
				test(m)
			})
		})
	}
}

// address returns the address of an empty storage of a kind.
func (m *mounted) address(kind string) string {
	m.Helper()
	if kind != "s3" {
		return "file://" + m.TempDir()
	}
	bucket, query, _ := strings.Cut(os.Getenv(gallerytest.S3Variable), "?")
	if bucket == "" {
		m.Skip(gallerytest.S3Variable + " names no bucket: make test starts a server and sets it")
	}
	return bucket + "/mounts-" + rand.Text() + "?" + query
}

// find returns the paths that a search over everything finds.
func (m *mounted) find(text string) string {
	m.Helper()
	first := int32(100)
	c, err := m.Files(m.Context(), gallery.BrowseOptions{Recursive: true, First: &first, Search: text})
	must(m.T, err)
	var paths []string
	for _, f := range c.Nodes() {
		paths = append(paths, f.Path())
	}
	slices.Sort(paths)
	return strings.Join(paths, " ")
}

func TestMounts(t *testing.T) {
	withMounts(t, func(m *mounted) {
		ctx := m.Context()
		m.Put("a.png", png)
		m.Put("archive/b.png", png)
		m.Put("archive/sub/c.png", png)
		must(t, m.ScanNow(ctx, ""))
		if have := m.names(""); have != "archive readonly scans a.png" {
			t.Errorf("the root lists %q", have)
		}
		m.lists("archive", "sub b.png")
		// A move to another mount keeps the id and the notes.
		before, err := m.UpdateFile(ctx, gallery.UpdateFileInput{Path: "a.png", Description: ptr("a sail")})
		must(t, err)
		must(t, m.MoveFile(ctx, "a.png", "scans/new/a.png"))
		after, err := m.File(ctx, "scans/new/a.png")
		must(t, err)
		if after.ID() != before.ID() || after.Description() != "a sail" || m.Content("scans/new/a.png") != png {
			t.Errorf("%s was moved as %s, %q", before.ID(), after.ID(), after.Description())
		}
		must(t, m.MoveFile(ctx, "archive/sub", "scans/sub"))
		must(t, m.CopyFile(ctx, "scans/new", "archive/copy"))
		m.lists("scans", "new sub")
		m.lists("archive", "copy b.png")
		copied, err := m.File(ctx, "archive/copy/a.png")
		must(t, err)
		if copied.Description() != "a sail" {
			t.Errorf("the copy says %q", copied.Description())
		}
		must(t, m.ScanNow(ctx, ""))
		if have := m.find("png"); have != "archive/b.png archive/copy/a.png readonly/r.png scans/new/a.png "+
			"scans/sub/c.png" {
			t.Errorf("a search finds %s", have)
		}
	})
}

func TestTrashOfMounts(t *testing.T) {
	withMounts(t, func(m *mounted) {
		ctx := m.Someone(auth.RoleAdmin)
		for _, p := range []string{"a.png", "archive/a.png", "scans/a.png"} {
			m.Put(p, png)
			_, err := m.TrashFile(ctx, p)
			must(t, err)
		}
		page, err := m.TrashedFiles(ctx, 100, "")
		must(t, err)
		for _, f := range page.Items {
			mount, _, _ := strings.Cut(f.Path, "/")
			root := storage.Key(".safelight/trash")
			if mount != "a.png" {
				root = storage.Key(mount) + "/" + root
			}
			name, _, _ := strings.Cut(f.ID, "@")
			if _, err := m.Store.Stat(ctx, root.Join(name).Join("files").Join("a.png")); err != nil {
				t.Errorf("%s is not in its own storage: %v", f.Path, err)
			}
		}
		// Lost rows are restored from the storage.
		_, err = m.Pool.Exec("DELETE FROM trash_items")
		must(t, err)
		_, err = m.SweepTrash(ctx)
		must(t, err)
		again, err := m.TrashedFiles(ctx, 100, "")
		must(t, err)
		if len(again.Items) != 3 {
			t.Fatalf("the trash holds %d items", len(again.Items))
		}
		for i, f := range again.Items {
			if *f != *page.Items[i] {
				t.Errorf("%+v came back as %+v", page.Items[i], f)
			}
			if f.Path == "scans/a.png" {
				_, err := m.RestoreFile(ctx, f.ID, gallery.ConflictError)
				must(t, err)
			}
		}
		m.lists("scans", "a.png")
		if n, err := m.EmptyTrash(ctx); err != nil || n != 2 {
			t.Errorf("emptied %d, %v", n, err)
		}
		for mount, want := range map[storage.Key]int{"": 0, "archive/": 0, "scans/": 0} {
			list, err := storage.Entries(m.Store.List(
				ctx, mount+".safelight/trash", storage.ListOptions{ShowHidden: true}))
			if len(list) != want || err != nil && fault.CodeOf(err) != fault.NotFound {
				t.Errorf("the trash of %q holds %v, %v", mount, list, err)
			}
		}
		// A mount itself cannot be trashed, deleted or moved.
		for name, err := range map[string]error{"trash": errOf(m.TrashFile(ctx, "archive")),
			"delete": m.RemoveFile(ctx, "archive"), "move": m.MoveFile(ctx, "archive", "other"),
			"copy": m.CopyFile(ctx, "archive", "other")} {
			want(t, err, fault.Forbidden, name)
		}
		want(t, m.CreateFolder(ctx, "archive"), fault.Conflict, "create")
		want(t, m.MoveFile(ctx, "scans/a.png", "archive"), fault.Conflict, "move onto it")
		results, err := m.MoveFiles(ctx, []string{"scans/a.png"}, gallery.Destination{Folder: "archive"})
		must(t, err)
		must(t, results[0].Err)
		m.noIntents(m.Pool)
	})
}

func errOf[T any](_ T, err error) error { return err }

func TestReadOnlyMount(t *testing.T) {
	withMounts(t, func(m *mounted) {
		ctx := m.Someone(auth.RoleAdmin)
		m.Put("a.png", png)
		body := &readingSeeker{Reader: strings.NewReader(png)}
		results, err := m.MoveFiles(
			ctx, []string{"a.png"},
			gallery.Destination{Folder: "readonly", OnConflict: gallery.ConflictReplace},
		)
		must(t, err)
		for name, err := range map[string]error{
			"upload": errOf(m.AddFile(ctx, uploads.AddFileInput{Path: "readonly/new.png", Content: body})),
			"upload in parts": errOf(m.CreateUpload(
				ctx, uploads.CreateUploadInput{Path: "readonly/new.png", SizeBytes: 10})),
			"replace": errOf(m.CreateUpload(
				ctx, uploads.CreateUploadInput{Path: "readonly/r.png", SizeBytes: 10})),
			"move from":       m.MoveFile(ctx, "readonly/r.png", "r.png"),
			"move to":         m.MoveFile(ctx, "a.png", "readonly/a.png"),
			"move within":     m.MoveFile(ctx, "readonly/r.png", "readonly/s.png"),
			"move many":       results[0].Err,
			"copy to":         m.CopyFile(ctx, "a.png", "readonly/a.png"),
			"create a folder": m.CreateFolder(ctx, "readonly/f"),
			"trash":           errOf(m.TrashFile(ctx, "readonly/r.png")),
			"delete":          m.RemoveFile(ctx, "readonly/r.png"),
			"describe": errOf(m.UpdateFile(
				ctx, gallery.UpdateFileInput{Path: "readonly/r.png", Description: ptr("x")})),
			"trash what is not": errOf(m.TrashFile(ctx, "readonly/none.png")),
		} {
			want(t, err, fault.Forbidden, name)
			if !strings.Contains(fault.Of(err).Message, "readonly is read-only") {
				t.Errorf("%s: %s", name, fault.Of(err).Message)
			}
		}
		if body.read {
			t.Error("an upload that is refused was read")
		}
		must(t, m.CopyFile(ctx, "readonly/r.png", "r.png"))
		if entries, err := os.ReadDir(m.readonly); err != nil || len(entries) != 1 {
			t.Errorf("the folder holds %v, %v", entries, err)
		}
		_, err = m.SweepTrash(ctx)
		must(t, err)
		_, err = m.SweepUploads(ctx)
		must(t, err)
		m.noIntents(m.Pool)
	})
}

// readingSeeker records whether it was read.
type readingSeeker struct {
	*strings.Reader
	read bool
}

// Read implements io.Reader.
func (r *readingSeeker) Read(b []byte) (int, error) {
	r.read = true
	return r.Reader.Read(b)
}

// TestPartsOfMounts uploads to a mount in parts, which are stored in the mount.
func TestPartsOfMounts(t *testing.T) {
	withMounts(t, func(m *mounted) {
		ctx := m.Someone(auth.RoleAdmin)
		parts := func(mount storage.Key) int {
			list, err := storage.Entries(m.Store.List(
				ctx, mount+uploads.StagingRoot, storage.ListOptions{ShowHidden: true}))
			if fault.CodeOf(err) != fault.NotFound {
				must(t, err)
			}
			return len(list)
		}
		up, err := m.CreateUpload(ctx, uploads.CreateUploadInput{Path: "archive/new.png", SizeBytes: int64(len(png))})
		must(t, err)
		_, err = m.ReceiveUpload(ctx, up.ID, 0, strings.NewReader(png[:5]))
		want(t, err, "", "the first part")
		if parts("archive/") != 1 || parts("") != 0 {
			t.Errorf("parts: %d in the mount, %d in the main storage", parts("archive/"), parts(""))
		}
		_, err = m.ReceiveUpload(ctx, up.ID, 5, strings.NewReader(png[5:]))
		must(t, err)
		_, _, err = m.FinishUpload(ctx, up.ID)
		must(t, err)
		if m.Content("archive/new.png") != png || parts("archive/") != 0 {
			t.Error("the upload is not complete, or parts stay")
		}
		up, err = m.CreateUpload(ctx, uploads.CreateUploadInput{Path: "archive/other.png", SizeBytes: 10})
		must(t, err)
		_, err = m.ReceiveUpload(ctx, up.ID, 0, strings.NewReader(png[:5]))
		must(t, err)
		m.Clock.Time = m.Clock.Time.Add(48 * time.Hour)
		if n, err := m.SweepUploads(ctx); err != nil || n != 2 || parts("archive/") != 0 {
			t.Errorf("swept %d, %v, and %d stay", n, err, parts("archive/"))
		}
	})
}

// TestMountDown removes the folder of a mount. Its rows must stay, and everything else must be served and
// scanned.
func TestMountDown(t *testing.T) {
	withRetention(t, 30*24*time.Hour, func(m *mounted) {
		ctx := m.Someone(auth.RoleAdmin)
		m.Put("archive/a.png", png)
		m.Put("scans/sub/b.png", png)
		for _, path := range []string{"scans/c.png", "scans/d.png", "archive/e.png"} {
			m.Put(path, png)
			_, err := m.TrashFile(ctx, path)
			must(t, err)
		}
		must(t, m.ScanNow(ctx, ""))
		found := m.find("png")
		must(t, os.Rename(m.scans, m.scans+"-away"))
		if m.Clock.Time = m.Clock.Time.Add(time.Hour); true {
			must(t, m.Ready(ctx))
		}
		_, err := m.Store.Create(ctx, "archive/late.png", strings.NewReader(png), storage.CreateOptions{})
		must(t, err)
		want(t, m.ScanNow(ctx, ""), fault.Unavailable, "a scan")
		for after, purged := range []int{0, 1, 0} {
			n, err := m.SweepTrash(ctx)
			want(t, err, fault.Unavailable, "a sweep of the trash")
			if n != purged || strings.Contains(err.Error(), "\n") { // a single error instead of one per item
				t.Errorf("sweep %d purges %d, expected %d: %v", after, n, purged, err)
			}
			m.Clock.Time = m.Clock.Time.Add(31 * 24 * time.Hour)
		}
		if have, want := m.find("png"), strings.Replace(
			found, "archive/a.png", "archive/a.png archive/late.png", 1); have != want {
			t.Errorf("the index holds %s, expected %s", have, want)
		}
		if have := m.names(""); have != "archive readonly scans" {
			t.Errorf("the root lists %q", have)
		}
		_, err = m.Names(ctx, "scans/sub")
		want(t, err, fault.Unavailable, "a listing")
		_, err = m.OpenImage(ctx, "scans/sub/b.png")
		want(t, err, fault.Unavailable, "an image")
		want(t, m.MoveFile(ctx, "archive/a.png", "scans/a.png"), fault.Unavailable, "a move to it")
		if m.Content("archive/a.png") != png {
			t.Error("a file is lost")
		}
		if n, err := inTrash(ctx, m.Gallery); err != nil || n != 2 {
			t.Errorf("the trash has %d rows, %v", n, err)
		}
	})
}

// TestTrashOfReadOnlyMount makes a mount read-only that has items in the trash. A sweep must keep them and
// not fail.
func TestTrashOfReadOnlyMount(t *testing.T) {
	withRetention(t, 30*24*time.Hour, func(m *mounted) {
		ctx := m.Someone(auth.RoleAdmin)
		for _, path := range []string{"scans/a.png", "b.png"} {
			m.Put(path, png)
			_, err := m.TrashFile(ctx, path)
			must(t, err)
		}
		list, err := mounts.Parse("scans=file://" + m.scans + "?readonly=true")
		must(t, err)
		m.Store, err = mounts.New(access.All(t.Context()), m.Store, list, mounts.Options{})
		must(t, err)
		m.Rules = m.Again()
		m.Clock.Time = m.Clock.Time.Add(31 * 24 * time.Hour)
		for sweep, purged := range []int{1, 0} {
			if n, err := m.SweepTrash(ctx); n != purged || err != nil {
				t.Errorf("sweep %d purges %d, expected %d: %v", sweep, n, purged, err)
			}
		}
		if n, err := inTrash(ctx, m.Gallery); err != nil || n != 1 {
			t.Errorf("the trash has %d rows, expected that of the mount: %v", n, err)
		}
		_, err = m.EmptyTrash(ctx)
		want(t, err, fault.Forbidden, "emptying the trash by hand")
	})
}

// TestHealAcrossMounts kills the server between the copy and the deletion when a file moves to another
// storage.
func TestHealAcrossMounts(t *testing.T) {
	withMounts(t, func(m *mounted) {
		ctx := m.Context()
		dead := func(change, from, to string) {
			_, err := m.Pool.Exec(
				"INSERT INTO intents (owner, change, source, target, seen) VALUES ('dead', '" + change + "', '" + from +
					"', '" + to + "', 1)",
			)
			must(t, err)
		}
		for _, p := range []string{"a.png", "f/one.png", "f/two.png", "f/sub/three.png", "g/one.png", "other.png"} {
			m.Put(p, png)
		}
		for _, p := range []string{"archive/a.png", "archive/f/one.png", "archive/h/one.png"} {
			m.Put(p, png)
		}
		m.Put("archive/other.png", png+"else")
		dead("move", "a.png", "archive/a.png")
		dead("move", "f", "archive/f")
		dead("copy", "archive/f", "scans/f") // not started
		dead("move", "other.png", "archive/other.png")
		must(t, m.Heal(ctx, m.Clock.Time))
		m.lists("", "archive g readonly scans other.png")
		m.lists("archive", "f h a.png other.png")
		m.lists("archive/f", "sub one.png two.png")
		m.lists("archive/f/sub", "three.png")
		m.lists("scans", "")
		if m.Content("archive/other.png") != png+"else" || m.Content("archive/f/two.png") != png {
			t.Error("a file has changed")
		}
		m.noIntents(m.Pool)
	})
}
