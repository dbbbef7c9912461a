package access

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/grant"
	"github.com/safelight/safelight/ent/group"
	"github.com/safelight/safelight/ent/predicate"
	"github.com/safelight/safelight/ent/shareitem"
	"github.com/safelight/safelight/ent/user"
	"github.com/safelight/safelight/fault"
)

// The limits of grants. A caller's scope contains all grants that apply to them. For everyone and guests, it
// is needed on every request.
const (
	maxGrants = 200   // of one folder
	maxShared = 1_000 // to everyone and to guests
	maxAll    = 10_000
)

// lockOfGrants is the lock for granting rights on a folder, and for moving or deleting it.
const lockOfGrants = "grants"

// kindFolder is the kind of a folder in the index.
const kindFolder = 0

// granted returns the scope of the grants that match, limited to a right.
func (a *Access) granted(ctx context.Context, limit Right, match predicate.Grant) (Scope, error) {
	rows, err := a.db.Grant.Query().Where(match).Select(grant.FieldPath, grant.FieldLevel).All(ctx)
	if err != nil {
		return Scope{}, database.Translate(err)
	}
	rights := make(map[string]Right, len(rows))
	for _, r := range rows {
		// rights on a hidden folder do not count: it is in the trash
		if strings.Contains("/"+r.Path, "/.") {
			continue
		}
		if level := min(Right(r.Level), limit); level > None {
			rights[r.Path] = max(rights[r.Path], level)
		}
	}
	return newScope(rights), nil
}

// GranteeKind says who receives a right.
type GranteeKind string

// The kinds of grantees.
const (
	Everyone GranteeKind = "EVERYONE" // with an account
	Guests   GranteeKind = "GUESTS"
	Account  GranteeKind = "ACCOUNT"
	Group    GranteeKind = "GROUP"
)

// Grantee is the recipient of a right.
type Grantee struct {
	Kind GranteeKind
	ID   string // of an account or a group; empty otherwise
	Name string // of an account or a group; empty otherwise
}

// rank is the sort order of the kinds.
func (g Grantee) rank() int {
	return slices.Index([]GranteeKind{Everyone, Guests, Group, Account}, g.Kind)
}

// Grant is a right on a folder and everything below it.
type Grant struct {
	Path  string // of the folder
	To    Grantee
	Right Right
}

// Grants returns the grants on a folder and its parents, starting with the folder itself. The caller must
// have checked the rights of whoever asks.
func (a *Access) Grants(ctx context.Context, folder string) ([]*Grant, error) {
	rows, err := a.db.Grant.Query().Where(grant.PathIn(above(folder)...)).WithUser().WithGroup().All(ctx)
	if err != nil {
		return nil, database.Translate(err)
	}
	list := make([]*Grant, len(rows))
	for i, r := range rows {
		list[i] = grantOf(r)
	}
	slices.SortFunc(list, func(a, b *Grant) int {
		if len(a.Path) != len(b.Path) {
			return len(b.Path) - len(a.Path)
		}
		return compareGrants(a, b)
	})
	return list, nil
}

// above returns a folder and its parents.
func above(folder string) []string {
	list := []string{folder}
	for folder != "" {
		folder = parent(folder)
		list = append(list, folder)
	}
	return list
}

func grantOf(r *ent.Grant) *Grant {
	g := &Grant{Path: r.Path, Right: Right(r.Level)}
	switch r.Grantee {
	case grant.GranteeEveryone:
		g.To = Grantee{Kind: Everyone}
	case grant.GranteeGuests:
		g.To = Grantee{Kind: Guests}
	case grant.GranteeAccount:
		g.To = Grantee{Kind: Account, ID: r.UserID.String()}
		if r.Edges.User != nil {
			g.To.Name = r.Edges.User.DisplayName
		}
	default:
		g.To = Grantee{Kind: Group, ID: r.GroupID.String()}
		if r.Edges.Group != nil {
			g.To.Name = r.Edges.Group.Name
		}
	}
	return g
}

// SetGrants replaces the grants on the folder itself. The caller must have checked the rights of whoever
// asks. It returns fault.NotFound if the folder is not indexed. It returns fault.Invalid for a right that a
// grantee cannot have, for a duplicate grantee, for an account or group that does not exist, and for too many
// grants on the folder or in total.
func (a *Access) SetGrants(ctx context.Context, folder string, list []*Grant) error {
	if len(list) > maxGrants {
		return fault.OnField(
			fault.Invalid, "grants", "%d grants, expected at most %d: add people to a group", len(list), maxGrants,
		)
	}
	seen := map[Grantee]bool{}
	for _, g := range list {
		to := Grantee{Kind: g.To.Kind, ID: g.To.ID}
		if id, err := uuid.Parse(to.ID); err == nil {
			to.ID = id.String() // normalized, because an id can be written in several ways
		}
		switch {
		case seen[to]:
			return fault.OnField(fault.Invalid, "grants", "somebody is named twice, expected one right for each")
		case g.Right < View || g.Right > Manage:
			return fault.OnField(fault.Invalid, "grants", "the right is unknown, expected VIEW, EDIT or MANAGE")
		case to.Kind == Guests && g.Right > View:
			return fault.OnField(fault.Invalid, "grants", "guests have no account and can only view, expected VIEW")
		}
		seen[to] = true
	}
	defer a.changed(ctx)
	return a.db.Transact(ctx, func(tx *ent.Tx) error {
		if err := a.db.LockNames(ctx, tx.Client(), lockOfGrants); err != nil {
			return err
		}
		if err := checkFolder(ctx, tx, folder); err != nil {
			return err
		}
		before, err := tx.Grant.Query().Where(grant.Path(folder)).WithUser().WithGroup().All(ctx)
		if err != nil {
			return err
		}
		if _, err := tx.Grant.Delete().Where(grant.Path(folder)).Exec(ctx); err != nil {
			return err
		}
		for _, g := range list {
			if err := insert(ctx, tx, folder, g); err != nil {
				return err
			}
		}
		if err := checkTotals(ctx, tx); err != nil {
			return err
		}
		after, err := tx.Grant.Query().Where(grant.Path(folder)).WithUser().WithGroup().All(ctx)
		if err != nil {
			return err
		}
		return a.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionGrantsSet,
			Target: "folder:" + folder,
			Before: facts(before),
			After:  facts(after),
		})
	})
}

// checkFolder returns fault.NotFound if a folder is not indexed. The root always exists.
func checkFolder(ctx context.Context, tx *ent.Tx, folder string) error {
	if folder == "" {
		return nil
	}
	exists, err := tx.Entry.Query().Where(entry.Path(folder), entry.Kind(kindFolder)).Exist(ctx)
	if err == nil && !exists {
		return fault.OnField(fault.NotFound, "folder", "%s does not exist", folder)
	}
	return err
}

// checkTotals returns fault.Invalid if there are too many grants on all folders.
func checkTotals(ctx context.Context, tx *ent.Tx) error {
	all, err := tx.Grant.Query().Count(ctx)
	if err != nil {
		return err
	}
	shared, err := tx.Grant.Query().Where(grant.GranteeIn(grant.GranteeEveryone, grant.GranteeGuests)).Count(ctx)
	switch {
	case err != nil:
		return err
	case shared > maxShared:
		return fault.OnField(
			fault.Invalid, "grants",
			"all folders together would have %d grants to everyone and to guests, expected at most %d: "+
				"grant the right on a folder above, or to a group",
			shared, maxShared,
		)
	case all > maxAll:
		return fault.OnField(
			fault.Invalid, "grants",
			"all folders together would have %d grants, expected at most %d: grant the right on a folder above, or "+
				"to a group",
			all, maxAll,
		)
	}
	return nil
}

func insert(ctx context.Context, tx *ent.Tx, folder string, g *Grant) error {
	create := tx.Grant.Create().SetPath(folder).SetLevel(int8(g.Right))
	switch g.To.Kind {
	case Everyone:
		create.SetGrantee(grant.GranteeEveryone)
	case Guests:
		create.SetGrantee(grant.GranteeGuests)
	case Account:
		id, err := known(g.To.ID, "account", func(id uuid.UUID) (bool, error) {
			return tx.User.Query().Where(user.ID(id)).Exist(ctx)
		})
		if err != nil {
			return err
		}
		create.SetGrantee(grant.GranteeAccount).SetUserID(id)
	default:
		id, err := known(g.To.ID, "group", func(id uuid.UUID) (bool, error) {
			return tx.Group.Query().Where(group.ID(id)).Exist(ctx)
		})
		if err != nil {
			return err
		}
		create.SetGrantee(grant.GranteeGroup).SetGroupID(id)
	}
	return create.Exec(ctx)
}

// known parses the id of a grantee. It returns fault.Invalid if the id is malformed or does not exist. what
// describes the grantee in the error.
func known(text, what string, exists func(uuid.UUID) (bool, error)) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	found := false
	if err == nil {
		if found, err = exists(id); err != nil {
			return id, err
		}
	}
	if !found {
		return id, fault.OnField(fault.Invalid, "grants", "no %s has the id %s", what, fault.Quote(text))
	}
	return id, nil
}

// facts describes the grants of one folder for the audit log.
func facts(rows []*ent.Grant) audit.Facts {
	f := audit.Facts{}
	for _, r := range rows {
		g := grantOf(r)
		who := string(g.To.Kind)
		if g.To.ID != "" {
			who += " " + g.To.ID + " " + g.To.Name
		}
		f[who] = g.Right.String()
	}
	return f
}

// within selects the rows of a path and everything below it.
const within = "(path = ? OR substr(path, 1, ?) = ?)"

// following are the tables whose paths change when files and folders move: grants and shared items.
var following = []string{"grants", "share_items"}

// IsGranted reports whether there are grants or shares on a path or below it.
func (a *Access) IsGranted(ctx context.Context, path string) (bool, error) {
	granted, err := a.db.Grant.Query().Where(grant.Or(grant.Path(path), grant.PathHasPrefix(path+"/"))).Exist(ctx)
	if err == nil && !granted {
		granted, err = a.db.ShareItem.Query().
			Where(shareitem.Or(shareitem.Path(path), shareitem.PathHasPrefix(path+"/"))).
			Exist(ctx)
	}
	return granted, database.Translate(err)
}

// Follow moves the grants and shares of a folder, and of everything below it, when the folder moves. It
// deletes grants and shares on the new path, because they belonged to a folder that no longer exists. The
// transaction must have changed the folder's row already. SetGrants waits until the transaction ends, and
// then does not find the folder at the old path.
func (a *Access) Follow(ctx context.Context, db *ent.Client, from, to string) error {
	if err := a.Forget(ctx, db, to); err != nil {
		return err
	}
	return a.move(ctx, db, following, from, to)
}

// FollowFile is Follow for a file. Files have no grants.
func (a *Access) FollowFile(ctx context.Context, db *ent.Client, from, to string) error {
	shared := following[1:]
	if err := a.remove(ctx, db, shared, to); err != nil {
		return err
	}
	return a.move(ctx, db, shared, from, to)
}

func (a *Access) move(ctx context.Context, db *ent.Client, tables []string, from, to string) error {
	args := append([]any{to, length(from) + 1}, inside(from)...)
	for _, table := range tables {
		statement := "UPDATE " + table + " SET path = CAST(? AS TEXT) || substr(path, ?) WHERE " + within
		if _, err := db.ExecContext(ctx, a.db.Numbered(statement), args...); err != nil {
			return err
		}
	}
	return nil
}

// Forget deletes the grants and shares of a deleted folder and of everything below it. SetGrants waits for
// the transaction, as for Follow.
func (a *Access) Forget(ctx context.Context, db *ent.Client, folder string) error {
	if err := a.db.LockNames(ctx, db, lockOfGrants); err != nil {
		return err
	}
	return a.Renew(ctx, db, folder)
}

// Renew is Forget for a path that this transaction creates: existing grants and shares belonged to something
// that another program removed. It takes no lock, so uploads need not wait, because nobody can have granted
// rights on the path in the meantime.
func (a *Access) Renew(ctx context.Context, db *ent.Client, path string) error {
	return a.remove(ctx, db, following, path)
}

func (a *Access) remove(ctx context.Context, db *ent.Client, tables []string, path string) error {
	for _, table := range tables {
		statement := a.db.Numbered("DELETE FROM " + table + " WHERE " + within)
		if _, err := db.ExecContext(ctx, statement, inside(path)...); err != nil {
			return err
		}
	}
	return nil
}

// inside returns the arguments of within.
func inside(folder string) []any { return []any{folder, length(folder) + 1, folder + "/"} }

// length counts characters, as substr does on both databases.
func length(s string) int { return len([]rune(s)) }
