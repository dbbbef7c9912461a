package gallery

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"slices"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/intents"
	"github.com/safelight/safelight/gallery/notes"
	"github.com/safelight/safelight/storage"
)

// maxSidecar is the maximum size of a sidecar in bytes.
const maxSidecar = 1 << 20

// sidecarKey returns the path of the sidecar of a file. The sidecar is inside the file's folder, so that both
// move together. Long names are hashed.
func sidecarKey(k storage.Key) storage.Key {
	name := k.Name() + ".json"
	if len(name) > 255 {
		sum := sha256.Sum256([]byte(k.Name()))
		name = hex.EncodeToString(sum[:]) + ".json"
	}
	return k.Parent().Join(privateName).Join(name)
}

// readSidecar returns the notes of a file, or nil if it has no sidecar or one that cannot be parsed.
func (x *index) readSidecar(ctx context.Context, k storage.Key) (*notes.Notes, error) {
	o, err := x.store.Open(ctx, sidecarKey(k))
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer o.Close()
	b, err := io.ReadAll(io.LimitReader(o, maxSidecar))
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "the sidecar of %s cannot be read", k)
	}
	n, err := notes.Read(b)
	if err != nil {
		x.log.WarnContext(ctx, "a sidecar cannot be parsed", "path", string(sidecarKey(k)), "error", err)
		return nil, nil
	}
	return n, nil
}

// writeSidecar stores the notes of a file. If they are empty, it removes the sidecar.
func (x *index) writeSidecar(ctx context.Context, k storage.Key, n notes.Notes) error {
	if n.Empty() {
		return x.deleteSidecar(ctx, k)
	}
	n.Version = 1
	b, err := json.Marshal(n)
	if err != nil {
		return err
	}
	_, err = x.store.Create(
		ctx, sidecarKey(k), bytes.NewReader(b),
		storage.CreateOptions{ContentType: "application/json", Overwrite: true},
	)
	return err
}

func (x *index) deleteSidecar(ctx context.Context, k storage.Key) error {
	if err := x.store.Delete(storage.FilesOnly(ctx), sidecarKey(k)); err != nil && !isMissing(err) {
		return err
	}
	return nil
}

// deleteOrphan removes the sidecar of a deleted file before another file gets its name. It runs before the
// new content is written, so that the new file cannot get the old notes after a crash.
func (x *index) deleteOrphan(ctx context.Context, k storage.Key) error {
	if _, err := x.store.Stat(storage.FilesOnly(ctx), sidecarKey(k)); err != nil {
		return ignoreMissing(err)
	}
	if _, err := x.store.Stat(ctx, k); !isMissing(err) {
		return err
	}
	return x.deleteSidecar(ctx, k)
}

// settle returns the entries of a folder that can be indexed now, with the notes of the files. It skips
// targets of copies and moves in progress: their sidecars arrive after the files, and a file that is indexed
// without its notes would never get them. If sidecars is false, the folder has no sidecars, and settle does
// not read any.
func (x *index) settle(
	ctx context.Context,
	folder storage.Key,
	list []found,
	sidecars bool,
) (settled []found, err error) {
	if len(list) == 0 {
		return list, nil
	}
	// The order matters: the files were listed before, and the sidecars are read after this query. If a sidecar has not
	// arrived by then, its copy or move is in progress now.
	healed, _ := ctx.Value(healing{}).(int)
	arriving, err := intents.Arriving(ctx, x.db.Client, x.now(), healed)
	if err != nil {
		return nil, err
	}
	for _, f := range list {
		if !f.IsFolder && slices.ContainsFunc(arriving, func(k storage.Key) bool { return k.Holds(f.Key) }) {
			continue
		}
		settled = append(settled, f)
	}
	if !sidecars {
		return settled, nil
	}
	have := map[storage.Key]bool{}
	for s, err := range x.store.List(ctx, folder.Join(privateName), storage.ListOptions{}) {
		if isMissing(err) {
			return settled, nil
		}
		if err != nil {
			return nil, err
		}
		have[s.Key] = true
	}
	for i, f := range settled {
		if f.IsFolder || !have[sidecarKey(f.Key)] {
			continue
		}
		if settled[i].notes, err = x.readSidecar(ctx, f.Key); err != nil {
			return nil, err
		}
	}
	return settled, nil
}

// healing is the context key for the id of the change that is being completed.
type healing struct{}
