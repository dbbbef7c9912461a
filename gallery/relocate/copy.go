package relocate

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/storage/copies"
)

// copyFirst copies every file whose current version is not in the journal, and creates empty folders.
func (m *move) copyFirst(ctx context.Context) error {
	return m.copyAll(ctx, func(send func(storage.Key) error) error {
		return m.walk(ctx, "", func(st storage.Stat) error {
			if m.journal.has(st) { // the next phase checks whether the copy exists
				m.count(func(p *Progress) { p.Passed++ })
				return nil
			}
			return send(st.Key)
		}, func(k storage.Key) error { return m.makeFolder(ctx, k) })
	})
}

// copyAll copies the files that list sends, using several workers.
func (m *move) copyAll(ctx context.Context, list func(send func(storage.Key) error) error) error {
	group, parallel := errgroup.WithContext(ctx)
	group.SetLimit(m.Workers)
	err := list(func(k storage.Key) error {
		group.Go(func() error {
			if err := m.copy(parallel, k); err != nil {
				return fmt.Errorf("%s: %w", k, err)
			}
			return nil
		})
		return parallel.Err()
	})
	if failed := group.Wait(); failed != nil {
		return failed
	}
	return err
}

// walk calls file for every file of the source, and empty for every folder without entries. It counts
// symbolic links.
func (m *move) walk(
	ctx context.Context,
	folder storage.Key,
	file func(storage.Stat) error,
	empty func(storage.Key) error,
) error {
	isEmpty := folder != ""
	for e, err := range m.From.List(ctx, folder, storage.ListOptions{ShowHidden: true}) {
		isEmpty = false
		switch {
		case fault.CodeOf(err) == fault.NotFound:
			return nil // deleted since it was listed
		case err != nil:
		case e.Key == storage.WritableKey: // servers keep overwriting it
		case e.Linked:
			m.count(func(p *Progress) { p.Links++ })
		case e.IsFolder:
			err = m.walk(ctx, e.Key, file, empty)
		default:
			err = file(e)
		}
		if err != nil {
			return err
		}
	}
	if isEmpty {
		return empty(folder)
	}
	return nil
}

func (m *move) makeFolder(ctx context.Context, k storage.Key) error {
	err := m.To.CreateFolder(ctx, k)
	if fault.CodeOf(err) == fault.Conflict { // it exists, or was a file: the next phase handles it
		return nil
	}
	return err
}

// errGone is the error for a file that was deleted, or replaced by a folder, since it was listed.
var errGone = errors.New("the file is gone")

// copy copies a file, reads the copy back and compares the checksums.
func (m *move) copy(ctx context.Context, k storage.Key) error {
	r, err := m.write(ctx, k)
	if errors.Is(err, errGone) && m.at.Phase == Copying {
		return nil // the next phase handles it
	}
	if errors.Is(err, errGone) {
		m.mu.Lock()
		delete(m.files, k)
		m.mu.Unlock()
		return m.remove(ctx, k)
	}
	if err != nil {
		return err
	}
	if err := m.journal.add(r); err != nil {
		return err
	}
	m.count(func(p *Progress) { p.Copied++; p.Bytes += r.Size })
	return nil
}

// unlessGone returns err, or errGone if the file no longer exists.
func (m *move) unlessGone(ctx context.Context, k storage.Key, err error) error {
	st, missing := m.From.Stat(ctx, k)
	if fault.CodeOf(missing) == fault.NotFound || missing == nil && st.IsFolder {
		return errGone
	}
	return err
}

// write copies the content and verifies it.
func (m *move) write(ctx context.Context, k storage.Key) (*record, error) {
	c, err := copies.File(ctx, m.From, k, m.To, k, true)
	switch {
	case err == nil:
		return &record{Key: k, Size: c.Source.Size, ETag: c.Source.ETag, NewETag: c.Made.ETag, SHA256: c.SHA256}, nil
	case c.Made.Key != "":
		return nil, err
	case fault.CodeOf(err) == fault.Conflict && m.at.Phase == Copying:
		return nil, errGone // it became a folder, or was one
	}
	return nil, m.unlessGone(ctx, k, err)
}
