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
	Place    string // place of To, which moves.Resume also gets from servers that use it
	// Journal is the file that records what was copied, so that the next run can continue. It is deleted when
	// the move is complete.
	Journal string
	Workers int              // number of concurrent copies; 8 if below 1
	Now     func() time.Time // clock of the servers; nil is time.Now
	Report  func(Progress)   // called after every 1,000 files and after each phase; nil: no reports
}

// Phase is a step of a move.
type Phase string

// The phases.
const (
	Copying   Phase = "copying"   // servers may change files
	Following Phase = "following" // they may not: what has changed is copied
	Indexing  Phase = "indexing"
)

// Progress is the progress of a move.
type Progress struct {
	Phase          Phase
	Copied, Passed int64 // files that were copied, and files that existed already
	Removed        int64 // files and folders that were deleted after they had been copied
	Bytes          int64
	Links          int64 // folders that are symbolic links to others in the same storage; they are left out
	Done           bool  // the phase is complete
}

// How long to wait for changes that were in progress when files were frozen.
const (
	maxChange = 3 * time.Minute
	abandoned = 70 * time.Second // without a renewal; the first server on the new storage completes the change
)

// Run moves all files. If it fails after the phase Following has started, files stay frozen, and the next run
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

// move is a single run.
type move struct {
	Config
	db      *database.DB
	journal *journal
	mu      sync.Mutex // guards at and files
	at      Progress
	files   map[storage.Key]state // files of the source, in the phase Following
	folders map[storage.Key]bool  // their folders and all parents
}

// state is what is known about a file of the source.
type state uint8

const (
	differs state = iota // it was not copied, or the file or its copy was changed since
	copied               // the journal contains this version
	same                 // the target contains this version, too
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

// count updates the progress.
func (m *move) count(add func(*Progress)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	add(&m.at)
	if n := m.at.Copied + m.at.Passed; n > 0 && n%1000 == 0 {
		m.Report(m.at)
	}
}

// waitForChanges waits until the changes in progress are complete. Changes of a killed server are left to the
// first server on the new storage.
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

// follow makes the target match the source: it removes what was deleted since, and copies what has changed.
// It lists each side once. A change that is rejected may still write a file before it checks, and delete it
// afterwards, so such files may come and go in the meantime.
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

// listSource fills files and folders, and returns the empty folders.
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

// removeOthers removes from the target what the source does not contain, and records which copies exist.
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

// remove removes from the target an entry that is not in the source.
func (m *move) remove(ctx context.Context, k storage.Key) error {
	if err := m.To.Delete(ctx, k); err != nil && fault.CodeOf(err) != fault.NotFound {
		return fmt.Errorf("removing %s, which was deleted meanwhile: %w", k, err)
	}
	m.count(func(p *Progress) { p.Removed++ })
	return m.journal.forget(k)
}

// compare lists the target and checks that it has exactly the files of the source.
func (m *move) compare(ctx context.Context) error {
	missing := len(m.files)
	err := storage.Walk(ctx, m.To, "", nil, func(e storage.Stat) error {
		if _, known := m.files[e.Key]; !known {
			return fmt.Errorf("the new storage has %s, which the old one does not have", e.Key)
		}
		missing--
		return nil
	})
	if err == nil && missing > 0 {
		err = fmt.Errorf("%d files are missing in the new storage", missing)
	}
	return err
}

// indexBatch is how many rows one transaction changes.
const indexBatch = 500

// index sets the rows of files to the ETags of the new storage, so that listings treat all files as
// unchanged. Modification times stay the same.
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
