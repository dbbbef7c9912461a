package access

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/group"
	"github.com/safelight/safelight/ent/membership"
	"github.com/safelight/safelight/ent/user"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/tokenizer"
)

// The limits of groups.
const (
	maxGroupName = 100 // characters
	maxGroups    = 1000
	maxChanged   = 1000 // members in one call
)

// Group returns a group. It returns fault.NotFound if the group does not exist.
func (a *Access) Group(ctx context.Context, id uuid.UUID) (*ent.Group, error) {
	g, err := a.db.Group.Get(ctx, id)
	return g, database.Missing(err, "the group", "id")
}

var (
	groupsByName = database.Order[ent.Group]{
		Columns: []string{group.FieldNameKey},
		Values:  func(g *ent.Group) []any { return []any{&g.NameKey} },
	}
	membersByName = database.Order[ent.User]{
		Columns: []string{user.FieldUsernameKey},
		Values:  func(u *ent.User) []any { return []any{&u.UsernameKey} },
	}
)

// Groups returns a page of 1 to 100 groups, sorted by name, after a cursor.
func (a *Access) Groups(ctx context.Context, first int, after string) (*database.Page[*ent.Group], error) {
	return database.ReadPage(ctx, a.db.Group.Query(), groupsByName, first, after)
}

// Members returns a page of 1 to 100 accounts of a group, sorted by username, after a cursor.
func (a *Access) Members(
	ctx context.Context, id uuid.UUID, first int, after string,
) (*database.Page[*ent.User], error) {
	in := a.db.User.Query().Where(user.HasMembershipsWith(membership.GroupID(id)))
	return database.ReadPage(ctx, in, membersByName, first, after)
}

// ChangeGroup is a change of a group. nil keeps the name.
type ChangeGroup struct {
	Name        *string
	Add, Remove []uuid.UUID // ids of accounts
}

// CreateGroup creates a group with members. It returns fault.Conflict if the name is taken, and fault.Invalid
// for an invalid name, an account that does not exist, and too many groups.
func (a *Access) CreateGroup(ctx context.Context, name string, members []uuid.UUID) (g *ent.Group, err error) {
	name, err = groupName(name)
	if err != nil {
		return nil, err
	}
	err = a.db.Transact(ctx, func(tx *ent.Tx) error {
		if err := a.db.LockNames(ctx, tx.Client(), "groups"); err != nil {
			return err
		}
		n, err := tx.Group.Query().Count(ctx)
		if err != nil {
			return err
		}
		if n >= maxGroups {
			return fault.New(fault.Conflict, "there are %d groups, expected fewer", n)
		}
		if err := checkFree(ctx, tx, name, uuid.Nil); err != nil {
			return err
		}
		if g, err = tx.Group.Create().SetName(name).SetNameKey(tokenizer.Fold(name)).Save(ctx); err != nil {
			return err
		}
		if err := addMembers(ctx, tx, g.ID, members, "memberIds"); err != nil {
			return err
		}
		return a.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionGroupCreate, Target: groupTarget(g.ID),
			After: audit.Facts{"name": name, "members": texts(members)},
		})
	})
	return g, err
}

// UpdateGroup renames a group, and adds and removes accounts. It returns the errors of CreateGroup, and
// fault.NotFound.
func (a *Access) UpdateGroup(ctx context.Context, id uuid.UUID, c ChangeGroup) (g *ent.Group, err error) {
	defer a.changed(ctx)
	err = a.db.Transact(ctx, func(tx *ent.Tx) error {
		if err := a.db.LockNames(ctx, tx.Client(), "groups"); err != nil {
			return err
		}
		if g, err = tx.Group.Get(ctx, id); err != nil {
			return database.Missing(err, "the group", "id")
		}
		before := audit.Facts{"name": g.Name}
		if c.Name != nil {
			name, err := groupName(*c.Name)
			if err != nil {
				return err
			}
			if err := checkFree(ctx, tx, name, id); err != nil {
				return err
			}
			if g, err = tx.Group.UpdateOne(g).SetName(name).SetNameKey(tokenizer.Fold(name)).Save(ctx); err != nil {
				return err
			}
		}
		if err := checkNumber(c.Remove, "removeMemberIds"); err != nil {
			return err
		}
		_, err = tx.Membership.Delete().Where(membership.GroupID(id), membership.UserIDIn(c.Remove...)).Exec(ctx)
		if err != nil {
			return err
		}
		if err := addMembers(ctx, tx, id, c.Add, "addMemberIds"); err != nil {
			return err
		}
		return a.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionGroupUpdate, Target: groupTarget(id), Before: before,
			After: audit.Facts{"name": g.Name, "added": texts(c.Add), "removed": texts(c.Remove)},
		})
	})
	return g, err
}

// DeleteGroup deletes a group and its grants.
func (a *Access) DeleteGroup(ctx context.Context, id uuid.UUID) error {
	defer a.changed(ctx)
	return a.db.Transact(ctx, func(tx *ent.Tx) error {
		g, err := tx.Group.Get(ctx, id)
		if err != nil {
			return database.Missing(err, "the group", "id")
		}
		if err := tx.Group.DeleteOne(g).Exec(ctx); err != nil {
			return err
		}
		return a.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionGroupDelete, Target: groupTarget(id), Before: audit.Facts{"name": g.Name},
		})
	})
}

// maxGrantees is the maximum number of results of Grantees.
const maxGrantees = 50

// Grantees returns at most limit groups and active accounts whose names contain a text, groups first.
func (a *Access) Grantees(ctx context.Context, text string, limit int) ([]*Grantee, error) {
	if limit < 1 || limit > maxGrantees {
		return nil, fault.OnField(fault.Invalid, "limit", "limit is %d, expected 1 to %d", limit, maxGrantees)
	}
	if err := database.CheckSearchText("text", text); err != nil {
		return nil, err
	}
	text = strings.TrimSpace(text)
	groups, err := a.db.Group.Query().
		Where(group.NameKeyContains(tokenizer.Fold(text))).
		Order(group.ByNameKey()).
		Limit(limit).
		All(ctx)
	if err != nil {
		return nil, database.Translate(err)
	}
	list := []*Grantee{}
	for _, g := range groups {
		list = append(list, &Grantee{Kind: Group, ID: g.ID.String(), Name: g.Name})
	}
	people, err := a.db.User.Query().
		Where(user.IsActive(true), user.Or(user.DisplayNameContainsFold(text), user.UsernameContainsFold(text))).
		Order(user.ByDisplayName(), user.ByID()).
		Limit(limit).
		All(ctx)
	if err != nil {
		return nil, database.Translate(err)
	}
	for _, u := range people {
		list = append(list, &Grantee{Kind: Account, ID: u.ID.String(), Name: u.DisplayName})
	}
	return list[:min(limit, len(list))], nil
}

func groupTarget(id uuid.UUID) string { return "group:" + id.String() }

func groupName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if n := utf8.RuneCountInString(name); n < 1 || n > maxGroupName || !utf8.ValidString(name) ||
		strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }) {
		return "", fault.OnField(
			fault.Invalid, "name", "the name has %d characters, expected 1 to %d without line breaks", n, maxGroupName,
		)
	}
	return name, nil
}

// checkFree returns fault.Conflict if a group other than id has the name.
func checkFree(ctx context.Context, tx *ent.Tx, name string, id uuid.UUID) error {
	taken, err := tx.Group.Query().Where(group.NameKey(tokenizer.Fold(name)), group.IDNEQ(id)).Exist(ctx)
	if err == nil && taken {
		err = fault.OnField(fault.Conflict, "name", "a group called %s exists already", fault.Quote(name))
	}
	return err
}

func checkNumber(members []uuid.UUID, field string) error {
	if len(members) > maxChanged {
		return fault.OnField(
			fault.Invalid, field, "%d accounts, expected at most %d in one call", len(members), maxChanged,
		)
	}
	return nil
}

func addMembers(ctx context.Context, tx *ent.Tx, id uuid.UUID, members []uuid.UUID, field string) error {
	if err := checkNumber(members, field); err != nil {
		return err
	}
	members = slices.Compact(slices.SortedFunc(
		slices.Values(members), func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) },
	))
	there, err := tx.Membership.Query().Where(membership.GroupID(id), membership.UserIDIn(members...)).All(ctx)
	if err != nil {
		return err
	}
	known, err := tx.User.Query().Where(user.IDIn(members...)).IDs(ctx)
	if err != nil {
		return err
	}
	for _, m := range members {
		if !slices.Contains(known, m) {
			return fault.OnField(fault.Invalid, field, "no account has the id %s", m)
		}
		if slices.ContainsFunc(there, func(t *ent.Membership) bool { return t.UserID == m }) {
			continue
		}
		if err := tx.Membership.Create().SetGroupID(id).SetUserID(m).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

func texts(ids []uuid.UUID) []string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = id.String()
	}
	return list
}
