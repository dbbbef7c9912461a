// Package relocate moves the files of a gallery to another storage. Servers can read files throughout, and change them
// until the last phase. It resumes after a crash, compares checksums, and updates the index, so that no file is
// analyzed again (docs/contributing/decisions/0021).
package relocate

import (
	"context"
	"fmt"
	"sync"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/moves"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// Config configures a move.
type Config struct {
	From, To storage.Store
	Place    string // of To, as moves.Resume gets it from a server that uses it
	// file that notes what was copied; it makes the next run continue, and is deleted when the move is complete
	Journal string
	Workers int              // files at a time; 8 if below 1
	Now     func() time.Time // of the servers; nil is time.Now
	Report  func(Progress)   // called after each 1,000 files and each phase; nil for no reports
}

// Phase is a part of a move.
type Phase string

// The phases.
const (
	Copying   Phase = "copying"   // servers may change files
	Following Phase = "following" // they may not: what has changed is copied
	Indexing  Phase = "indexing"
)

// Progress says how far a move is.
type Progress struct {
	Phase          Phase
	Copied, Passed int64 // files; those that were there already
	Removed        int64 // files and folders that were deleted after they were copied
	Bytes          int64
	Links          int64 // folders that are symbolic links to others of the same storage: they are left out
	Done           bool  // the phase is complete
}

// The times of changes that had begun when files were to change no more.
const (
	maxChange = 3 * time.Minute
	abandoned = 70 * time.Second // without a sign of life of its server: the first one on the new storage completes it
)

// Run moves all files. After an error files take no more changes if the phase Following had begun; the next run
// continues there.
func Run(ctx context.Context, c Config, d moves.Database) (Progress, error) {
	if c.Workers < 1 {
		c.Workers = 8
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Report == nil {
		c.Report = func(Progress) {}
	}
	if err := moves.Ready(ctx, d, c.Place); err != nil {
		return Progress{}, err
	}
	m := &move{Config: c, db: database.New(d.DB, d.Dialect)}
	journal, err := m.openJournal(ctx)
	if err != nil {
		return m.at, err
	}
	m.journal = journal
	defer journal.close()
	if err := m.phase(ctx, Copying, m.copyFirst); err != nil {
		return m.at, err
	}
	if err := moves.StopFileChanges(ctx, d, c.Place); err != nil {
		return m.at, err
	}
	if err := m.waitForChanges(ctx); err != nil {
		return m.at, err
	}
	if err := m.phase(ctx, Following, m.follow); err != nil {
		return m.at, err
	}
	if err := moves.FilesStopped(ctx, d, c.Place); err != nil {
		return m.at, err
	}
	if err := m.phase(ctx, Indexing, m.index); err != nil {
		return m.at, err
	}
	if err := moves.FilesMoved(ctx, d, c.Place); err != nil {
		return m.at, err
	}
	return m.at, journal.remove()
}

// move is one run.
type move struct {
	Config
	db      *database.DB
	journal *journal
	mu      sync.Mutex // of at and files
	at      Progress
	files   map[storage.Key]state // of the source, in the phase Following
	folders map[storage.Key]bool  // the same, with those above
}

// state is what is known of a file of the source.
type state uint8

const (
	differs state = iota // it was not copied, or was changed since, or its copy was
	copied               // the journal has this version
	same                 // and so has the target
)

func (m *move) phase(ctx context.Context, p Phase, do func(context.Context) error) error {
	m.at.Phase, m.at.Done = p, false
	if err := do(ctx); err != nil {
		return fmt.Errorf("%s: %w", p, err)
	}
	m.at.Done = true
	m.Report(m.at)
	return nil
}

// count adds to the progress.
func (m *move) count(add func(*Progress)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	add(&m.at)
	if n := m.at.Copied + m.at.Passed; n > 0 && n%1000 == 0 {
		m.Report(m.at)
	}
}

// waitForChanges waits until the changes that had begun are made. One of a server that was killed is left to the first
// server on the new storage.
func (m *move) waitForChanges(ctx context.Context) error {
	for end := time.Now().Add(maxChange); ; {
		live, err := m.db.Intent.Query().
			Where(func(s *sql.Selector) { s.Where(sql.GT(s.C("seen"), m.Now().Add(-abandoned).UnixNano())) }).
			Count(ctx)
		if err != nil {
			return database.Translate(err)
		}
		if live == 0 {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf(
				"%d changes of files have not ended after %v: stop the servers and run the command again",
				live, maxChange,
			)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// follow makes the target as the source is: it removes what was deleted since, and copies what has changed. Each side
// is listed once. A change that is refused may still write a file before it asks, and delete it afterwards: such files
// come and go meanwhile.
func (m *move) follow(ctx context.Context) error {
	m.at.Copied, m.at.Passed, m.at.Links = 0, 0, 0
	empty, err := m.listSource(ctx)
	if err != nil {
		return err
	}
	if len(m.files) == 0 && len(m.journal.copied) > 0 {
		return fmt.Errorf(
			"the old storage is empty, although %d files were copied from it: check that it is mounted",
			len(m.journal.copied),
		)
	}
	if err := m.removeOthers(ctx, ""); err != nil {
		return err
	}
	for _, k := range empty {
		if err := m.makeFolder(ctx, k); err != nil {
			return err
		}
	}
	var changed []storage.Key
	for k, is := range m.files {
		if is == same {
			m.count(func(p *Progress) { p.Passed++ })
			continue
		}
		changed = append(changed, k)
	}
	err = m.copyAll(ctx, func(send func(storage.Key) error) error {
		for _, k := range changed {
			if err := send(k); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return m.compare(ctx)
}

// listSource fills files and folders, and returns the folders without either.
func (m *move) listSource(ctx context.Context) (empty []storage.Key, err error) {
	m.files, m.folders = map[storage.Key]state{}, map[storage.Key]bool{}
	above := func(k storage.Key) {
		for p := k.Parent(); p != "" && !m.folders[p]; p = p.Parent() {
			m.folders[p] = true
		}
	}
	err = m.walk(ctx, "", func(st storage.Stat) error {
		m.files[st.Key] = differs
		if m.journal.has(st) {
			m.files[st.Key] = copied
		}
		above(st.Key)
		return nil
	}, func(k storage.Key) error {
		empty = append(empty, k)
		m.folders[k] = true
		above(k)
		return nil
	})
	return empty, err
}

// removeOthers removes what the source does not have, or no longer has, and notes which copies are there.
func (m *move) removeOthers(ctx context.Context, folder storage.Key) error {
	var others, inside []storage.Key
	for e, err := range m.To.List(ctx, folder, storage.ListOptions{ShowHidden: true}) {
		if err != nil {
			return err
		}
		is, known := m.files[e.Key]
		switch {
		case e.IsFolder && m.folders[e.Key]:
			inside = append(inside, e.Key)
		case e.IsFolder || !known:
			others = append(others, e.Key)
		case is == copied && m.journal.wrote(e):
			m.files[e.Key] = same
		}
	}
	for _, k := range others {
		if err := m.remove(ctx, k); err != nil {
			return err
		}
	}
	for _, k := range inside {
		if err := m.removeOthers(ctx, k); err != nil {
			return err
		}
	}
	return nil
}

// remove removes from the target what is not in the source.
func (m *move) remove(ctx context.Context, k storage.Key) error {
	if err := m.To.Delete(ctx, k); err != nil && fault.CodeOf(err) != fault.NotFound {
		return fmt.Errorf("removing %s, which was deleted meanwhile: %w", k, err)
	}
	m.count(func(p *Progress) { p.Removed++ })
	return m.journal.forget(k)
}

// compare lists the target: it must have the files of the source and no others.
func (m *move) compare(ctx context.Context) error {
	missing := len(m.files)
	err := storage.Walk(ctx, m.To, "", nil, func(k storage.Key) error {
		if _, known := m.files[k]; !known {
			return fmt.Errorf("the new storage has %s, which the old one does not have", k)
		}
		missing--
		return nil
	})
	if err == nil && missing > 0 {
		err = fmt.Errorf("%d files are missing in the new storage", missing)
	}
	return err
}

// indexBatch is how many rows a transaction changes.
const indexBatch = 500

// index gives the rows of files the ETags of the new storage, so that a listing finds every file unchanged. Their times
// stay.
func (m *move) index(ctx context.Context) error {
	var batch []*record
	for _, r := range m.journal.copied {
		if batch = append(batch, r); len(batch) < indexBatch {
			continue
		}
		if err := m.indexSome(ctx, batch); err != nil {
			return err
		}
		batch = batch[:0]
	}
	return m.indexSome(ctx, batch)
}

func (m *move) indexSome(ctx context.Context, batch []*record) error {
	return m.db.Transact(ctx, func(tx *ent.Tx) error {
		for _, r := range batch {
			err := tx.Entry.Update().
				Where(entry.Path(string(r.Key)), entry.Etag(r.ETag)).SetEtag(r.NewETag).
				Exec(ctx)
			if err != nil {
				return err
			}
		}
		return nil
	})
}
