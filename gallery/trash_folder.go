package gallery

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

// The trash is the folder root in the main storage and in each mount. Each item is a folder in it. The
// folder's name is the item's id without the mount. It contains about.json and, in the folder files, the
// trashed file or folder under its original name.
const (
	root     = ".safelight/trash"
	atMount  = "@" // separates the name of the mount at the end of an id; folders of items do not contain it
	maxAbout = 1 << 20
)

// about is the content of about.json. The storage is the source of truth; the row follows.
type about struct {
	Version   int       `json:"version"`
	Path      string    `json:"path"` // in the JSON file relative to the mount
	IsFolder  bool      `json:"isFolder"`
	Size      int64     `json:"size"`
	Files     int       `json:"files"`
	TrashedAt time.Time `json:"trashedAt"`
	TrashedBy string    `json:"trashedBy,omitempty"`
	// TrashedByID is the account's id, because a username can be reused by another account.
	TrashedByID string `json:"trashedById,omitempty"`
}

// trashRoot returns the trash of a part of the storage.
func trashRoot(mount storage.Key) storage.Key { return mount.Join(root) }

// newTrashID returns the id of a new item of a mount. name is unique and contains no @.
func newTrashID(name string, mount storage.Key) string {
	if mount == "" {
		return name
	}
	return name + atMount + string(mount)
}

// trashMount returns the mount of an item; empty for the main storage.
func trashMount(id string) storage.Key {
	_, mount, _ := strings.Cut(id, atMount)
	return storage.Key(mount)
}

// trashFolder returns the folder of an item in the trash.
func trashFolder(id string) storage.Key {
	name, mount, _ := strings.Cut(id, atMount)
	return trashRoot(storage.Key(mount)).Join(name)
}

// trashFile returns the path in the trash of an item's file or folder, which is called name.
func trashFile(id, name string) storage.Key { return trashFolder(id).Join("files").Join(name) }

func aboutKey(id string) storage.Key { return trashFolder(id).Join("about.json") }

// trashID returns the id of the item that contains k, or an empty text if k is not in the trash.
func trashID(k storage.Key) string {
	rest, ok := strings.CutPrefix(string(k), root+"/")
	mount := ""
	if !ok {
		mount, rest, ok = strings.Cut(string(k), "/"+root+"/")
		if !ok || strings.Contains(mount, "/") {
			return ""
		}
	}
	name, _, _ := strings.Cut(rest, "/")
	return newTrashID(name, storage.Key(mount))
}

// trashIDOf returns the id of an item by its folder in the trash of a mount, or an empty text for a folder
// that is not an item.
func trashIDOf(folder, mount storage.Key) string {
	if strings.Contains(folder.Name(), atMount) {
		return ""
	}
	return newTrashID(folder.Name(), mount)
}

// writeAbout stores the description of a new item.
func writeAbout(ctx context.Context, s storage.Store, id string, a about) error {
	a.Path = strings.TrimPrefix(a.Path, string(trashMount(id))+"/")
	b, err := json.Marshal(a)
	if err != nil {
		return err
	}
	_, err = s.Create(
		storage.WithHints(ctx, storage.Hints{Fresh: trashFolder(id)}), aboutKey(id), bytes.NewReader(b),
		storage.CreateOptions{ContentType: "application/json"},
	)
	return err
}

// readAbout returns the description of an item. It returns nil if the description is missing, and
// fault.Invalid if it cannot be parsed.
func readAbout(ctx context.Context, s storage.Store, id string) (*about, error) {
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
	var a about
	if err := json.Unmarshal(b, &a); err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "%s cannot be parsed", aboutKey(id))
	}
	k, err := storage.ParseKey(a.Path)
	if err != nil || k == "" || k.IsHidden() || string(k) != a.Path {
		return nil, fault.New(fault.Invalid, "%s names no path", aboutKey(id))
	}
	a.Path = string(trashMount(id).Join(a.Path))
	return &a, nil
}
