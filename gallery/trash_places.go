package gallery

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/storage"
)

// The path of a trash item's row determines where the item is restored to, and whose rights decide who sees
// it. These are the rights on the original folder as long as that folder exists, and then the rights on its
// nearest remaining parent. If a new folder gets the same name, its rights do not apply to the old items.
//
// The row stores both in one text with a double slash, which paths do not contain otherwise:
// `clients//acme/a.png` is restored to `clients/acme/a.png`, and is visible to those who may see `clients`. A
// text that starts with a slash refers to the rights on the root.

// trashPlace returns the path of a row for an item that is restored to path and is visible with the folder
// that contains below.
func trashPlace(path, below storage.Key) string {
	parent := below.Parent()
	if parent == "" {
		return "/" + string(path)
	}
	return string(parent) + "/" + strings.TrimPrefix(string(path), string(parent))
}

// placeOf returns where an item of the trash is restored to.
func placeOf(row *ent.TrashItem) storage.Key {
	return storage.Key(strings.TrimPrefix(strings.Replace(row.Path, "//", "/", 1), "/"))
}

// moveTrashed updates the trash items of a folder when the folder moves. Items that lay below its new path
// belonged to a folder that no longer exists.
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

// leaveTrashed assigns the trash items below a folder that no longer exists to its parent folder.
func (x *index) leaveTrashed(ctx context.Context, db *ent.Client, folder storage.Key) error {
	args := append([]any{trashPlace(folder, folder), utf8.RuneCountInString(string(folder)) + 1}, belowArgs(folder)...)
	return x.run(
		ctx,
		db,
		"UPDATE trash_items SET path = CAST(? AS TEXT) || replace(substr(path, ?), '//', '/') WHERE "+x.below(),
		args...)
}
