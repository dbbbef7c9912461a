// Package trashed is the folders of the trash in the storage: one of each item, in the part of the storage that held it, with its bytes
// and a description of it.
package trashed

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// The trash is the folder root of each part. An item is a folder of it, named by its id without the mount, with the bytes in files under their
// name, and about.json.
const (
	root     = ".safelight/trash"
	atMount  = "@" // precedes the name of the mount at the end of an id; no folder of an item has it in its name
	maxAbout = 1 << 20
)

// About is the content of about.json. The storage is the source of truth; the row follows.
type About struct {
	Version   int       `json:"version"`
	Path      string    `json:"path"` // in the file relative to the mount
	IsFolder  bool      `json:"isFolder"`
	Size      int64     `json:"size"`
	Files     int       `json:"files"`
	TrashedAt time.Time `json:"trashedAt"`
	TrashedBy string    `json:"trashedBy,omitempty"`
	// TrashedByID is the account's id: a name can pass to another account.
	TrashedByID string `json:"trashedById,omitempty"`
}

// Root returns the trash of a part of the storage.
func Root(mount storage.Key) storage.Key { return mount.Join(root) }

// NewID returns the id of a new item of a mount; name is unique and has no @.
func NewID(name string, mount storage.Key) string {
	if mount == "" {
		return name
	}
	return name + atMount + string(mount)
}

// Mount returns the mount of an item; empty for the main storage.
func Mount(id string) storage.Key {
	_, mount, _ := strings.Cut(id, atMount)
	return storage.Key(mount)
}

// Folder returns the folder of an item.
func Folder(id string) storage.Key {
	name, mount, _ := strings.Cut(id, atMount)
	return Root(storage.Key(mount)).Join(name)
}

// File returns the path of the bytes of an item, of which the file or folder has that name.
func File(id, name string) storage.Key { return Folder(id).Join("files").Join(name) }

func aboutKey(id string) storage.Key { return Folder(id).Join("about.json") }

// ID returns the id of the item that holds k; empty if k is not in the trash.
func ID(k storage.Key) string {
	rest, ok := strings.CutPrefix(string(k), root+"/")
	mount := ""
	if !ok {
		mount, rest, ok = strings.Cut(string(k), "/"+root+"/")
		if !ok || strings.Contains(mount, "/") {
			return ""
		}
	}
	name, _, _ := strings.Cut(rest, "/")
	return NewID(name, storage.Key(mount))
}

// IDOf returns the id of an item by its folder in the trash of a mount; empty for a folder of others.
func IDOf(folder, mount storage.Key) string {
	if strings.Contains(folder.Name(), atMount) {
		return ""
	}
	return NewID(folder.Name(), mount)
}

// Write stores the description of a new item.
func Write(ctx context.Context, s storage.Store, id string, a About) error {
	a.Path = strings.TrimPrefix(a.Path, string(Mount(id))+"/")
	b, err := json.Marshal(a)
	if err != nil {
		return err
	}
	_, err = s.Create(storage.WithKnown(ctx, storage.Known{Fresh: Folder(id)}), aboutKey(id), bytes.NewReader(b), storage.CreateOptions{ContentType: "application/json"})
	return err
}

// Read returns the description of an item; nil if it is missing, and fault.Invalid if it cannot be parsed.
func Read(ctx context.Context, s storage.Store, id string) (*About, error) {
	o, err := s.Open(ctx, aboutKey(id))
	if fault.CodeOf(err) == fault.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer o.Close()
	b, err := io.ReadAll(io.LimitReader(o, maxAbout))
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "the trash cannot be read")
	}
	var a About
	if err := json.Unmarshal(b, &a); err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "%s cannot be parsed", aboutKey(id))
	}
	k, err := storage.ParseKey(a.Path)
	if err != nil || k == "" || k.IsHidden() || string(k) != a.Path {
		return nil, fault.New(fault.Invalid, "%s names no path", aboutKey(id))
	}
	a.Path = string(Mount(id).Join(a.Path))
	return &a, nil
}
