package relocate

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"mime"
	"path"
	"sync"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
)

// copyFirst copies every file that the journal does not have as it is, and makes empty folders.
func (m *move) copyFirst(ctx context.Context) error {
	return m.copyAll(ctx, func(send func(storage.Key) error) error {
		return m.walk(ctx, "", func(st storage.Stat) error {
			if m.journal.has(st) { // the next phase looks whether the copy is there
				m.count(func(p *Progress) { p.Passed++ })
				return nil
			}
			return send(st.Key)
		}, func(k storage.Key) error { return m.makeFolder(ctx, k) })
	})
}

// copyAll copies the files that list sends, with several workers.
func (m *move) copyAll(ctx context.Context, list func(send func(storage.Key) error) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	keys := make(chan storage.Key)
	var wg sync.WaitGroup
	for range m.Workers {
		wg.Go(func() {
			for k := range keys {
				if err := m.copy(ctx, k); err != nil {
					cancel(fmt.Errorf("%s: %w", k, err))
				}
			}
		})
	}
	err := list(func(k storage.Key) error {
		select {
		case keys <- k:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	close(keys)
	wg.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// walk calls file for every file of the source, and empty for every folder without entries. It counts links.
func (m *move) walk(ctx context.Context, folder storage.Key, file func(storage.Stat) error, empty func(storage.Key) error) error {
	isEmpty := folder != ""
	for e, err := range storage.Each(ctx, m.From, folder, storage.ListOptions{ShowHidden: true}) {
		isEmpty = false
		switch {
		case fault.CodeOf(err) == fault.NotFound:
			return nil // deleted since it was listed
		case err != nil:
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
	if fault.CodeOf(err) == fault.Conflict { // it is there, or was a file: the next phase follows
		return nil
	}
	return err
}

// errGone is the error of a file that was deleted, or replaced by a folder, since it was listed.
var errGone = errors.New("the file is gone")

// copy copies a file, reads the copy back and compares the checksums.
func (m *move) copy(ctx context.Context, k storage.Key) error {
	r, err := m.write(ctx, k)
	if errors.Is(err, errGone) && m.at.Phase == Copying {
		return nil // the next phase follows
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

// unlessGone returns errGone instead of an error of a file that is gone.
func (m *move) unlessGone(ctx context.Context, k storage.Key, err error) error {
	st, missing := m.From.Stat(ctx, k)
	if fault.CodeOf(missing) == fault.NotFound || missing == nil && st.IsFolder {
		return errGone
	}
	return err
}

// write copies the bytes and verifies them.
func (m *move) write(ctx context.Context, k storage.Key) (*record, error) {
	from, err := m.From.Open(ctx, k)
	if err != nil {
		return nil, m.unlessGone(ctx, k, err)
	}
	defer from.Close()
	st, sum := from.Stat(), sha256.New()
	put, err := m.To.Create(ctx, k, io.TeeReader(from, sum), storage.CreateOptions{ContentType: contentType(k), Overwrite: true})
	if fault.CodeOf(err) == fault.Conflict && m.at.Phase == Copying {
		return nil, errGone // it became a folder, or was one
	}
	if err != nil {
		return nil, m.unlessGone(ctx, k, fmt.Errorf("writing: %w", err))
	}
	to, err := m.To.Open(ctx, k)
	if err != nil {
		return nil, fmt.Errorf("reading back: %w", err)
	}
	defer to.Close()
	back := sha256.New()
	n, err := io.Copy(back, to)
	if err != nil {
		return nil, fmt.Errorf("reading back: %w", err)
	}
	if n != st.Size || hexOf(back) != hexOf(sum) {
		return nil, fmt.Errorf("the copy has %d bytes with the SHA-256 %s, expected %d with %s", n, hexOf(back), st.Size, hexOf(sum))
	}
	return &record{Key: k, Size: st.Size, ETag: st.ETag, NewETag: put.ETag, SHA256: hexOf(sum)}, nil
}

func hexOf(h hash.Hash) string { return fmt.Sprintf("%x", h.Sum(nil)) }

// contentType returns the media type of a file by its name; empty if it is not known.
func contentType(k storage.Key) string {
	ext := path.Ext(string(k))
	if f, ok := imaging.ParseFormat(ext); ok { // this computer may know no others
		return f.ContentType()
	}
	return mime.TypeByExtension(ext)
}
