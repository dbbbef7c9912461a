package relocate

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/database/moves"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/intent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/storage/storagetest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// site is a gallery whose files are moved.
type site struct {
	*testing.T
	d        moves.Database
	db       *database.DB
	from, to storage.Store
	journal  string
}

// each runs a test on either database, moving from a folder to S3 and back.
func each(t *testing.T, test func(*site)) {
	for _, direction := range []string{"to a bucket", "to a folder"} {
		t.Run(direction, func(t *testing.T) {
			databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
				local, err := storage.OpenLocal(t.TempDir())
				must(t, err)
				s := &site{
					T:       t,
					d:       moves.Database{DB: pool, Dialect: name},
					db:      database.New(pool, name),
					from:    local,
					to:      bucket(t),
					journal: filepath.Join(t.TempDir(), "journal"),
				}
				if direction == "to a folder" {
					s.from, s.to = s.to, s.from
				}
				t.Cleanup(func() { s.from.Close(); s.to.Close() })
				test(s)
			})
		})
	}
}

// bucket returns an empty folder on the S3 server of make test.
func bucket(t *testing.T) storage.Store {
	t.Helper()
	place, query, found := strings.Cut(os.Getenv(storagetest.S3Variable), "?")
	if !found {
		t.Skip(storagetest.S3Variable + " names no server: make test starts one and sets it")
	}
	store, err := storage.Open(t.Context(), place+"/relocate-"+rand.Text()+"?"+query)
	must(t, err)
	return store
}

func (s *site) put(name, text string) storage.Stat {
	s.Helper()
	st, err := s.from.Create(
		s.Context(), storage.Key(name), strings.NewReader(text), storage.CreateOptions{Overwrite: true},
	)
	must(s.T, err)
	return st
}

func (s *site) config(report func(Progress)) Config {
	return Config{From: s.from, To: s.to, Place: "there", Journal: s.journal, Workers: 3, Report: report}
}

func (s *site) read(store storage.Store, k storage.Key) string {
	s.Helper()
	o, err := store.Open(s.Context(), k)
	must(s.T, err)
	text, err := io.ReadAll(o)
	must(s.T, errors.Join(err, o.Close()))
	return string(text)
}

// tree returns all files with their content, and empty folders.
func (s *site) tree(store storage.Store) map[string]string {
	s.Helper()
	all := map[string]string{}
	var walk func(storage.Key)
	walk = func(folder storage.Key) {
		list, err := storage.Entries(store.List(s.Context(), folder, storage.ListOptions{ShowHidden: true}))
		must(s.T, err)
		if len(list) == 0 {
			all[string(folder)+"/"] = ""
		}
		for _, e := range list {
			if e.IsFolder {
				walk(e.Key)
				continue
			}
			all[string(e.Key)] = s.read(store, e.Key)
		}
	}
	walk("")
	return all
}

func (s *site) same() {
	s.Helper()
	want, got := s.tree(s.from), s.tree(s.to)
	for name, text := range want {
		if has, there := got[name]; !there || has != text {
			s.Errorf("%s: %.20q, expected %.20q", name, has, text)
		}
	}
	for name := range got {
		if _, there := want[name]; !there {
			s.Errorf("%s is in the new storage only", name)
		}
	}
}

// furnish writes files, an empty folder, and the rows of an index that describes them.
func (s *site) furnish(files int) {
	s.Helper()
	for i := range files {
		name := fmt.Sprintf("f%d/ü %d.jpg", i%3, i)
		st := s.put(name, fmt.Sprintf("%d%s", i, strings.Repeat("x", i*100)))
		must(
			s.T,
			s.db.Entry.Create().
				SetPath(name).
				SetName(st.Key.Name()).
				SetNameKey([]byte(name)).
				SetKind(1).
				SetEtag(st.ETag).
				SetSize(st.Size).
				SetModified(int64(i)).
				SetMetaState(1).
				SetWidth(i).
				Exec(s.Context()),
		)
	}
	s.put(".safelight/trash/1/item", "in the trash")
	s.put(".safelight/uploads/1/0", "a part")
	s.put("f0/.safelight/a.json", "{}")
	must(s.T, s.from.CreateFolder(s.Context(), "empty/one"))
}

// TestMove moves files. The index must be updated so that no picture is analyzed again, and keep the times.
func TestMove(t *testing.T) {
	each(t, func(s *site) {
		s.furnish(20)
		must(s.T, storage.CheckWrite(s.Context(), s.from)) // as servers do in the meantime
		got, err := Run(
			s.Context(), s.config(func(Progress) { must(s.T, storage.CheckWrite(s.Context(), s.from)) }), s.d,
		)
		must(s.T, err)
		must(s.T, s.from.Delete(s.Context(), storage.WritableKey))
		s.same()
		rows, err := s.db.Entry.Query().Where(entry.Kind(1)).All(s.Context())
		must(s.T, err)
		for _, r := range rows {
			st, err := s.to.Stat(s.Context(), storage.Key(r.Path))
			if err != nil || r.Etag != st.ETag || r.MetaState != 1 || r.Modified != int64(r.Width) {
				s.Errorf("%+v, %v; expected the ETag %s", r, err, st.ETag)
			}
		}
		if got.Passed != 23 || len(rows) != 20 {
			s.Errorf("%+v", got)
		}
		if _, err := os.Stat(s.journal); err == nil {
			s.Error("the journal is left")
		}
		add := func() error {
			return s.db.Transact(s.Context(), func(tx *ent.Tx) error {
				return tx.Intent.Create().SetOwner("x").SetChange(intent.ChangeWrite).SetSeen(1).Exec(s.Context())
			})
		}
		if err := add(); fault.CodeOf(err) != fault.Unavailable {
			s.Errorf("a change after the move: %v", err)
		}
		must(s.T, moves.Check(s.Context(), s.d))
		if err := moves.Resume(s.Context(), s.d, "elsewhere"); err == nil ||
			!strings.Contains(err.Error(), "moved to there") {
			s.Errorf("a start on the old storage: %v", err)
		}
		must(s.T, moves.Resume(s.Context(), s.d, "there"))
		must(s.T, add())
		must(s.T, moves.Resume(s.Context(), s.d, "there"))
		if err := moves.Resume(s.Context(), s.d, "elsewhere"); err == nil {
			s.Error("a server that was forgotten starts on the old storage")
		}
		if _, err := Run(s.Context(), s.config(nil), s.d); err == nil {
			s.Error("the move runs once more over files that have changed since")
		}
		must(s.T, moves.AllowFileChanges(s.Context(), s.d))
		must(s.T, moves.Resume(s.Context(), s.d, "elsewhere"))
	})
}

// TestChangesMeanwhile changes, adds, deletes and replaces files after they were copied.
func TestChangesMeanwhile(t *testing.T) {
	each(t, func(s *site) {
		s.furnish(12)
		s.put("file", "becomes a folder")
		s.put("folder/a", "becomes a file")
		_, err := Run(s.Context(), s.config(func(p Progress) {
			if p.Phase != Copying || !p.Done {
				return
			}
			s.put("f0/ü 0.jpg", "changed")
			s.put("new/one.jpg", "new")
			for _, k := range []storage.Key{"f1/ü 1.jpg", "f2", "empty", "file", "folder"} {
				must(s.T, s.from.Delete(s.Context(), k))
			}
			s.put("file/in.jpg", "in a folder")
			s.put("folder", "a file")
		}), s.d)
		must(s.T, err)
		s.same()
		r, err := s.db.Entry.Query().Where(entry.Path("f0/ü 0.jpg")).Only(s.Context())
		must(s.T, err)
		if st, err := s.to.Stat(s.Context(), "f0/ü 0.jpg"); err != nil || st.ETag == r.Etag {
			s.Errorf("the row of a file that was changed by hand counts as up to date: %v", err)
		}
	})
}

// TestGoneWhileFollowing deletes a file that was about to be copied again, and creates another, as a change
// does that is rejected after it has written.
func TestGoneWhileFollowing(t *testing.T) {
	each(t, func(s *site) {
		s.furnish(6)
		c := s.config(func(p Progress) {
			if p.Phase == Copying && p.Done {
				s.put("f0/ü 0.jpg", "changed")
				s.put("f1/new.jpg", "new")
			}
		})
		following := false
		c.From = &opening{s.from, func(k storage.Key) {
			if following = following || k == "f1/new.jpg" ||
				k == "f0/ü 0.jpg" && s.read(s.from, k) == "changed"; !following {
				return
			}
			for _, k := range []storage.Key{"f0/ü 0.jpg", "f1/new.jpg"} {
				if err := s.from.Delete(s.Context(), k); fault.CodeOf(err) != fault.NotFound {
					must(s.T, err)
				}
			}
			s.put(".safelight/trash/2/about.json", "{}")
		}}
		c.Workers = 1
		_, err := Run(s.Context(), c, s.d)
		must(s.T, err)
		if !following {
			s.Fatal("nothing was opened after the changes")
		}
		must(s.T, s.from.Delete(s.Context(), ".safelight/trash/2"))
		s.same()
	})
}

// opening is a store that calls before whenever an object is opened.
type opening struct {
	storage.Store
	before func(storage.Key)
}

func (o *opening) Open(ctx context.Context, k storage.Key) (storage.Object, error) {
	o.before(k)
	return o.Store.Open(ctx, k)
}

// TestNothingIsAskedTwice counts the requests for files that a previous run has copied. Both sides are
// listed, but no individual file is requested.
func TestNothingIsAskedTwice(t *testing.T) {
	each(t, func(s *site) {
		s.furnish(12)
		ctx, cancel := context.WithCancel(s.Context())
		c := s.config(func(p Progress) {
			if p.Phase == Copying && p.Done {
				cancel()
			}
		})
		if _, err := Run(ctx, c, s.d); !errors.Is(err, context.Canceled) && fault.CodeOf(err) != fault.Canceled {
			s.Fatalf("interrupted: %v", err)
		}
		from, to := &stats{Store: s.from}, &stats{Store: s.to}
		c.From, c.To = from, to
		done, err := Run(s.Context(), c, s.d)
		must(s.T, err)
		s.same()
		if done.Passed != 15 || done.Copied != 0 || from.n.Load() != 0 || to.n.Load() != 0 {
			s.Errorf(
				"%+v with %d and %d questions, expected 15 files that were there and no questions", done,
				from.n.Load(), to.n.Load(),
			)
		}
	})
}

// stats is a store that counts Stat calls.
type stats struct {
	storage.Store
	n atomic.Int32
}

func (c *stats) Stat(ctx context.Context, k storage.Key) (storage.Stat, error) {
	c.n.Add(1)
	return c.Store.Stat(ctx, k)
}

func (c *stats) Open(ctx context.Context, k storage.Key) (storage.Object, error) {
	c.n.Add(1)
	return c.Store.Open(ctx, k)
}

// TestCanceledMeanwhile cancels a move from elsewhere after everything was copied. The index must stay
// unchanged, and the run must fail.
func TestCanceledMeanwhile(t *testing.T) {
	for _, phase := range []Phase{Following, Indexing} {
		t.Run(string(phase), func(t *testing.T) {
			each(t, func(s *site) {
				s.furnish(3)
				before, err := s.db.Entry.Query().Where(entry.Path("f0/ü 0.jpg")).Only(s.Context())
				must(s.T, err)
				_, err = Run(s.Context(), s.config(func(p Progress) {
					if p.Phase == phase && p.Done {
						must(s.T, moves.AllowFileChanges(s.Context(), s.d))
					}
				}), s.d)
				if err == nil || !strings.Contains(err.Error(), "the move was canceled") {
					s.Errorf("it ends with %v", err)
				}
				must(s.T, moves.Resume(s.Context(), s.d, "anywhere"))
				after, err := s.db.Entry.Query().Where(entry.Path("f0/ü 0.jpg")).Only(s.Context())
				must(s.T, err)
				if (before.Etag == after.Etag) != (phase == Following) {
					s.Errorf("the ETag was %s and is %s", before.Etag, after.Etag)
				}
			})
		})
	}
}

// TestWorkers checks that an invalid number of workers is replaced by the default.
func TestWorkers(t *testing.T) {
	each(t, func(s *site) {
		s.furnish(2)
		c := s.config(nil)
		c.Workers = -1
		_, err := Run(s.Context(), c, s.d)
		must(s.T, err)
		s.same()
	})
}

// TestInterrupted interrupts moves. The next run must only copy what is missing.
func TestInterrupted(t *testing.T) {
	each(t, func(s *site) {
		s.furnish(12)
		ctx, cancel := context.WithCancel(s.Context())
		c := s.config(nil)
		c.Workers = 1
		c.From = &counting{Store: s.from, after: 5, do: cancel}
		if _, err := Run(ctx, c, s.d); !errors.Is(err, context.Canceled) && fault.CodeOf(err) != fault.Canceled {
			s.Fatalf("interrupted: %v", err)
		}
		f, err := os.OpenFile(s.journal, os.O_APPEND|os.O_WRONLY, 0)
		must(s.T, err)
		_, err = f.WriteString(`{"key":"f0/`) // as a crash leaves it
		must(s.T, errors.Join(err, f.Close()))
		other := s.config(nil)
		other.Place = "elsewhere"
		if _, err := Run(s.Context(), other, s.d); err == nil ||
			!strings.Contains(err.Error(), "a move to there was begun") {
			s.Errorf("a move to another place: %v", err)
		}
		again := &counting{Store: s.from, after: -1}
		c.From = again
		_, err = Run(s.Context(), c, s.d)
		must(s.T, err)
		s.same()
		if again.opened >= 15 || again.opened < 8 {
			s.Errorf("%d files were copied by the second run, of 15", again.opened)
		}
	})
}

// counting is a store that calls do after a number of objects were opened.
type counting struct {
	storage.Store
	after, opened int
	do            func()
}

func (c *counting) Open(ctx context.Context, k storage.Key) (storage.Object, error) {
	if c.opened++; c.opened == c.after {
		c.do()
	}
	return c.Store.Open(ctx, k)
}

// TestRefused checks what makes a move fail, and that it can be canceled.
func TestRefused(t *testing.T) {
	each(t, func(s *site) {
		s.furnish(3)
		_, err := s.to.Create(s.Context(), "other", strings.NewReader("x"), storage.CreateOptions{})
		must(s.T, err)
		if _, err := Run(s.Context(), s.config(nil), s.d); err == nil || !strings.Contains(err.Error(), "not empty") {
			s.Errorf("a target with files: %v", err)
		}
		must(s.T, s.to.Delete(s.Context(), "other"))
		c := s.config(nil)
		c.To = lying{s.to}
		if _, err := Run(s.Context(), c, s.d); err == nil || !strings.Contains(err.Error(), "SHA-256") {
			s.Errorf("a target that changes bytes: %v", err)
		}
		must(s.T, moves.StopFileChanges(s.Context(), s.d, "there"))
		must(s.T, moves.AllowFileChanges(s.Context(), s.d))
		must(s.T, s.db.Intent.Create().SetOwner("x").SetChange(intent.ChangeWrite).SetSeen(1).Exec(s.Context()))
	})
}

// lying is a store that returns different content than was written.
type lying struct{ storage.Store }

func (l lying) Create(ctx context.Context, k storage.Key, r io.Reader, o storage.CreateOptions) (storage.Stat, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return storage.Stat{}, err
	}
	slices.Reverse(b)
	return l.Store.Create(ctx, k, strings.NewReader("x"+string(b)), o)
}

func TestPlace(t *testing.T) {
	here, err := filepath.Abs("x")
	must(t, err)
	for address, want := range map[string]string{
		"file:///srv/files": "file:///srv/files", "file:///srv/./files/": "file:///srv/files",
		"file:x": "file://" + here,
		"s3://b/p/?region=x&endpoint=https://h:1/": "s3://b/p at https://h:1", "s3://b?use_path_style=true": "s3://b",
		"ftp://x": "", "": "",
	} {
		if got, err := Place(address); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; expected %q", address, got, err, want)
		}
	}
}
