package graph

import (
	"context"
	"time"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/graph/model"
)

// Me resolves me.
func (q query) Me(ctx context.Context) (*ent.User, error) { return q.rules.Accounts.Me(ctx) }

// User resolves user.
func (q query) User(ctx context.Context, id string) (*ent.User, error) {
	userID, err := parseID(id, "id")
	if err != nil {
		return nil, err
	}
	return q.rules.Accounts.User(ctx, userID)
}

// Users resolves users.
func (q query) Users(ctx context.Context, offset, limit *int32, search *string) (*model.UserList, error) {
	list, total, err := q.rules.Accounts.Users(ctx, int(value(offset)), int(value(limit)), value(search))
	if err != nil {
		return nil, err
	}
	matches := count(total)
	return &model.UserList{Items: list, TotalCount: &matches}, nil
}

// CreateUser resolves createUser.
func (m mutation) CreateUser(ctx context.Context, input model.CreateUserInput) (*ent.User, error) {
	role := auth.RoleUser
	if r := input.Role.Value(); r != nil {
		role = *r
	}
	return m.rules.Accounts.CreateUser(ctx, accounts.CreateUserInput{
		DisplayName: input.DisplayName,
		Username:    input.Username,
		Email:       value(input.Email.Value()),
		Password:    input.Password,
		Role:        role,
	})
}

// UpdateProfile resolves updateProfile.
func (m mutation) UpdateProfile(
	ctx context.Context,
	input model.UpdateProfileInput,
	userID *string,
) (*ent.User, error) {
	id, err := parseOptionalID(userID, "userId")
	if err != nil {
		return nil, err
	}
	return m.rules.Accounts.UpdateProfile(ctx, id, accounts.UpdateProfileInput{
		DisplayName: input.DisplayName.Value(),
		Username:    input.Username.Value(),
		Email:       input.Email.Value(),
		Language:    input.Language,
		Role:        input.Role.Value(),
	})
}

// ChangePassword resolves changePassword.
func (m mutation) ChangePassword(ctx context.Context, input model.ChangePasswordInput, userID *string) (*bool, error) {
	id, err := parseOptionalID(userID, "userId")
	if err != nil {
		return nil, err
	}
	return yes(m.rules.Accounts.ChangePassword(ctx, accounts.NewPassword{
		UserID:    id,
		Current:   value(input.CurrentPassword.Value()),
		Password:  input.NewPassword,
		APITokens: input.RevokeAPITokens,
		Language:  input.Language,
	}))
}

// DeactivateAccount resolves deactivateAccount.
func (m mutation) DeactivateAccount(ctx context.Context, userID *string) (*bool, error) {
	id, err := parseOptionalID(userID, "userId")
	if err != nil {
		return nil, err
	}
	return yes(m.rules.Accounts.DeactivateAccount(ctx, id))
}

// ReactivateAccount resolves reactivateAccount.
func (m mutation) ReactivateAccount(ctx context.Context, userID string) (*bool, error) {
	id, err := parseID(userID, "userId")
	if err != nil {
		return nil, err
	}
	return yes(m.rules.Accounts.ReactivateAccount(ctx, id))
}

// DeleteUser resolves deleteUser.
func (m mutation) DeleteUser(ctx context.Context, input model.DeleteUserInput) (*model.DeleteUserPayload, error) {
	id, err := byID(ctx, input.UserID, "userId", m.rules.Accounts.DeleteUser)
	p := &model.DeleteUserPayload{DeletedID: id}
	return p, refuse(&p.UserErrors, err)
}

// EndSessions resolves endSessions.
func (m mutation) EndSessions(ctx context.Context, input model.EndSessionsInput) (*model.EndSessionsPayload, error) {
	whose := input.UserID.Value()
	if whose == nil {
		own := auth.FromContext(ctx).UserID.String()
		whose = &own
	}
	id, err := parseID(*whose, "userId")
	if err == nil {
		err = m.rules.Accounts.LogoutEverywhere(ctx, accounts.EndSessions{
			UserID:      &id,
			KeepCurrent: input.KeepCurrent,
			APITokens:   input.RevokeAPITokens,
		})
	}
	p := &model.EndSessionsPayload{UserID: changed(*whose, err)}
	return p, refuse(&p.UserErrors, err)
}

// EndSession resolves endSession.
func (m mutation) EndSession(ctx context.Context, input model.EndSessionInput) (*model.EndSessionPayload, error) {
	id, err := byID(ctx, input.ID, "id", m.rules.Accounts.EndSession)
	p := &model.EndSessionPayload{EndedID: id}
	return p, refuse(&p.UserErrors, err)
}

// InviteUser resolves inviteUser.
func (m mutation) InviteUser(ctx context.Context, input model.InviteUserInput) (*model.InviteUserPayload, error) {
	p := &model.InviteUserPayload{}
	id, err := parseID(input.UserID, "userId")
	if err != nil {
		return p, refuse(&p.UserErrors, err)
	}
	var (
		token   string
		expires time.Time
	)
	if input.Send {
		token, expires, err = m.rules.Accounts.SendInvitation(ctx, id, input.Language)
	} else {
		token, expires, err = m.rules.Accounts.Invite(ctx, id)
	}
	if err == nil {
		p.Invitation = &model.Invitation{Token: token, ExpiresAt: expires}
	}
	return p, refuse(&p.UserErrors, err)
}

type users struct{ rules Rules }

// Email resolves User.email.
func (r users) Email(ctx context.Context, u *ent.User) (*string, error) {
	return optional(r.rules.Accounts.Email(ctx, u)), nil
}

// StoredBytes resolves User.storedBytes.
func (r users) StoredBytes(ctx context.Context, u *ent.User) (*int64, error) {
	stored, err := r.rules.Gallery.Stored.By(ctx, u.ID)
	return &stored.Bytes, err
}

// Sessions resolves User.sessions.
func (r users) Sessions(
	ctx context.Context, u *ent.User, first *int32, after *string,
) (*model.SessionConnection, error) {
	key, err := sessionCursors.parse(after)
	if err != nil {
		return nil, err
	}
	p, err := r.rules.Accounts.Sessions(ctx, u.ID, sizeOf(first, defaultPage), key)
	return connection(p, sessionCursors, err)
}

type sessions struct{}

// Browser resolves Session.browser.
func (sessions) Browser(_ context.Context, s *ent.Session) (*string, error) {
	return optional(accounts.Browser(s.UserAgent)), nil
}

// System resolves Session.system.
func (sessions) System(_ context.Context, s *ent.Session) (*string, error) {
	return optional(accounts.System(s.UserAgent)), nil
}

// IsCurrent resolves Session.isCurrent.
func (sessions) IsCurrent(ctx context.Context, s *ent.Session) (bool, error) {
	return s.ID.String() == auth.FromContext(ctx).Session, nil
}

// Role resolves User.role.
func (users) Role(_ context.Context, u *ent.User) (auth.Role, error) { return auth.Role(u.Role), nil }
