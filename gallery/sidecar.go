package gallery

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// maxSidecar is the most bytes of a sidecar that are read.
const maxSidecar = 1 << 20

// sidecarKey returns where the notes of a file lie: in its own folder, so that they go with it. A name that
// leaves no room for the suffix is hashed.
func sidecarKey(k storage.Key) storage.Key {
	name := k.Name() + ".json"
	if len(name) > 255 {
		sum := sha256.Sum256([]byte(k.Name()))
		name = hex.EncodeToString(sum[:]) + ".json"
	}
	return k.Parent().Join(privateName).Join(name)
}

// readSidecar returns the notes of a file; nil when it has none, or none that can be read.
func (g *Gallery) readSidecar(ctx context.Context, k storage.Key) (*notes, error) {
	o, err := g.store.Open(ctx, sidecarKey(k))
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer o.Close()
	var n notes
	b, err := io.ReadAll(io.LimitReader(o, maxSidecar))
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "the notes of %s cannot be read", k)
	}
	if err := json.Unmarshal(b, &n); err != nil {
		g.log.WarnContext(ctx, "notes are not understood", "path", string(sidecarKey(k)), "error", err)
		return nil, nil
	}
	return &n, nil
}

// writeSidecar keeps the notes of a file; what is empty has no sidecar.
func (g *Gallery) writeSidecar(ctx context.Context, k storage.Key, n notes) error {
	if len(n.Tags) == 0 && n.Description == "" && n.FocalPoint == nil {
		return g.deleteSidecar(ctx, k)
	}
	n.Version = 1
	b, err := json.Marshal(n)
	if err != nil {
		return err
	}
	_, err = g.store.Create(ctx, sidecarKey(k), bytes.NewReader(b), storage.CreateOptions{ContentType: "application/json", Overwrite: true})
	return err
}

func (g *Gallery) deleteSidecar(ctx context.Context, k storage.Key) error {
	if err := g.store.Delete(ctx, sidecarKey(k)); err != nil && !isMissing(err) {
		return err
	}
	return nil
}

// dropOrphan removes the notes of a file that is no more, before another one takes its name: they are not said of that
// one. It comes before the bytes, for a crash between the two must not leave both.
func (g *Gallery) dropOrphan(ctx context.Context, k storage.Key) error {
	if _, err := g.store.Stat(ctx, sidecarKey(k)); err != nil {
		return ignoreMissing(err)
	}
	if _, err := g.store.Stat(ctx, k); !isMissing(err) {
		return err
	}
	return g.deleteSidecar(ctx, k)
}

// readNotes reads the notes of files that the index does not know yet.
func (g *Gallery) readNotes(ctx context.Context, folder storage.Key, list []found) error {
	if len(list) == 0 {
		return nil
	}
	have := map[storage.Key]bool{}
	for s, err := range storage.Each(ctx, g.store, folder.Join(privateName), storage.ListOptions{}) {
		if isMissing(err) {
			return nil
		}
		if err != nil {
			return err
		}
		have[s.Key] = true
	}
	for i, f := range list {
		if f.IsFolder || !have[sidecarKey(f.Key)] {
			continue
		}
		n, err := g.readSidecar(ctx, f.Key)
		if err != nil {
			return err
		}
		list[i].notes = n
	}
	return nil
}
