// Package mounts joins several storages into one: a main storage, and others that appear as folders of its root. It
// passes the test suite in storagetest.
package mounts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// Tree is the main storage with its mounts. It implements storage.Tree. Create it with New.
type Tree struct {
	main    *part
	mounts  []*part // in the order of configuration
	version string  // changes with the list of mounts; part of the version of the root
}

// Options are the other parameters of New.
type Options struct {
	// Keys holds access keys by the name of the mount. Mounts without keys use the environment, as the main storage
	// does.
	Keys    map[storage.Key]storage.Credentials
	Private []string         // addresses that no mount may overlap
	Now     func() time.Time // nil is time.Now
}

// New joins main and the mounts in list into one storage, which closes main. It does not connect and does not create
// folders. It returns fault.Invalid for an address that its driver cannot use, for mounts that overlap, and for keys
// without a mount.
func New(ctx context.Context, main storage.Store, list []Config, o Options) (*Tree, error) {
	if err := checkApart(list, o.Private); err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	t := &Tree{main: &part{store: main, now: o.Now}}
	names := sha256.New()
	for _, c := range list {
		p := &part{Config: c, dir: c.folder(), keys: o.Keys[c.Name], salt: c.salt(), now: o.Now}
		if p.dir == "" {
			if err := p.open(ctx); err != nil {
				return nil, fmt.Errorf("mounting %s: %w", c.Name, err)
			}
		}
		t.mounts = append(t.mounts, p)
		fmt.Fprintf(names, "%q %s", c.Name, c.salt())
	}
	t.version = "-" + hex.EncodeToString(names.Sum(nil)[:4])
	for name := range o.Keys {
		if t.mount(name) == nil {
			return nil, fault.OnField(
				fault.Invalid, "storage-mount-keys", "there are keys for %s, which is not a mount", name,
			)
		}
	}
	return t, nil
}

func (t *Tree) mount(name storage.Key) *part {
	for _, p := range t.mounts {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// locate returns the part that holds a path, and the path within that part.
func (t *Tree) locate(k storage.Key) (*part, storage.Key) {
	first, rest, _ := strings.Cut(string(k), "/")
	if p := t.mount(storage.Key(first)); p != nil && k != "" {
		return p, storage.Key(rest)
	}
	return t.main, k
}

// isMount reports whether a path is the folder of a mount.
func (t *Tree) isMount(k storage.Key) bool {
	p, rest := t.locate(k)
	return p != t.main && rest == ""
}

// Mounts implements storage.Tree.
func (t *Tree) Mounts() []storage.Mount {
	list := []storage.Mount{t.main.describe()}
	for _, p := range t.mounts {
		list = append(list, p.describe())
	}
	return list
}

// MountOf implements storage.Tree.
func (t *Tree) MountOf(k storage.Key) storage.Mount {
	p, _ := t.locate(k)
	return p.describe()
}

// describe does not depend on whether the storage is open, so its result never changes.
func (p *part) describe() storage.Mount {
	m := storage.Mount{Name: p.Name, ReadOnly: p.ReadOnly, Watched: p.dir != ""}
	if p.Name == "" {
		_, m.Watched = p.store.(storage.Watched)
	}
	return m
}

// Main implements storage.Tree.
func (t *Tree) Main() storage.Store { return t.main.store }

// call calls do with the storage of a part, and adds the name of the part to the error.
func (p *part) call(ctx context.Context, do func(context.Context, storage.Store) error) error {
	s, err := p.get(ctx)
	if err != nil {
		return err
	}
	return p.nameMount(do(p.known(ctx), s))
}

func taken(k storage.Key) error {
	return fault.OnField(fault.Conflict, "path", "%s exists already: it is a mount", k)
}

// Stat implements storage.Store. The folder of a mount exists even if its storage is unavailable.
func (t *Tree) Stat(ctx context.Context, k storage.Key) (storage.Stat, error) {
	p, rest := t.locate(k)
	if t.isMount(k) {
		return p.folderStat(), nil
	}
	var st storage.Stat
	err := p.call(
		ctx,
		func(ctx context.Context, s storage.Store) (err error) { st, err = s.Stat(ctx, rest); return err },
	)
	if err != nil {
		return storage.Stat{}, err
	}
	return p.stat(st), nil
}

// Open implements storage.Store.
func (t *Tree) Open(ctx context.Context, k storage.Key) (storage.Object, error) {
	p, rest := t.locate(k)
	var o storage.Object
	err := p.call(
		ctx,
		func(ctx context.Context, s storage.Store) (err error) { o, err = s.Open(ctx, rest); return err },
	)
	if err != nil || p == t.main {
		return o, err
	}
	return storage.Describe(o, p.stat(o.Stat())), nil
}

// OpenVersion is storage.OpenVersion.
func (t *Tree) OpenVersion(ctx context.Context, st storage.Stat) (storage.Object, error) {
	p, rest := t.locate(st.Key)
	var o storage.Object
	err := p.call(ctx, func(ctx context.Context, s storage.Store) (err error) {
		o, err = storage.OpenVersion(ctx, s, p.own(st, rest))
		return err
	})
	if err != nil || p == t.main {
		return o, err
	}
	return storage.Describe(o, st), nil
}

// Create implements storage.Store; fault.Forbidden in a read-only mount.
func (t *Tree) Create(ctx context.Context, k storage.Key, r io.Reader, o storage.CreateOptions) (storage.Stat, error) {
	if err := t.checkPut(k); err != nil {
		return storage.Stat{}, err
	}
	p, rest := t.locate(k)
	o.Parts = t.partsIn(p, o.Parts)
	var st storage.Stat
	err := p.call(ctx, func(ctx context.Context, s storage.Store) (err error) {
		st, err = s.Create(ctx, rest, r, o)
		return err
	})
	if err != nil {
		return storage.Stat{}, err
	}
	return p.stat(st), nil
}

// partsIn converts the parts of a file to descriptions by the storage of p; nil if one of them is in another storage.
func (t *Tree) partsIn(p *part, parts []storage.Stat) []storage.Stat {
	var own []storage.Stat
	for _, st := range parts {
		other, rest := t.locate(st.Key)
		if other != p {
			return nil
		}
		own = append(own, p.own(st, rest))
	}
	return own
}

func (t *Tree) checkPut(k storage.Key) error {
	if t.isMount(k) {
		return taken(k)
	}
	return storage.CheckPut(t, k)
}

// change calls do with the storage that holds k.
func (t *Tree) change(
	ctx context.Context,
	k storage.Key,
	do func(context.Context, storage.Store, storage.Key) error,
) error {
	p, rest := t.locate(k)
	return p.call(ctx, func(ctx context.Context, s storage.Store) error { return do(ctx, s, rest) })
}

// CreateFolder implements storage.Store; fault.Forbidden in a read-only mount.
func (t *Tree) CreateFolder(ctx context.Context, k storage.Key) error {
	if err := t.checkPut(k); err != nil {
		return err
	}
	return t.change(
		ctx, k,
		func(ctx context.Context, s storage.Store, k storage.Key) error { return s.CreateFolder(ctx, k) },
	)
}

// Delete implements storage.Store; fault.Forbidden for the folder of a mount, and in a read-only mount.
func (t *Tree) Delete(ctx context.Context, k storage.Key) error {
	if err := storage.CheckTake(t, k); err != nil {
		return err
	}
	return t.change(ctx, k, func(ctx context.Context, s storage.Store, k storage.Key) error { return s.Delete(ctx, k) })
}

// deleteVersion deletes the version of a file that the tree has described.
func (t *Tree) deleteVersion(ctx context.Context, st storage.Stat) error {
	p, rest := t.locate(st.Key)
	return t.change(ctx, st.Key, func(ctx context.Context, s storage.Store, _ storage.Key) error {
		return storage.DeleteVersion(ctx, s, p.own(st, rest))
	})
}

// FolderVersion implements storage.Watched; it returns an empty version if the storage of the folder is not a
// storage.Watched.
func (t *Tree) FolderVersion(ctx context.Context, k storage.Key) (string, error) {
	p, rest := t.locate(k)
	version := ""
	err := p.call(ctx, func(ctx context.Context, s storage.Store) (err error) {
		if w, ok := s.(storage.Watched); ok {
			version, err = w.FolderVersion(ctx, rest)
		}
		return err
	})
	if err == nil {
		err = p.checkPresent()
	}
	switch {
	case err != nil || version == "":
		return "", err
	case k == "":
		return version + t.version, nil
	}
	return version + p.salt, nil
}

// Check implements storage.Store. It checks only the main storage, because an unavailable mount does not make the
// server unready.
func (t *Tree) Check(ctx context.Context) error { return t.main.store.Check(ctx) }

// Close implements storage.Store.
func (t *Tree) Close() error {
	all := t.main.close()
	for _, p := range t.mounts {
		all = errors.Join(all, p.close())
	}
	return all
}

// Status is the state of a mount.
type Status struct {
	Config
	Hides bool  // the main storage has a file or folder with this name
	Err   error // nil if the storage responds
}

// Status checks all mounts, one after the other.
func (t *Tree) Status(ctx context.Context) []Status {
	var list []Status
	for _, p := range t.mounts {
		one := Status{Config: p.Config, Hides: t.hides(ctx, p)}
		one.Err = t.change(
			ctx, p.Name,
			func(ctx context.Context, s storage.Store, _ storage.Key) error { return s.Check(ctx) },
		)
		if one.Err == nil {
			one.Err = p.checkPresent()
		}
		list = append(list, one)
	}
	return list
}

// Hides returns the warning that the mount with this name hides something in the main storage.
func Hides(name storage.Key) string {
	return string(name) + " hides a file or folder of the same name in the main storage: rename one of them"
}

// WarnHidden logs which mounts hide something in the main storage.
func WarnHidden(ctx context.Context, s storage.Store, log *slog.Logger) {
	t, ok := s.(*Tree)
	if !ok {
		return
	}
	for _, p := range t.mounts {
		if t.hides(ctx, p) {
			log.WarnContext(ctx, Hides(p.Name))
		}
	}
}

func (t *Tree) hides(ctx context.Context, p *part) bool {
	_, err := t.main.store.Stat(ctx, p.Name)
	return err == nil
}
