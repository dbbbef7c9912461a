package accounts_test

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
)

func invitations(s *stage) {
	admin, user := s.Person("admin", auth.RoleAdmin), s.Person("user", auth.RoleUser)
	const next = "a completely other one"
	invite := func() string {
		token, expires, err := s.Invite(s.As(admin), user.User.ID)
		must(s.T, err)
		if left := expires.Sub(s.Clock.Time); left != 7*24*time.Hour {
			s.Errorf("an invitation ends in %v", left)
		}
		return token
	}
	refused := func(token, what string) {
		s.Helper()
		_, err := s.AcceptInvitation(s.Context(), token, next)
		want(s.T, err, fault.Forbidden, what)
	}

	// Who may invite, and whom.
	_, _, err := s.Invite(s.As(user), admin.User.ID)
	want(s.T, err, fault.Forbidden, "an invitation by a user")
	_, _, err = s.Invite(s.As(admin), admin.User.ID)
	want(s.T, err, fault.Invalid, "an invitation to one's own account")
	_, _, err = s.Invite(s.As(admin), uuid.New())
	want(s.T, err, fault.NotFound, "an invitation to nobody's account")
	byToken := auth.WithIdentity(s.Context(), auth.Identity{
		UserID: admin.User.ID, Role: auth.RoleAdmin, Scopes: auth.RoleAdmin.Scopes(), APIToken: true,
	})
	_, _, err = s.Invite(byToken, user.User.ID)
	want(s.T, err, fault.Forbidden, "an invitation by an API token")

	// The token works once, with a valid password.
	token := invite()
	_, err = s.AcceptInvitation(s.Context(), token, "short")
	want(s.T, err, fault.Invalid, "a short password")
	session, err := s.AcceptInvitation(s.Context(), token, next)
	must(s.T, err)
	if session.User.ID != user.User.ID || session.User.Role != auth.RoleUser || !s.Admits(session) || s.Admits(user) {
		s.Errorf("AcceptInvitation = %+v", session)
	}
	_, err = s.Login(s.Context(), "user", next, "home")
	must(s.T, err)
	refused(token, "an invitation that was used")
	page, err := s.Audit.Events(s.Context(), audit.Filter{Action: string(audit.ActionUserPassword)}, 1, "")
	must(s.T, err)
	if len(page.Items) != 1 || page.Items[0].After["invitedBy"] != admin.User.ID.String() {
		s.Errorf("the acceptance is recorded as %+v", page.Items)
	}

	// A modified token does not work.
	token = invite()
	for i := range token {
		other := "A"
		if token[i] == 'A' {
			other = "B"
		}
		if changed := token[:i] + other + token[i+1:]; i < len(token)-1 { // the last digit has unused bits
			refused(changed, "a changed invitation")
		}
	}
	for _, bad := range []string{"", "x", token[1:], token + token, strings.Repeat("A", len(token))} {
		refused(bad, "an invitation that is none")
	}

	// The token does not work after events that invalidate it.
	must(s.T, s.LogoutEverywhere(s.As(admin), accounts.EndSessions{UserID: &user.User.ID}))
	refused(token, "an invitation from before all sessions ended")
	token = invite()
	must(s.T, s.ChangePassword(s.As(admin), accounts.NewPassword{UserID: &user.User.ID, Password: password}))
	refused(token, "an invitation from before a new password")
	token = invite()
	must(s.T, s.DeactivateAccount(s.As(admin), &user.User.ID))
	refused(token, "an invitation to a deactivated account")
	_, _, err = s.Invite(s.As(admin), user.User.ID)
	want(s.T, err, fault.Conflict, "inviting to a deactivated account")
	must(s.T, s.ReactivateAccount(s.As(admin), user.User.ID))

	// The token does not work after its issuer has lost the right to invite.
	role := auth.RoleUser
	for what, end := range map[string]func(id uuid.UUID) error{
		"is a user now": func(id uuid.UUID) error {
			_, err := s.UpdateProfile(s.As(admin), &id, accounts.UpdateProfileInput{Role: &role})
			return err
		},
		"ended all sessions": func(id uuid.UUID) error {
			return s.LogoutEverywhere(s.As(admin), accounts.EndSessions{UserID: &id})
		},
		"has a new password": func(id uuid.UUID) error {
			return s.ChangePassword(s.As(admin), accounts.NewPassword{UserID: &id, Password: password})
		},
		"is deactivated": func(id uuid.UUID) error { return s.DeactivateAccount(s.As(admin), &id) },
		"is deleted":     func(id uuid.UUID) error { return s.DeleteUser(s.As(admin), id) },
	} {
		other := s.Person("other", auth.RoleAdmin)
		as := s.As(other)
		token, _, err := s.Invite(as, user.User.ID)
		must(s.T, err)
		must(s.T, end(other.User.ID))
		refused(token, "an invitation whose admin "+what)
		if what == "is deleted" {
			continue
		}
		if token, _, err = s.Invite(as, user.User.ID); err == nil {
			refused(token, "an invitation in a request from before its admin "+what)
		}
		must(s.T, s.DeleteUser(s.As(admin), other.User.ID))
	}

	token = invite()
	now := s.Clock.Time
	s.Clock.Time = now.Add(7 * 24 * time.Hour)
	refused(token, "an invitation that has ended")
	s.Clock.Time = now
	must(s.T, s.DeleteUser(s.As(admin), user.User.ID))
	refused(token, "an invitation to a deleted account")
}
