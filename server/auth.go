package server

import (
	"context"
	"strings"
	"time"

	jwtware "github.com/gofiber/contrib/jwt"
	"github.com/gofiber/fiber/v2"
	"github.com/golang-jwt/jwt/v5"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/access"
)

// guard passes requests with a valid session or API token on and adds the identity to the context; fail answers all
// others.
func (s *Server) guard(fail func(*fiber.Ctx, error) error) fiber.Handler {
	sessions := jwtware.New(jwtware.Config{
		KeyFunc: s.Keyring.KeyFunc(),
		Claims:  &auth.Claims{},
		ErrorHandler: func(c *fiber.Ctx, _ error) error {
			c.Context().SetConnectionClose() // the body stays unread
			return fail(c, fault.New(fault.Unauthenticated,
				"the token is missing, malformed or expired, expected Authorization: Bearer"))
		},
		SuccessHandler: func(c *fiber.Ctx) error {
			if err := s.authenticate(c); err != nil {
				c.Context().SetConnectionClose()
				return fail(c, err)
			}
			return c.Next()
		},
	})
	return func(c *fiber.Ctx) error {
		token := bearerToken(c)
		if !auth.IsAPIToken(token) {
			return sessions(c)
		}
		identity, err := s.Accounts.AuthenticateAPIToken(c.UserContext(), token)
		if err != nil {
			c.Context().SetConnectionClose() // the body stays unread
			return fail(c, err)
		}
		c.SetUserContext(access.Once(auth.WithIdentity(c.UserContext(), identity)))
		return c.Next()
	}
}

// guardGraphQL is guard, but with PublicSchema it also accepts requests without a token. The executor lets those read
// only the schema. Forms always need a token, because their files are stored before the executor runs.
func (s *Server) guardGraphQL() fiber.Handler {
	strict := s.guard(s.failGraphQL)
	return func(c *fiber.Ctx) error {
		kind, _ := contentType(c)
		if s.config.PublicSchema && c.Get(fiber.HeaderAuthorization) == "" && kind != fiber.MIMEMultipartForm {
			return c.Next()
		}
		return strict(c)
	}
}

// bearerToken returns the token of the Authorization header; empty if there is none.
func bearerToken(c *fiber.Ctx) string {
	scheme, token, _ := strings.Cut(c.Get(fiber.HeaderAuthorization), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// authenticate checks that a correctly signed token has not been revoked.
func (s *Server) authenticate(c *fiber.Ctx) error {
	token, ok := c.Locals("user").(*jwt.Token)
	if !ok {
		return fault.New(fault.Unauthenticated, "the token is malformed")
	}
	claims, ok := token.Claims.(*auth.Claims)
	if !ok {
		return fault.New(fault.Unauthenticated, "the token is malformed")
	}
	identity, err := s.Accounts.Authenticate(c.UserContext(), claims)
	if err != nil {
		return err
	}
	c.SetUserContext(access.Once(auth.WithIdentity(c.UserContext(), identity)))
	return nil
}

// bearer returns the identity of the request's token; the anonymous identity if it is missing or invalid.
func (s *Server) bearer(c *fiber.Ctx) auth.Identity {
	identity, err := s.identity(c.UserContext(), bearerToken(c))
	if err != nil {
		return auth.Identity{}
	}
	return identity
}

// identity returns the identity of a token; fault.Unauthenticated if it is invalid, expired or revoked.
func (s *Server) identity(ctx context.Context, token string) (auth.Identity, error) {
	if auth.IsAPIToken(token) {
		return s.Accounts.AuthenticateAPIToken(ctx, token)
	}
	claims, err := s.Keyring.Parse(token)
	if err != nil {
		return auth.Identity{}, err
	}
	return s.Accounts.Authenticate(ctx, claims)
}

// session answers with a session, which must not be cached.
func (s *Server) session(c *fiber.Ctx, status int, session *accounts.Session, err error) error {
	if err != nil {
		return s.fail(c, err)
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	return c.Status(status).JSON(session)
}

// loginTimeout is how long a login or a registration may wait to be processed. The wait also ends when the client
// disconnects.
const loginTimeout = 30 * time.Second

// loginContext returns the context of a request that begins or continues a session. It carries the client's name.
func loginContext(c *fiber.Ctx) (context.Context, context.CancelFunc) {
	ctx, stop := requestContext(c, loginTimeout)
	return auth.WithUserAgent(ctx, strings.Clone(c.Get(fiber.HeaderUserAgent))), stop
}

func (s *Server) login(c *fiber.Ctx) error {
	o, err := s.readObject(c)
	if err != nil {
		return s.fail(c, err)
	}
	var username, password string
	fields := map[string]*string{"username": &username, "password": &password}
	if err := o.texts(fields, "username", "password"); err != nil {
		return s.fail(c, err)
	}
	ctx, stop := loginContext(c)
	defer stop()
	session, err := s.Accounts.Login(ctx, username, password, s.address(c).String())
	return s.session(c, fiber.StatusOK, session, err)
}

func (s *Server) refresh(c *fiber.Ctx) error {
	o, err := s.readObject(c)
	if err != nil {
		return s.fail(c, err)
	}
	token, err := o.text("token", false)
	if err != nil {
		return s.fail(c, err)
	}
	ctx, stop := loginContext(c)
	defer stop()
	session, err := s.Accounts.Refresh(ctx, token)
	return s.session(c, fiber.StatusOK, session, err)
}

func (s *Server) guest(c *fiber.Ctx) error {
	if _, err := s.readBody(c); err != nil {
		return s.fail(c, err)
	}
	session, err := s.Accounts.GuestSession(c.UserContext())
	return s.session(c, fiber.StatusOK, session, err)
}

// acceptInvitation handles an accepted invitation: it sets the password of the account and logs its holder in.
func (s *Server) acceptInvitation(c *fiber.Ctx) error {
	o, err := s.readObject(c)
	if err != nil {
		return s.fail(c, err)
	}
	var token, password string
	err = o.texts(map[string]*string{"token": &token, "password": &password}, "token", "password")
	if err != nil {
		return s.fail(c, err)
	}
	ctx, stop := loginContext(c)
	defer stop()
	session, err := s.Accounts.AcceptInvitation(ctx, token, password)
	return s.session(c, fiber.StatusOK, session, err)
}

func (s *Server) register(c *fiber.Ctx) error {
	o, err := s.readObject(c)
	if err != nil {
		return s.fail(c, err)
	}
	var in accounts.RegisterInput
	fields := map[string]*string{"displayName": &in.DisplayName, "username": &in.Username, "password": &in.Password}
	err = o.texts(fields, "displayName", "username", "password")
	if err != nil {
		return s.fail(c, err)
	}
	if in.SetupToken, err = o.text("setupToken", true); err != nil {
		return s.fail(c, err)
	}
	ctx, stop := loginContext(c)
	defer stop()
	session, err := s.Accounts.Register(ctx, in)
	return s.session(c, fiber.StatusCreated, session, err)
}

func (s *Server) logout(c *fiber.Ctx) error {
	if _, err := s.readBody(c); err != nil {
		return s.fail(c, err)
	}
	if err := s.Accounts.Logout(c.UserContext()); err != nil {
		return s.fail(c, err)
	}
	if address := s.providerLogoutURL(c); address != "" {
		c.Set(fiber.HeaderCacheControl, "no-store")
		return c.JSON(fiber.Map{"providerLogoutUrl": address})
	}
	return c.SendStatus(fiber.StatusNoContent)
}

func (s *Server) me(c *fiber.Ctx) error {
	user, scopes, err := s.Accounts.SessionUser(c.UserContext())
	if err != nil {
		return s.fail(c, err)
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	return c.JSON(fiber.Map{"user": user, "scopes": scopes})
}
