package gallery_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"entgo.io/ent/dialect"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/storage"
)

// trashed returns the original paths of the items in the trash, newest first.
func (s *stage) trashed() string {
	s.Helper()
	p, err := s.TrashedFiles(s.Context(), 100, "")
	must(s.T, err)
	var paths []string
	for _, t := range p.Items {
		paths = append(paths, t.Path)
	}
	return strings.Join(paths, " ")
}

// inTrash returns how many items of the trash the caller may see.
func inTrash(ctx context.Context, g *gallery.Gallery) (int, error) {
	p, err := g.TrashedFiles(ctx, 1, "")
	if err != nil {
		return 0, err
	}
	return p.Count(ctx)
}

func (s *stage) trashIs(expected string) {
	s.Helper()
	if have := s.trashed(); have != expected {
		s.Errorf("the trash holds %q, expected %q", have, expected)
	}
}

// throw moves a path to the trash, a little later than the previous item.
func (s *stage) throw(path string) *gallery.TrashedFile {
	s.Helper()
	s.Clock.Time = s.Clock.Time.Add(time.Second)
	t, err := s.TrashFile(s.Context(), path)
	must(s.T, err)
	return t
}

func (s *stage) disk(path string) string {
	s.Helper()
	b, err := os.ReadFile(filepath.Join(s.Dir, path))
	if err != nil {
		return ""
	}
	return string(b)
}

const tagged = `{"version":1,"tags":["Red"],"description":"a sail"}`

// TestTrashAndBack moves a file and a folder to the trash and restores them with their notes.
func TestTrashAndBack(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{Gallery: gallery.Config{TrashRetention: 24 * time.Hour}})
		s.onDisk("a/one.png", png)
		s.onDisk("a/.safelight/one.png.json", tagged)
		s.onDisk("a/deep/er/two.png", png)
		s.lists("a", "deep one.png")
		s.lists("a/deep/er", "two.png")
		ctx := s.As(s.Person("ada", auth.RoleUser))
		_, err := s.Pool.Exec("UPDATE entries SET thumbhash = 'aGFzaA==' WHERE path = 'a/one.png'")
		must(t, err)
		one, err := s.TrashFile(ctx, "a/one.png")
		must(t, err)
		if one.TrashedBy != "ada" || one.Size != int64(len(png)) || one.FileCount != 1 ||
			!one.PurgeAt.Equal(one.TrashedAt.Add(24*time.Hour)) {
			t.Errorf("%+v", one)
		}
		s.lists("a", "deep")
		s.Put("a/one.png", png+"another") // the path is free
		folder := s.throw("a/deep")
		if !folder.IsDirectory || folder.FileCount != 1 || folder.Size != int64(len(png)) {
			t.Errorf("%+v", folder)
		}
		s.lists("a", "one.png")
		s.trashIs("a/deep a/one.png")
		page, err := s.TrashedFiles(ctx, 2, "")
		must(t, err)
		if of := page.Items; of[0].ThumbHash != nil || of[1].ThumbHash == nil || *of[1].ThumbHash != "aGFzaA==" {
			t.Errorf("placeholders of the trash: %v %v", of[0].ThumbHash, of[1].ThumbHash)
		}
		if have := s.allNames(""); have != "a" {
			t.Errorf("a listing shows the trash: %q", have)
		}
		hidden := ".safelight/trash/" + one.ID + "/files/one.png"
		_, err = s.File(ctx, hidden)
		want(t, err, fault.NotFound, "a file in the trash")
		_, err = s.StatImage(ctx, hidden)
		want(t, err, fault.NotFound, "an image URL of what lies in the trash")
		_, err = s.TrashFile(ctx, hidden)
		want(t, err, fault.Invalid, "trashing what lies in the trash")

		_, err = s.RestoreFile(ctx, one.ID, gallery.ConflictError)
		want(t, err, fault.Conflict, "restoring over a file")
		back, err := s.RestoreFile(ctx, one.ID, gallery.ConflictRename)
		must(t, err)
		if back.Key != "a/one-1.png" || s.disk("a/one-1.png") != png {
			t.Errorf("restored to %s", back.Key)
		}
		_, err = s.RestoreFile(ctx, folder.ID, gallery.ConflictError)
		must(t, err)
		s.lists("a", "deep one-1.png one.png")
		s.lists("a/deep/er", "two.png")
		s.trashIs("")
		if entries, _ := os.ReadDir(filepath.Join(s.Dir, ".safelight/trash")); len(entries) > 0 {
			t.Errorf("the trash on disk holds %v", entries)
		}
		if !strings.Contains(s.disk("a/.safelight/one-1.png.json"), `"tags":["Red"],"description":"a sail"`) {
			t.Errorf("notes after restoring under another name: %s", s.disk("a/.safelight/one-1.png.json"))
		}
		var tags, description string
		var hides bool
		must(
			t,
			db.QueryRow("SELECT tags, description, hidden FROM entries WHERE path = 'a/one-1.png' AND trashed_at IS "+
				"NULL").
				Scan(&tags, &description, &hides),
		)
		if tags != `["Red"]` || description != "a sail" || hides {
			t.Errorf("the row says %s, %s, %t", tags, description, hides)
		}
		s.noIntents(db)
	})
}

func (s *stage) noIntents(db *sql.DB) {
	s.Helper()
	var n int
	must(s.T, db.QueryRow("SELECT count(*) FROM intents").Scan(&n))
	if n != 0 {
		s.Errorf("%d intents after all is done", n)
	}
}

// TestReplaceLosesNothing restores, moves and copies to an existing path.
func TestReplaceLosesNothing(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		s.Put("a.png", png+"1")
		first := s.throw("a.png")
		s.Put("a.png", png+"2")
		s.Clock.Time = s.Clock.Time.Add(time.Second)
		_, err := s.RestoreFile(access.All(t.Context()), first.ID, gallery.ConflictReplace)
		must(t, err)
		if s.disk("a.png") != png+"1" {
			t.Errorf("a.png is %q", s.disk("a.png"))
		}
		s.trashIs("a.png") // the second file
		s.Put("f/a.png", png+"3")
		s.Clock.Time = s.Clock.Time.Add(time.Second)
		r, err := s.CopyFiles(
			access.All(t.Context()), []string{"a.png"},
			gallery.Destination{Folder: "f", OnConflict: gallery.ConflictReplace},
		)
		must(t, err)
		made, err := r[0].File(access.All(t.Context()))
		must(t, err)
		if made == nil || made.Path() != "f/a.png" || s.disk("f/a.png") != png+"1" {
			t.Errorf("copied over f/a.png: %+v, %v", r[0], r[0].Err)
		}
		s.trashIs("f/a.png a.png")
		s.Put("f/f/x.png", png)
		for _, c := range []struct {
			from, into string
			code       fault.Code
		}{
			{"f/f", "", fault.Conflict},   // would delete the folder that contains it
			{"a.png", "", fault.Conflict}, // is the same file
			{"f", "f/f", fault.Invalid},   // into itself
		} {
			r, err := s.MoveFiles(
				access.All(t.Context()), []string{c.from},
				gallery.Destination{Folder: c.into, OnConflict: gallery.ConflictReplace},
			)
			must(t, err)
			want(t, r[0].Err, c.code, "moving "+c.from+" into "+c.into)
		}
		s.trashIs("f/a.png a.png")
		s.noIntents(db)
	})
}

// TestBulk checks the order of results, individual results, limits, and policies.
func TestBulk(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{Gallery: gallery.Config{Trash: true}})
		for _, p := range []string{"a.png", "b.png", "c/d.png", "t/a.png"} {
			s.Put(p, png)
		}
		paths := []string{"a.png", "none.png", "../x", "c", "b.png", "b.png"}
		say := func(list []*gallery.BulkResult) string {
			var out []string
			for i, r := range list {
				if r.Path != paths[i] {
					t.Errorf("%s at the place of %s", r.Path, paths[i])
				}
				switch {
				case r.Err != nil:
					out = append(out, string(fault.CodeOf(r.Err)))
				case r.Trashed == nil && r.Err == nil:
					f, err := r.File(access.All(t.Context()))
					must(t, err)
					folder, err := r.Folder(access.All(t.Context()))
					must(t, err)
					if folder != nil {
						out = append(out, folder.Path())
					} else {
						out = append(out, f.Path())
					}
				default:
					out = append(out, r.Trashed.Path)
				}
			}
			return strings.Join(out, " ")
		}
		for _, c := range []struct {
			do       func() ([]*gallery.BulkResult, error)
			expected string
		}{
			{func() ([]*gallery.BulkResult, error) {
				return s.CopyFiles(access.All(t.Context()), paths, gallery.Destination{Folder: "t"})
			},
				"CONFLICT NOT_FOUND INVALID t/c t/b.png CONFLICT"},
			{func() ([]*gallery.BulkResult, error) {
				return s.MoveFiles(access.All(t.Context()), paths,
					gallery.Destination{Folder: "t", OnConflict: gallery.ConflictRename})
			}, "t/a-1.png NOT_FOUND INVALID t/c-1 t/b-1.png NOT_FOUND"},
			{func() ([]*gallery.BulkResult, error) {
				return s.MoveFiles(access.All(t.Context()), []string{"t/a.png"}, gallery.Destination{Folder: ""})
			}, "a.png"},
			{func() ([]*gallery.BulkResult, error) { return s.DeleteFiles(access.All(t.Context()), paths) },
				"a.png NOT_FOUND INVALID NOT_FOUND NOT_FOUND NOT_FOUND"},
		} {
			if c.expected == "a.png" {
				paths[0] = "t/a.png"
			}
			list, err := c.do()
			must(t, err)
			have := say(list)
			paths[0] = "a.png"
			if have != c.expected {
				t.Errorf("%s, expected %s", have, c.expected)
			}
		}
		s.lists("t", "c c-1 a-1.png b-1.png b.png")
		s.trashIs("a.png")
		_, err := s.TrashFiles(access.All(t.Context()), make([]string, 1001))
		want(t, err, fault.Invalid, "1001 paths")
		_, err = s.MoveFiles(access.All(t.Context()), []string{"t"}, gallery.Destination{Folder: ".hidden"})
		want(t, err, fault.Invalid, "a hidden folder")
	})
}

// TestPurgeOfOthers purges items by id as their owner, as another user, as a guest and as an admin.
func TestPurgeOfOthers(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{Gallery: gallery.Config{Trash: true}})
		ada, bea := s.As(s.Person("ada", auth.RoleUser)), s.As(s.Person("bea", auth.RoleUser))
		root := s.As(s.Person("root", auth.RoleAdmin))
		for _, c := range []struct {
			who  string
			ctx  context.Context
			code fault.Code
		}{{"a stranger", access.All(t.Context()), fault.Forbidden}, {"another user", bea, fault.Forbidden},
			{"the owner", ada, ""}, {"an admin", root, ""}} {
			s.Put("x.png", png)
			item, err := s.TrashFile(ada, "x.png")
			must(t, err)
			r, err := s.PurgeFiles(c.ctx, []string{item.ID})
			must(t, err)
			want(t, r[0].Err, c.code, "purging as "+c.who)
		}
	})
}

// TestPurge purges by id, by age and all at once, and checks that the audit log contains who did it.
func TestPurge(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{Gallery: gallery.Config{TrashRetention: time.Hour, Trash: true}})
		var ids []string
		for i := range 4 {
			p := fmt.Sprintf("%d/x.png", i)
			s.Put(p, png)
			ids = append(ids, s.throw(p).ID)
		}
		root := s.As(s.Person("root", auth.RoleAdmin))
		r, err := s.PurgeFiles(root, []string{ids[0], "none"})
		must(t, err)
		if !r[0].OK() || fault.CodeOf(r[1].Err) != fault.NotFound {
			t.Errorf("%v, %v", r[0].Err, r[1].Err)
		}
		s.Clock.Time = s.Clock.Time.Add(time.Hour - time.Second)
		n, err := s.SweepTrash(access.All(t.Context()))
		if err != nil || n != 2 {
			t.Errorf("swept %d, %v", n, err)
		}
		s.trashIs("3/x.png")
		must(t, s.DeleteFile(access.All(t.Context()), "3"))
		_, err = s.EmptyTrash(access.All(t.Context()))
		want(t, err, fault.Forbidden, "emptying the trash without an account")
		n, err = s.EmptyTrash(root)
		if err != nil || n != 2 {
			t.Errorf("emptied %d, %v", n, err)
		}
		s.trashIs("")
		var rows int
		must(t, db.QueryRow("SELECT count(*) FROM entries WHERE path LIKE '.safelight%'").Scan(&rows))
		if entries, _ := os.ReadDir(filepath.Join(s.Dir, ".safelight/trash")); len(entries) > 0 || rows > 0 {
			t.Errorf("left: %v and %d rows", entries, rows)
		}
		if e := s.Events(audit.Filter{Action: "file.purge"}); len(e) != 5 || e[4].Target != "file:0/x.png" {
			t.Errorf("%d events of purging", len(e))
		}
		if e := s.Events(audit.Filter{Action: "file.trash", Target: "file:3"}); len(e) != 2 {
			t.Errorf("%d events of trashing", len(e))
		}
	})
}

// TestTrashAfterACrash creates the states that a kill -9 leaves at each step, and uses a new database.
func TestTrashAfterACrash(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		s.Put("a/one.png", png)
		s.onDisk("a/.safelight/one.png.json", tagged)
		one := s.throw("a/one.png")
		folder := s.throw("a")
		for _, table := range []string{"trash_items", "taggings", "entries"} {
			_, err := db.Exec("DELETE FROM " + table)
			must(t, err)
		}
		about, err := json.Marshal(map[string]any{"version": 1, "path": "b/x.png", "trashedAt": s.Clock.Time})
		must(t, err)
		s.onDisk(".safelight/trash/begun/about.json", string(about)) // but nothing was moved
		s.onDisk(".safelight/trash/foreign/files/who knows", "x")
		_, err = s.SweepTrash(access.All(t.Context()))
		must(t, err)
		s.trashIs("a a/one.png")
		if s.disk(".safelight/trash/begun/about.json") == "" {
			t.Error("what may be going on was removed")
		}
		s.Clock.Time = s.Clock.Time.Add(2 * time.Hour)
		_, err = s.SweepTrash(access.All(t.Context()))
		must(t, err)
		if s.disk(".safelight/trash/begun/about.json") != "" ||
			s.disk(".safelight/trash/foreign/files/who knows") == "" {
			t.Error("what was left empty stays, or what nobody understands went")
		}
		for _, id := range []string{folder.ID, one.ID} {
			_, err = s.RestoreFile(access.All(t.Context()), id, gallery.ConflictError)
			must(t, err)
		}
		s.lists("a", "one.png")
		var description string
		must(t, db.QueryRow("SELECT description FROM entries WHERE path = 'a/one.png'").Scan(&description))
		if description != "a sail" {
			t.Errorf("the description is %q", description)
		}
		gone := s.throw("a")
		must(t, os.RemoveAll(filepath.Join(s.Dir, ".safelight/trash", gone.ID)))
		_, err = s.SweepTrash(access.All(t.Context()))
		must(t, err)
		s.trashIs("")
	})
}

// TestTrashPages pages through the trash.
func TestTrashPages(t *testing.T) {
	onSQLite(t, gallerytest.Config{}, func(s *stage) {
		for i := range 7 {
			s.Put(fmt.Sprintf("%d.png", i), png)
			s.throw(fmt.Sprintf("%d.png", i))
		}
		var all []string
		after := ""
		for {
			p, err := s.TrashedFiles(access.All(t.Context()), 3, after)
			must(t, err)
			for _, i := range p.Items {
				all = append(all, i.Path)
			}
			after = p.Cursors[len(p.Cursors)-1]
			if !p.After {
				break
			}
		}
		if !slices.Equal(all, []string{"6.png", "5.png", "4.png", "3.png", "2.png", "1.png", "0.png"}) {
			t.Error(all)
		}
		_, err := s.TrashedFiles(access.All(t.Context()), 101, "")
		want(t, err, fault.Invalid, "101 at once")
	})
}

// TestTrashEverywhere trashes, restores and purges a folder in local files and in buckets, which move objects
// one by one.
func TestTrashEverywhere(t *testing.T) {
	eachStore(t, gallerytest.Config{Gallery: gallery.Config{Trash: true}}, func(s *stage) {
		ctx := s.Someone(auth.RoleUser)
		for _, p := range []string{"f/a.png", "f/g/b.png"} {
			_, err := s.UploadFile(ctx, p, strings.NewReader(png))
			must(s.T, err)
			_, err = s.UpdateFile(ctx, gallery.UpdateFileInput{Path: p, Tags: &[]string{"sea"}})
			must(s.T, err)
		}
		before, err := s.File(ctx, "f/g/b.png")
		must(s.T, err)
		must(s.T, s.DeleteFile(ctx, "f"))
		s.trashIs("f")
		_, err = s.File(ctx, "f/g/b.png")
		want(s.T, err, fault.NotFound, "a file in the trash")
		_, err = s.NodeByID(ctx, before.ID())
		want(s.T, err, fault.NotFound, "the node of a file in the trash")
		if tags, err := s.Tags(ctx, 100, ""); err != nil || len(tags.Items) > 0 {
			s.Errorf("tags in the trash are counted: %v, %v", tags, err)
		}
		sea := []string{"sea"}
		found, err := s.Files(ctx, gallery.BrowseOptions{Recursive: true, Filter: search.Filter{Tags: sea}})
		if err != nil || len(found.Edges) > 0 {
			s.Errorf("a search finds the trash: %v, %v", found, err)
		}
		must(s.T, s.ScanNow(ctx, ""))
		page, err := s.TrashedFiles(ctx, 1, "")
		must(s.T, err)
		_, err = s.RestoreFile(ctx, page.Items[0].ID, gallery.ConflictError)
		must(s.T, err)
		s.trashIs("")
		s.lists("f", "g a.png")
		s.lists("f/g", "b.png")
		after, err := s.File(ctx, "f/g/b.png")
		must(s.T, err)
		if after.ID() != before.ID() || !slices.Equal(after.Tags(), sea) {
			s.Errorf("%s with %v came back as %s with %v", before.ID(), before.Tags(), after.ID(), after.Tags())
		}
		must(s.T, s.MoveFile(ctx, "f/g/b.png", "f/c.png"))
		must(s.T, s.DeleteFile(ctx, "f/c.png"))
		n, err := s.EmptyTrash(s.As(s.Person("root", auth.RoleAdmin)))
		if err != nil || n != 1 {
			s.Errorf("emptied %d, %v", n, err)
		}
		left, _ := storage.Entries(s.Store.List(ctx, ".safelight/trash", storage.ListOptions{ShowHidden: true}))
		if len(left) > 0 {
			s.Errorf("left in the trash: %v", left)
		}
	})
}

// TestTrashHeals kills the server between the steps of trashing and restoring.
func TestTrashHeals(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		s.Put("a/one.png", png)
		_, err := s.UpdateFile(access.All(t.Context()),
			gallery.UpdateFileInput{Path: "a/one.png", Description: ptr("a sail")})
		must(t, err)
		before, err := s.File(access.All(t.Context()), "a/one.png")
		must(t, err)
		id := "0000000000000001-killed"
		about, err := json.Marshal(
			map[string]any{"version": 1, "path": "a/one.png", "size": len(png), "files": 1, "trashedAt": s.Clock.Time},
		)
		must(t, err)
		inTrash := ".safelight/trash/" + id + "/files/one.png"
		s.onDisk(".safelight/trash/"+id+"/about.json", string(about))
		kill := func(from, to string) { // after the content was moved, before anything else
			t.Helper()
			_, err := db.Exec(
				"INSERT INTO intents (owner, change, source, target, seen) VALUES ('dead', 'move', '" + from + "', '" +
					to + "', 1)",
			)
			must(t, err)
			must(t, os.MkdirAll(filepath.Dir(filepath.Join(s.Dir, to)), 0o755))
			must(t, os.Rename(filepath.Join(s.Dir, from), filepath.Join(s.Dir, to)))
			must(t, s.Heal(access.All(t.Context()), s.Clock.Time))
			_, err = s.SweepTrash(access.All(t.Context()))
			must(t, err)
			s.noIntents(db)
		}
		kill("a/one.png", inTrash)
		s.lists("a", "")
		s.trashIs("a/one.png")
		if have := s.allNames(""); have != "a" {
			t.Errorf("a listing shows the trash: %q", have)
		}
		kill(inTrash, "a/other.png")
		s.trashIs("")
		s.lists("a", "other.png")
		after, err := s.File(access.All(t.Context()), "a/other.png")
		must(t, err)
		if after.ID() != before.ID() || after.Description() != "a sail" {
			t.Errorf("%s came back as %s, %q", before.ID(), after.ID(), after.Description())
		}
		if !strings.Contains(s.disk("a/.safelight/other.png.json"), `"a sail"`) {
			t.Errorf("the notes are %q", s.disk("a/.safelight/other.png.json"))
		}
	})
}

// TestEmptyTrashOfOwn checks that a user empties what their account moved to the trash, even after the rows
// were restored from the storage, and that an admin empties the rest. A user who takes over a username does
// not take over its trash.
func TestEmptyTrashOfOwn(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{Gallery: gallery.Config{Trash: true}})
		ada, bea := s.As(s.Person("ada", auth.RoleUser)), s.As(s.Person("bea", auth.RoleUser))
		root := s.As(s.Person("root", auth.RoleAdmin))
		for _, p := range []string{"a.png", "b.png", "c.png", "d.png"} {
			s.Put(p, png)
		}
		for p, ctx := range map[string]context.Context{"a.png": ada, "b.png": bea, "c.png": root} {
			s.Clock.Time = s.Clock.Time.Add(time.Second)
			must(t, s.DeleteFile(ctx, p))
		}
		_, err := db.Exec("DELETE FROM trash_items")
		must(t, err)
		_, err = s.SweepTrash(access.All(t.Context()))
		must(t, err)
		_, err = s.UpdateProfile(ada, nil, accounts.UpdateProfileInput{Username: ptr("ada2")})
		must(t, err)
		heir := s.As(s.Person("ada", auth.RoleUser))
		for _, c := range []struct {
			who  context.Context
			want int
		}{{heir, 0}, {ada, 1}, {ada, 0}, {root, 2}} {
			if n, err := s.EmptyTrash(c.who); err != nil || n != c.want {
				t.Errorf("emptied %d, %v, expected %d", n, err, c.want)
			}
		}
		s.trashIs("")
	})
}

// TestEmptyTrashAtOnce empties the trash by several concurrent calls, on PostgreSQL through two servers. Each
// item must be counted and recorded once. An item that is restored meanwhile must not be counted.
func TestEmptyTrashAtOnce(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{Gallery: gallery.Config{Trash: true}})
		servers := []*gallerytest.Rules{s.Rules, s.Rules}
		if name == dialect.Postgres {
			servers[1] = s.Again()
		}
		ctx := s.As(s.Person("root", auth.RoleAdmin))
		const items = 12
		for i := range items {
			path := fmt.Sprintf("%d.png", i)
			s.Put(path, png)
			must(t, s.DeleteFile(ctx, path))
		}
		last, err := s.TrashedFiles(ctx, 1, "")
		must(t, err)
		var wg sync.WaitGroup
		var counts [4]int
		for i := range counts {
			wg.Go(func() {
				n, err := servers[i%2].EmptyTrash(ctx)
				if err != nil {
					t.Error(err)
				}
				counts[i] = n
			})
		}
		restored := 0
		wg.Go(func() {
			_, err := s.RestoreFile(ctx, last.Items[0].ID, gallery.ConflictError)
			switch fault.CodeOf(err) {
			case "":
				restored = 1
			case fault.NotFound:
			default:
				t.Error(err)
			}
		})
		wg.Wait()
		if n := counts[0] + counts[1] + counts[2] + counts[3] + restored; n != items {
			t.Errorf("%d items: purged %v, restored %d", items, counts, restored)
		}
		if n := len(s.Events(audit.Filter{Action: string(audit.ActionFilePurge)})) + restored; n != items {
			t.Errorf("%d items: %d are recorded as purged, or restored", items, n)
		}
		s.trashIs("")
	})
}
