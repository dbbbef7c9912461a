package gallery

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"sync"

	"github.com/google/uuid"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/revokedtoken"
	"github.com/safelight/safelight/ent/user"
	"github.com/safelight/safelight/fault"
)

// loginAttempts is how many a minute one address may make for one name.
const loginAttempts = 10

// Session answers login, refresh, guest and register, in the JSON shape of the API.
type Session struct {
	Token     string      `json:"token"`
	ExpiresIn int64       `json:"expiresIn"` // seconds
	User      SessionUser `json:"user"`
}

// SessionUser is who a session belongs to.
type SessionUser struct {
	ID          uuid.UUID `json:"id"`
	DisplayName string    `json:"displayName"`
	Username    string    `json:"username"`
	Role        auth.Role `json:"role"`
}

// setupToken lets one caller make the first admin. The zero value is spent.
type setupToken struct {
	mu    sync.Mutex
	token string
}

func (g *Gallery) loadSetupToken(ctx context.Context) error {
	any, err := g.db.User.Query().Exist(ctx)
	if err == nil && !any {
		g.setup.token = rand.Text()
	}
	return err
}

// SetupToken returns what registering the first admin needs; empty once there is an account.
func (g *Gallery) SetupToken() string {
	g.setup.mu.Lock()
	defer g.setup.mu.Unlock()
	return g.setup.token
}

// Login returns a session for a name and its password. address is where the caller is, for the
// limit of attempts: fault.RateLimited with RetryAfter. An unknown name, a wrong password and a
// deactivated account are the same fault.LoginFailed after the same work.
func (g *Gallery) Login(ctx context.Context, username, password, address string) (*Session, error) {
	key := usernameKey(username)
	if err := g.logins.Allow(address + "\x00" + key); err != nil {
		return nil, err
	}
	u, err := g.db.User.Query().Where(user.UsernameKey(key)).Only(ctx)
	if err != nil && !ent.IsNotFound(err) && !isNoText(err) {
		return nil, translate(err)
	}
	hash := ""
	if u != nil {
		hash = u.PasswordHash
	}
	ok, err := g.passwords.Verify(ctx, hash, password)
	if err != nil {
		return nil, err
	}
	if auth.AddressFrom(ctx) == "" {
		ctx = auth.WithAddress(ctx, address)
	}
	if !ok || !u.IsActive {
		return nil, g.loginFailed(ctx, u)
	}
	err = g.tx(ctx, func(tx *ent.Tx) error {
		if err := tx.User.UpdateOne(u).SetLastLoginAt(g.config.Now()).SetUpdatedAt(u.UpdatedAt).Exec(ctx); err != nil {
			return err
		}
		return g.record(ctx, tx, event{action: ActionLogin, target: userTarget(u.ID), actor: u})
	})
	if err != nil {
		return nil, err
	}
	return g.session(u)
}

// loginFailed writes down an attempt and returns fault.LoginFailed. A name that is nobody's is left out:
// people type passwords there.
func (g *Gallery) loginFailed(ctx context.Context, u *ent.User) error {
	e := event{action: ActionLoginFailed}
	if u != nil {
		e.target = userTarget(u.ID)
		e.after = facts{"isActive": u.IsActive}
	}
	err := g.tx(ctx, func(tx *ent.Tx) error { return g.record(ctx, tx, e) })
	if err != nil {
		return err
	}
	return fault.New(fault.LoginFailed, "Invalid credentials")
}

func (g *Gallery) session(u *ent.User) (*Session, error) {
	token, _, err := g.keys.Issue(auth.Subject{UserID: u.ID, Role: auth.Role(u.Role), Version: u.TokenVersion})
	if err != nil {
		return nil, err
	}
	return &Session{Token: token, ExpiresIn: int64(g.keys.Lifetime().Seconds()), User: *sessionUser(u)}, nil
}

func sessionUser(u *ent.User) *SessionUser {
	return &SessionUser{ID: u.ID, DisplayName: u.DisplayName, Username: u.Username, Role: auth.Role(u.Role)}
}

// Refresh returns a new session for a token that is still good; the token stays good until its
// expiry. fault.Unauthenticated for any other.
func (g *Gallery) Refresh(ctx context.Context, token string) (*Session, error) {
	claims, err := g.keys.Parse(token)
	if err != nil {
		return nil, err
	}
	identity, err := g.Authenticate(ctx, claims)
	if err != nil {
		return nil, err
	}
	if identity.Role == auth.RoleGuest {
		return g.session(g.guest(identity.UserID))
	}
	u, err := g.db.User.Get(ctx, identity.UserID)
	if err != nil {
		return nil, translate(err)
	}
	return g.session(u)
}

// guest returns an account that stands in no database.
func (g *Gallery) guest(id uuid.UUID) *ent.User {
	now := g.config.Now()
	return &ent.User{ID: id, DisplayName: "Guest", Username: "guest", Role: user.Role(auth.RoleGuest), IsActive: true, CreatedAt: now, UpdatedAt: now}
}

// GuestSession returns a session of role guest; fault.GuestDisabled when guest mode is off.
func (g *Gallery) GuestSession(context.Context) (*Session, error) {
	if !g.config.Guest {
		return nil, fault.New(fault.GuestDisabled, "guest mode is off")
	}
	return g.session(g.guest(uuid.New()))
}

// Register makes an account and logs it in. While there is no account it makes the first admin and
// needs the setup token, else fault.Forbidden; later it makes a user, where registration is on, else
// fault.RegistrationDisabled.
func (g *Gallery) Register(ctx context.Context, in RegisterInput) (*Session, error) {
	// held to the end: the token makes one admin only, however many ask at once
	g.setup.mu.Lock()
	defer g.setup.mu.Unlock()
	role := auth.RoleUser
	switch {
	case g.setup.token != "":
		if subtle.ConstantTimeCompare([]byte(in.SetupToken), []byte(g.setup.token)) != 1 {
			return nil, fault.OnField(fault.Forbidden, "setupToken", "the first account needs the setup token that the server printed at its start")
		}
		role = auth.RoleAdmin
	case !g.config.Registration:
		return nil, fault.New(fault.RegistrationDisabled, "registration is off")
	}
	u, err := g.insertUser(ctx, CreateUserInput{DisplayName: in.DisplayName, Username: in.Username, Password: in.Password, Role: role}, ActionUserRegister)
	if err != nil {
		return nil, err
	}
	g.setup.token = ""
	return g.session(u)
}

// EnsureAdmin makes an admin when there is no account at all. An empty password is generated, and
// returned. created is false, and nothing happens, when there is an account.
func (g *Gallery) EnsureAdmin(ctx context.Context, username, password string) (created bool, generated string, err error) {
	g.setup.mu.Lock()
	defer g.setup.mu.Unlock()
	if any, err := g.db.User.Query().Exist(ctx); err != nil || any {
		return false, "", translate(err)
	}
	if password == "" {
		generated = rand.Text()[:20]
		password = generated
	}
	if _, err := g.insertUser(ctx, CreateUserInput{DisplayName: username, Username: username, Password: password, Role: auth.RoleAdmin}, ActionUserCreate); err != nil {
		return false, "", err
	}
	g.setup.token = ""
	return true, generated, nil
}

// Logout ends the token that proved the identity in ctx; an API token it revokes.
func (g *Gallery) Logout(ctx context.Context) error {
	i := auth.FromContext(ctx)
	if i.TokenID == "" {
		return fault.New(fault.Unauthenticated, "no token was sent")
	}
	if i.APIToken {
		return g.revokeOwn(ctx, i)
	}
	now := g.config.Now()
	return g.tx(ctx, func(tx *ent.Tx) error {
		// its own expiry is no later than this
		err := tx.RevokedToken.Create().SetID(i.TokenID).SetExpiresAt(now.Add(g.keys.Lifetime())).OnConflictColumns(revokedtoken.FieldID).Ignore().Exec(ctx)
		if err != nil && !isNoRows(err) {
			return err
		}
		if _, err := tx.RevokedToken.Delete().Where(revokedtoken.ExpiresAtLT(now)).Exec(ctx); err != nil {
			return err
		}
		return g.record(ctx, tx, event{action: ActionLogout, target: userTarget(i.UserID)})
	})
}

// Authenticate returns who a token speaks for, after its signature was checked: fault.Unauthenticated when
// it was revoked, its account is deactivated or gone, its version is old, or guests are off. It asks
// the database each time, so that a change counts at once, whichever process made it.
func (g *Gallery) Authenticate(ctx context.Context, c *auth.Claims) (auth.Identity, error) {
	if err := g.keys.Check(c); err != nil {
		return auth.Identity{}, err
	}
	refused := func() (auth.Identity, error) {
		return auth.Identity{}, fault.New(fault.Unauthenticated, "the token is no longer accepted")
	}
	revoked, err := g.db.RevokedToken.Query().Where(revokedtoken.ID(c.ID)).Exist(ctx)
	if err != nil {
		return auth.Identity{}, translate(err)
	}
	if revoked {
		return refused()
	}
	if c.Role == auth.RoleGuest {
		if !g.config.Guest {
			return refused()
		}
		identity := c.Identity()
		identity.Name = "guest"
		return identity, nil
	}
	u, err := g.db.User.Get(ctx, c.UserID())
	if err != nil && !ent.IsNotFound(err) {
		return auth.Identity{}, translate(err)
	}
	if err != nil || !u.IsActive || u.TokenVersion != c.Version || auth.Role(u.Role) != c.Role {
		return refused()
	}
	identity := c.Identity()
	identity.Name = u.Username
	return identity, nil
}

// SessionUser returns who the identity in ctx is and what it may do; fault.Unauthenticated for nobody.
func (g *Gallery) SessionUser(ctx context.Context) (*SessionUser, []auth.Scope, error) {
	u, err := g.Me(ctx)
	if err != nil {
		return nil, nil, err
	}
	return sessionUser(u), auth.FromContext(ctx).Scopes, nil
}

// RotateKeys makes a new key that signs tokens from now on; those of the one before are accepted until they
// expire. fault.Conflict when the secret of the settings signs.
func (g *Gallery) RotateKeys(ctx context.Context) error {
	if err := g.keys.Rotate(); err != nil {
		return err
	}
	g.recordDone(ctx, event{action: ActionKeysRotate, target: "keys"})
	return nil
}
