package relocate

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"mime"
	"path"
	"sync"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// copyAll copies every file that the journal does not have as it is, with several workers, and makes empty folders.
func (m *move) copyAll(ctx context.Context) error {
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
	err := m.walk(ctx, "", func(k storage.Key) error {
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

// walk is storage.Walk that also makes empty folders.
func (m *move) walk(ctx context.Context, folder storage.Key, do func(storage.Key) error) error {
	empty := true
	for e, err := range storage.Each(ctx, m.From, folder, storage.ListOptions{ShowHidden: true}) {
		empty = false
		switch {
		case fault.CodeOf(err) == fault.NotFound:
			return nil // deleted since it was listed
		case err != nil:
		case e.Linked:
			m.count(func(p *Progress) { p.Links++ })
		case e.IsFolder:
			err = m.walk(ctx, e.Key, do)
		default:
			err = do(e.Key)
		}
		if err != nil {
			return err
		}
	}
	if !empty || folder == "" {
		return nil
	}
	if m.folders != nil {
		m.folders[folder] = true
		for p := folder.Parent(); p != "" && !m.folders[p]; p = p.Parent() {
			m.folders[p] = true
		}
	}
	err := m.To.CreateFolder(ctx, folder)
	if fault.CodeOf(err) == fault.Conflict { // it is there, or was a file: the next phase follows
		return nil
	}
	return err
}

// copy copies a file, unless that version of it was copied, reads the copy back and compares the checksums.
func (m *move) copy(ctx context.Context, k storage.Key) error {
	st, err := m.From.Stat(ctx, k)
	if err == nil && !st.IsFolder {
		var done bool
		if done, err = m.isCopied(ctx, st); err == nil && done {
			m.count(func(p *Progress) { p.Passed++ })
			return nil
		}
	}
	if fault.CodeOf(err) == fault.NotFound || err == nil && st.IsFolder {
		return nil // deleted, or replaced by a folder, since it was listed: the next phase follows
	}
	if err != nil {
		return err
	}
	r, err := m.write(ctx, k)
	if fault.CodeOf(err) == fault.NotFound {
		return nil
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

// isCopied reports whether the version of the source is in the target, unchanged.
func (m *move) isCopied(ctx context.Context, st storage.Stat) (bool, error) {
	r := m.journal.find(st.Key)
	if r == nil || r.ETag != st.ETag || r.Size != st.Size {
		return false, nil
	}
	there, err := m.To.Stat(ctx, st.Key)
	if fault.CodeOf(err) == fault.NotFound {
		return false, nil
	}
	return err == nil && there.ETag == r.NewETag && there.Size == r.Size, err
}

// write copies the bytes and verifies them.
func (m *move) write(ctx context.Context, k storage.Key) (*record, error) {
	from, err := m.From.Open(ctx, k)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	st, sum := from.Stat(), sha256.New()
	options := storage.CreateOptions{ContentType: mime.TypeByExtension(path.Ext(string(k))), Overwrite: true}
	put, err := m.To.Create(ctx, k, io.TeeReader(from, sum), options)
	if fault.CodeOf(err) == fault.Conflict && m.at.Phase == Copying {
		return nil, fault.Wrap(err, fault.NotFound, "it became a folder, or was one: the next phase follows")
	}
	if err != nil {
		return nil, fmt.Errorf("writing: %w", err)
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
