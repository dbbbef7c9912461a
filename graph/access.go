package graph

import (
	"context"

	"github.com/google/uuid"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/graph/model"
)

// Grants resolves grants.
func (q query) Grants(ctx context.Context, folder string) ([]*access.Grant, error) {
	return q.rules.Gallery.Grants(ctx, folder)
}

// Grantees resolves grantees.
func (q query) Grantees(ctx context.Context, text string, limit int32) ([]*access.Grantee, error) {
	return q.rules.Gallery.Grantees(ctx, text, int(limit))
}

// Groups resolves groups.
func (q query) Groups(ctx context.Context, first *int32, after *string) (*model.GroupConnection, error) {
	name, err := groupCursors.parse(after)
	if err != nil {
		return nil, err
	}
	p, err := q.rules.Gallery.Access.Groups(ctx, sizeOf(first, defaultPage), name)
	return connection(p, groupCursors, err)
}

// SetGrants resolves setGrants.
func (m mutation) SetGrants(ctx context.Context, in model.SetGrantsInput) (*model.SetGrantsPayload, error) {
	list := make([]*access.Grant, len(in.Grants))
	for i, g := range in.Grants {
		list[i] = &access.Grant{To: granteeOf(g.To), Right: g.Right}
	}
	err := m.rules.Gallery.SetGrants(ctx, in.Folder, list)
	p := &model.SetGrantsPayload{}
	if err != nil {
		return p, refuse(&p.UserErrors, err)
	}
	p.UserErrors = []*model.UserError{}
	if p.Grants, err = m.rules.Gallery.Grants(ctx, in.Folder); err != nil {
		code := fault.CodeOf(err)
		if code != fault.Forbidden && code != fault.NotFound { // otherwise the caller gave up that right
			return nil, err
		}
		p.Grants = nil
	}
	return p, nil
}

func granteeOf(in *model.GranteeInput) access.Grantee {
	switch {
	case in.GroupID.Value() != nil:
		return access.Grantee{Kind: access.Group, ID: *in.GroupID.Value()}
	case in.AccountID.Value() != nil:
		return access.Grantee{Kind: access.Account, ID: *in.AccountID.Value()}
	case value(in.Guests.Value()):
		return access.Grantee{Kind: access.Guests}
	case value(in.Everyone.Value()):
		return access.Grantee{Kind: access.Everyone}
	}
	return access.Grantee{}
}

// CreateGroup resolves createGroup.
func (m mutation) CreateGroup(ctx context.Context, in model.CreateGroupInput) (*model.GroupPayload, error) {
	p := &model.GroupPayload{}
	members, err := parseIDs(in.MemberIds, "memberIds")
	if err == nil {
		p.Group, err = m.rules.Gallery.Access.CreateGroup(ctx, in.Name, members)
	}
	return groupPayload(p, err)
}

// UpdateGroup resolves updateGroup.
func (m mutation) UpdateGroup(ctx context.Context, in model.UpdateGroupInput) (*model.GroupPayload, error) {
	p := &model.GroupPayload{}
	id, err := parseID(in.ID, "id")
	c := access.ChangeGroup{Name: in.Name.Value()}
	if err == nil {
		c.Add, err = parseIDs(in.AddMemberIds, "addMemberIds")
	}
	if err == nil {
		c.Remove, err = parseIDs(in.RemoveMemberIds, "removeMemberIds")
	}
	if err == nil {
		p.Group, err = m.rules.Gallery.Access.UpdateGroup(ctx, id, c)
	}
	return groupPayload(p, err)
}

func groupPayload(p *model.GroupPayload, err error) (*model.GroupPayload, error) {
	if err != nil {
		p.Group = nil
	}
	return p, refuse(&p.UserErrors, err)
}

// DeleteGroup resolves deleteGroup.
func (m mutation) DeleteGroup(ctx context.Context, in model.DeleteGroupInput) (*model.DeleteGroupPayload, error) {
	id, err := byID(ctx, in.ID, "id", m.rules.Gallery.Access.DeleteGroup)
	p := &model.DeleteGroupPayload{DeletedID: id}
	return p, refuse(&p.UserErrors, err)
}

// parseIDs parses a list of ids like parseID.
func parseIDs(list []string, field string) ([]uuid.UUID, error) {
	ids := make([]uuid.UUID, len(list))
	for i, s := range list {
		var err error
		if ids[i], err = parseID(s, field); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

type groups struct{ rules Rules }

// Members resolves Group.members.
func (r groups) Members(
	ctx context.Context, g *ent.Group, first *int32, after *string,
) (*model.UserConnection, error) {
	name, err := memberCursors.parse(after)
	if err != nil {
		return nil, err
	}
	p, err := r.rules.Gallery.Access.Members(ctx, g.ID, sizeOf(first, defaultPage), name)
	return connection(p, memberCursors, err)
}

type grantees struct{}

// ID resolves Grantee.id.
func (grantees) ID(_ context.Context, g *access.Grantee) (*string, error) { return optional(g.ID), nil }

// Name resolves Grantee.name.
func (grantees) Name(_ context.Context, g *access.Grantee) (*string, error) {
	return optional(g.Name), nil
}
