package gallery

import (
	"context"

	"github.com/safelight/safelight/ent/intent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/storage"
)

// This file decides who may access which path. There are three places where rights are enforced, below every
// API: viewable, openable and Editable convert the paths of callers to keys; attempt checks a change of the
// storage again; and search.Conditions and search.Viewable restrict the results of queries.
//
// What a caller may not see does not exist for them. Without the right to view a path, the result is
// fault.NotFound before the storage or the database are asked. So neither the answer nor its timing reveals
// whether the path exists.

// notFound returns the storage's error for a path that does not exist.
func notFound(k storage.Key) error {
	return fault.OnField(fault.NotFound, "path", "%s does not exist", k)
}

// viewable parses the path of a file or folder that the caller may see with all its content.
func (g *Gallery) viewable(ctx context.Context, p string) (storage.Key, error) {
	k, err := readableKey(p)
	if err != nil {
		return "", err
	}
	return k, g.checkView(ctx, k)
}

// checkView returns fault.NotFound unless the caller may see a file or folder with all its content.
func (g *Gallery) checkView(ctx context.Context, k storage.Key) error {
	scope, err := g.Access.Scope(ctx)
	if err == nil && !scope.Sees(string(k)) {
		err = notFound(k)
	}
	return err
}

// openable parses the path of a folder that the caller may open: one that they may see, or that leads to a
// folder that they may see.
func (x *index) openable(ctx context.Context, p string) (storage.Key, access.Scope, error) {
	k, err := readableKey(p)
	if err != nil {
		return "", access.Scope{}, err
	}
	scope, err := x.access.Scope(ctx)
	if err == nil && !scope.Leads(string(k)) {
		err = notFound(k)
	}
	return k, scope, err
}

// Viewable parses a path that a caller reads: a visible file or folder, not the root, that the caller may see
// at least in part. It returns fault.Invalid, which names field, and fault.NotFound also for what the caller
// may not see.
func (g *Gallery) Viewable(ctx context.Context, p, field string) (storage.Key, error) {
	k, err := ParseVisible(p, field)
	if err != nil {
		return "", err
	}
	scope, err := g.Access.Scope(ctx)
	if err == nil && !scope.Leads(string(k)) {
		err = notFound(k)
	}
	return k, err
}

// Editable parses a path that a caller writes or removes: visible, and not the root. It returns
// fault.Invalid, which names field, fault.Forbidden if the caller may only view the path, and fault.NotFound
// if they may not even view it.
func (g *Gallery) Editable(ctx context.Context, p, field string) (storage.Key, error) {
	k, err := ParseVisible(p, field)
	if err != nil {
		return "", err
	}
	return k, fault.WithField(g.checkEdit(ctx, k), field)
}

// checkEdit returns an error unless the caller may add, change or remove the entry at a path. That requires
// the right to edit the containing folder: the right to edit a folder does not include removing the folder
// itself.
func (g *Gallery) checkEdit(ctx context.Context, k storage.Key) error {
	scope, err := g.Access.Scope(ctx)
	switch {
	case err != nil:
		return err
	case scope.On(string(k.Parent())) >= access.Edit:
		return nil
	case scope.Sees(string(k)):
		return fault.OnField(fault.Forbidden, "path", "you may view %s, but not change it", k)
	}
	return notFound(k)
}

// checkRights returns an error unless the caller may make a change. For the trash, an item's original path
// decides.
func (g *Gallery) checkRights(ctx context.Context, c change) error {
	check := g.checkEdit
	if c.what == intent.ChangeCopy {
		check = g.checkView
	}
	if !isPrivate(c.source) {
		if err := check(ctx, c.source); err != nil {
			return err
		}
	}
	if c.target == "" || isPrivate(c.target) {
		return nil
	}
	return g.checkEdit(ctx, c.target)
}

// viewable is search.Viewable for the caller.
func (x *index) viewable(ctx context.Context, parent string) (condition string, args []any, err error) {
	scope, err := x.access.Scope(ctx)
	if err != nil {
		return "", nil, err
	}
	return search.Viewable(ctx, x.db, scope, parent)
}

// Access returns what the caller may do with everything in the folder; nil if it only leads to other folders.
func (f *Folder) Access(ctx context.Context) (*access.Right, error) {
	return f.loader.g.right(ctx, f.row.Path)
}

// Access returns what the caller may do with the file.
func (f *File) Access(ctx context.Context) (*access.Right, error) {
	return f.g.right(ctx, string(storage.Key(f.row.Path).Parent()))
}

func (g *Gallery) right(ctx context.Context, path string) (*access.Right, error) {
	scope, err := g.Access.Scope(ctx)
	if r := scope.On(path); r > access.None {
		return &r, err
	}
	return nil, err
}

// Grants returns the rights on a folder, as access.Grants does. It returns fault.Forbidden unless the caller
// may manage the folder, and fault.NotFound if they may not see it.
func (g *Gallery) Grants(ctx context.Context, folder string) ([]*access.Grant, error) {
	k, err := g.manageable(ctx, folder)
	if err != nil {
		return nil, err
	}
	return g.Access.Grants(ctx, string(k))
}

// SetGrants replaces the rights that are granted on the folder itself. It returns the errors of Grants and
// access.SetGrants.
func (g *Gallery) SetGrants(ctx context.Context, folder string, list []*access.Grant) error {
	k, err := g.manageable(ctx, folder)
	if err != nil {
		return err
	}
	return g.Access.SetGrants(ctx, string(k), list)
}

// manageable parses the path of an existing folder on which the caller may grant rights.
func (g *Gallery) manageable(ctx context.Context, folder string) (storage.Key, error) {
	k, scope, err := g.index.openable(ctx, folder)
	switch {
	case err != nil:
		return "", fault.WithField(err, "folder")
	case scope.On(string(k)) < access.Manage:
		return "", fault.OnField(
			fault.Forbidden, "folder", "you may not grant rights on the folder %s", fault.Quote(string(k)),
		)
	case k.IsHidden():
		return "", fault.OnField(
			fault.Invalid, "folder", "the path %s holds a name that starts with a dot, expected visible names", k,
		)
	}
	_, err = g.index.folder(ctx, k)
	return k, fault.WithField(err, "folder")
}

// Grantees returns the accounts and groups that can be granted rights, as access.Grantees does. It returns
// fault.Forbidden unless the caller may manage a folder.
func (g *Gallery) Grantees(ctx context.Context, text string, limit int) ([]*access.Grantee, error) {
	scope, err := g.Access.Scope(ctx)
	if err != nil {
		return nil, err
	}
	if managed := scope.AtLeast(access.Manage); !managed.Whole() && len(managed.Below("")) == 0 {
		return nil, fault.New(fault.Forbidden, "you may not grant rights on any folder")
	}
	return g.Access.Grantees(ctx, text, limit)
}
