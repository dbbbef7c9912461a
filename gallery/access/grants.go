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

// The limits of grants. The scope of a caller holds all those that reach them: for everyone and guests, with each
// request.
const (
	maxGrants = 200   // of one folder
	maxShared = 1_000 // to everyone and to guests
	maxAll    = 10_000
)

// lockOfGrants is held by whoever grants rights on a folder, moves or deletes it.
const lockOfGrants = "grants"

// kindFolder is the kind of a folder in the index.
const kindFolder = 0

// granted returns the scope of the grants that match, up to a right.
func (a *Access) granted(ctx context.Context, limit Right, match predicate.Grant) (Scope, error) {
	rows, err := a.db.Grant.Query().Where(match).Select(grant.FieldPath, grant.FieldLevel).All(ctx)
	if err != nil {
		return Scope{}, database.Translate(err)
	}
	rights := make(map[string]Right, len(rows))
	for _, r := range rows {
		// nobody is granted a hidden folder: this one is in the trash
		if strings.Contains("/"+r.Path, "/.") {
			continue
		}
		if level := min(Right(r.Level), limit); level > None {
			rights[r.Path] = max(rights[r.Path], level)
		}
	}
	return newScope(rights), nil
}

// GranteeKind says who gets a right.
type GranteeKind string

// The kinds.
const (
	Everyone GranteeKind = "EVERYONE" // with an account
	Guests   GranteeKind = "GUESTS"
	Account  GranteeKind = "ACCOUNT"
	Group    GranteeKind = "GROUP"
)

// Grantee is somebody who gets a right.
type Grantee struct {
	Kind GranteeKind
	ID   string // of an account or a group; empty otherwise
	Name string // of an account or a group; empty otherwise
}

// rank orders the kinds.
func (g Grantee) rank() int {
	return slices.Index([]GranteeKind{Everyone, Guests, Group, Account}, g.Kind)
}

// Grant is a right on a folder and everything below it.
type Grant struct {
	Path  string // of the folder
	To    Grantee
	Right Right
}

// Grants returns the grants on a folder and on those above it, the ones of the folder first and then those of each
// folder above. The caller has checked who asks.
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

// above returns a folder and those above it.
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

// SetGrants replaces the grants on a folder itself. The caller has checked who asks. fault.NotFound if the index has no
// such folder. fault.Invalid for a right that a grantee cannot have, for a grantee that is named twice, for an account
// or a group that does not exist, and for too many grants on the folder or in all.
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
			to.ID = id.String() // an id has several spellings
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

// checkFolder returns fault.NotFound unless the index has a folder. The root always exists.
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

// known parses the id of a grantee; fault.Invalid if it is none, or if none exists with it. what names the grantee.
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

// facts are the grants of one folder for the audit log.
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

// within selects the rows on a path and below it.
const within = "(path = ? OR substr(path, 1, ?) = ?)"

// following are the tables whose paths follow their files and folders: the grants, and what links share.
var following = []string{"grants", "share_items"}

// IsGranted reports whether something was granted or shared on a path or below it.
func (a *Access) IsGranted(ctx context.Context, path string) (bool, error) {
	granted, err := a.db.Grant.Query().Where(grant.Or(grant.Path(path), grant.PathHasPrefix(path+"/"))).Exist(ctx)
	if err == nil && !granted {
		granted, err = a.db.ShareItem.Query().
			Where(shareitem.Or(shareitem.Path(path), shareitem.PathHasPrefix(path+"/"))).
			Exist(ctx)
	}
	return granted, database.Translate(err)
}

// Follow moves the grants on a folder, and on those below it, after the folder, and what is shared with it. Whatever
// was granted or shared on the new path before belonged to a folder that is gone. The transaction has changed the rows
// of the folder before: until it ends, SetGrants waits, and then finds the folder gone.
func (a *Access) Follow(ctx context.Context, db *ent.Client, from, to string) error {
	if err := a.Forget(ctx, db, to); err != nil {
		return err
	}
	return a.move(ctx, db, following, from, to)
}

// FollowFile is Follow of a file, on which there are no grants.
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

// Forget deletes the grants on a folder that is deleted, and on those below it, and takes it from what is shared.
// SetGrants waits as for Follow.
func (a *Access) Forget(ctx context.Context, db *ent.Client, folder string) error {
	if err := a.db.LockNames(ctx, db, lockOfGrants); err != nil {
		return err
	}
	return a.Renew(ctx, db, folder)
}

// Renew is Forget for a path that did not exist until this transaction: what was granted or shared belonged to
// something that another program removed. Nobody can have granted anything on it meanwhile, so that uploads need not
// wait.
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

// inside are the arguments of within.
func inside(folder string) []any { return []any{folder, length(folder) + 1, folder + "/"} }

// length counts characters, as substr does on both databases.
func length(s string) int { return len([]rune(s)) }
