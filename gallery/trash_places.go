package gallery

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/storage"
)

// The path of an item in the trash says where it goes when it is restored, and whose rights decide who sees it. These
// are the rights on the folder that held the item, as long as that folder is there, and then those on the folder above
// the one that is gone: a new folder of the same name, and the rights on it, have nothing to do with the old items. The
// row has both in one text, because a path has no double slash otherwise: `clients//acme/a.png` goes to
// `clients/acme/a.png`, and is seen by those who see `clients`. In the root, it starts with a slash.

// trashPlace returns the path of a row for an item that goes to path and is seen with the folder that holds below.
func trashPlace(path, below storage.Key) string {
	parent := below.Parent()
	if parent == "" {
		return "/" + string(path)
	}
	return string(parent) + "/" + strings.TrimPrefix(string(path), string(parent))
}

// placeOf returns where an item of the trash goes when it is restored.
func placeOf(row *ent.TrashItem) storage.Key {
	return storage.Key(strings.TrimPrefix(strings.Replace(row.Path, "//", "/", 1), "/"))
}

// moveTrashed lets the items of the trash that lay below a folder follow it when it moves. What lay below its new path
// lay in another folder, which is gone.
func (x *index) moveTrashed(ctx context.Context, db *ent.Client, from, to storage.Key) error {
	if isPrivate(to) {
		return x.leaveTrashed(ctx, db, from)
	}
	if err := x.leaveTrashed(ctx, db, to); err != nil || isPrivate(from) {
		return err
	}
	args := append([]any{string(to), utf8.RuneCountInString(string(from)) + 1}, belowArgs(from)...)
	return x.run(ctx, db, "UPDATE trash_items SET path = CAST(? AS TEXT) || substr(path, ?) WHERE "+x.below(), args...)
}

// leaveTrashed hands the items of the trash that lay below a folder to the folder above it: the folder itself is gone.
func (x *index) leaveTrashed(ctx context.Context, db *ent.Client, folder storage.Key) error {
	args := append([]any{trashPlace(folder, folder), utf8.RuneCountInString(string(folder)) + 1}, belowArgs(folder)...)
	return x.run(
		ctx,
		db,
		"UPDATE trash_items SET path = CAST(? AS TEXT) || replace(substr(path, ?), '//', '/') WHERE "+x.below(),
		args...)
}
