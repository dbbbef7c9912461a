package gallery

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/metadata"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
)

// togetherTime is how long the results of a batch are collected before they are stored. Batches save half of the time,
// which a transaction for each picture would take. Pictures that a request waits for are stored immediately.
const togetherTime = 250 * time.Millisecond

// pending is a batch of pictures to analyze until ctx ends.
type pending struct {
	ctx context.Context // of the lease under which they are analyzed
	ids []int
}

// finding is the metadata of a picture.
type finding struct {
	row  *ent.Entry
	info *imaging.Info

	truncated bool
}

// feedMetadata sends the ids of pending pictures to the workers, newest first. When the workers have taken
// all of them, it queries for more.
//
// It pauses while a scan writes its findings: SQLite has a single writer, and on a first scan, showing the
// files matters more than their colors.
func (g *Gallery) feedMetadata(ctx context.Context, next chan<- pending, workers int) {
	for {
		pause := 50 * time.Millisecond // workers are still busy with the previous pictures
		if g.index.writing.Load() == 0 {
			rows, err := g.unanalyzed(ctx)
			if err != nil && ctx.Err() == nil {
				g.log.WarnContext(ctx, "looking for pictures without metadata", "error", err)
			}
			for _, ids := range metadata.Together(rows, workers) {
				select {
				case <-ctx.Done():
					return
				case next <- pending{ctx, ids}:
				}
			}
			if len(rows) == 0 {
				pause = 2 * time.Second
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// unanalyzed returns the newest pending pictures.
func (g *Gallery) unanalyzed(ctx context.Context) ([]*ent.Entry, error) {
	return g.db.Entry.Query().
		Where(entry.MetaState(metaPending), entry.Kind(kindFile)).
		Order(ent.Desc(entry.FieldModified)).
		Limit(200).
		Select(entry.FieldID, entry.FieldMetaTries).
		All(ctx)
}

// lot is a batch of pictures while a worker analyzes it.
type lot struct {
	g     *Gallery
	ctx   context.Context
	mine  map[int]bool // ids that are reserved for this worker
	found []finding    // results that are not stored yet
}

// analyze extracts the metadata of pictures, except for those that another worker is analyzing. Pictures that
// a request waits for come first. Results that are not stored when the process ends are computed again. The
// error joins the errors of pictures whose analysis failed and will be retried, or reports a panic.
func (g *Gallery) analyze(ctx context.Context, ids ...int) (failed error) {
	b := lot{g: g, ctx: ctx, mine: map[int]bool{}}
	defer b.release()
	defer func() {
		if v := recover(); v != nil {
			failed = errors.Join(failed, fmt.Errorf("analyzing: panic: %v\n%s", v, debug.Stack()))
		}
	}()
	for _, id := range ids {
		if _, taken := g.analyzing.LoadOrStore(id, true); !taken {
			b.mine[id] = true
		}
	}
	rows, err := g.begin(ctx, slices.Collect(maps.Keys(b.mine)))
	if err != nil {
		return err
	}
	began := time.Now()
	for n, row := range rows {
		if n > 0 && len(g.requested) > 0 {
			failed = errors.Join(failed, b.store(), g.analyzeRequested(ctx))
		}
		if ctx.Err() != nil {
			return errors.Join(failed, ctx.Err())
		}
		if info, truncated, err := inspectSafely(ctx, g, row); err == nil {
			b.found = append(b.found, finding{row, info, truncated})
		} else if err := g.unreadable(ctx, row, err); err != nil {
			failed = errors.Join(failed, fmt.Errorf("entry %d: %w", row.ID, err))
		}
		if time.Since(began) > togetherTime {
			failed = errors.Join(failed, b.store())
			began = time.Now()
		}
	}
	return errors.Join(failed, b.store())
}

// store writes the results to the database.
func (b *lot) store() error {
	if len(b.found) == 0 {
		return nil
	}
	err := b.g.saveMetadata(b.ctx, b.found)
	for _, f := range b.found {
		delete(b.mine, f.row.ID)
		b.g.analyzing.Delete(f.row.ID)
	}
	b.found = nil
	return err
}

func (b *lot) release() {
	for id := range b.mine {
		b.g.analyzing.Delete(id)
	}
}

// analyzeRequested analyses the pictures that are in the queue of requests.
func (g *Gallery) analyzeRequested(ctx context.Context) (failed error) {
	for ctx.Err() == nil {
		select {
		case id := <-g.requested:
			failed = errors.Join(failed, g.analyze(ctx, id))
		default:
			return failed
		}
	}
	return failed
}

// begin counts an attempt for the pictures that still need an analysis, and returns them. It counts before
// the analysis, so that a picture that crashes the process is not tried forever.
func (g *Gallery) begin(ctx context.Context, ids []int) ([]*ent.Entry, error) {
	rows, err := g.db.Entry.Query().
		Where(entry.IDIn(ids...), entry.MetaState(metaPending)).
		Order(ent.Desc(entry.FieldModified)).
		All(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	if g.engine == nil {
		return nil, fault.New(fault.Unavailable, "metadata is unavailable, this server has no engine")
	}
	counted, list := make([]int, len(rows)), []*ent.Entry(nil)
	for n, row := range rows {
		counted[n] = row.ID
		if row.MetaTries < maxTries {
			list = append(list, row)
		} else if err := g.markMetadata(ctx, row, metaFailed); err != nil {
			return nil, err
		}
	}
	return list, g.db.Entry.Update().Where(entry.IDIn(counted...)).AddMetaTries(1).Exec(ctx)
}

// inspectSafely calls inspect. It converts a panic, which an untrusted file may cause, to fault.Unavailable.
// The picture is then retried alone.
func inspectSafely(ctx context.Context, g *Gallery, row *ent.Entry) (info *imaging.Info, truncated bool, err error) {
	defer func() {
		if v := recover(); v != nil {
			panicked := fmt.Errorf("panic: %v\n%s", v, debug.Stack())
			err = fault.Wrap(panicked, fault.Unavailable, "the analysis of %s failed", row.Path)
		}
	}()
	return g.inspect(ctx, row)
}

// saveMetadata stores the metadata of at least one picture in one transaction. It skips files that have changed since.
// The words for searches are computed from the current tags and description, which may have changed in the meantime.
func (g *Gallery) saveMetadata(ctx context.Context, found []finding) error {
	ids, folders, infos := make([]int, len(found)), []storage.Key(nil), make(map[int]finding, len(found))
	for n, f := range found {
		ids[n], infos[f.row.ID] = f.row.ID, f
		folders = append(folders, storage.Key(f.row.Path).Parent())
	}
	err := g.db.Transact(ctx, func(tx *ent.Tx) error {
		if err := g.index.lockFolders(ctx, tx.Client(), folders...); err != nil {
			return err
		}
		rows, err := tx.Entry.Query().Where(entry.IDIn(ids...)).All(ctx)
		if err != nil {
			return err
		}
		for _, now := range rows {
			f := infos[now.ID]
			u := tx.Entry.Update().Where(entry.ID(now.ID), entry.Etag(f.row.Etag))
			metadata.Set(u, now, f.info)
			u.SetTruncated(f.truncated)
			if err := u.Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	for _, f := range found {
		g.publish(storage.Key(f.row.Path))
	}
	return err
}
