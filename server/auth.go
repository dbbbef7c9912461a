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

// guard passes requests with a valid session or API token on and adds the identity to the context.
func (s *Server) guard() fiber.Handler {
	sessions := jwtware.New(jwtware.Config{
		KeyFunc: s.Keyring.KeyFunc(),
		Claims:  &auth.Claims{},
		ErrorHandler: func(c *fiber.Ctx, _ error) error {
			c.Context().SetConnectionClose() // the body stays unread
			return fault.New(fault.Unauthenticated,
				"the token is missing, malformed or expired, expected Authorization: Bearer")
		},
		SuccessHandler: func(c *fiber.Ctx) error {
			if err := s.authenticate(c); err != nil {
				c.Context().SetConnectionClose()
				return err
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
			return err
		}
		c.SetUserContext(access.Once(auth.WithIdentity(c.UserContext(), identity)))
		return c.Next()
	}
}

// guardGraphQL is guard, but with PublicSchema it also accepts requests without a token. The executor lets those read
// only the schema. Forms always need a token, because their files are stored before the executor runs.
func (s *Server) guardGraphQL() fiber.Handler {
	strict := s.guard()
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

// loginTimeout is how long a login or a registration may wait to be processed. The wait also ends when the client
// disconnects.
const loginTimeout = 30 * time.Second

// loginContext returns the context of a request that begins or continues a session. It carries the client's name.
func loginContext(c *fiber.Ctx) (context.Context, context.CancelFunc) {
	ctx, stop := requestContext(c, loginTimeout)
	return auth.WithUserAgent(ctx, c.Get(fiber.HeaderUserAgent)), stop
}

// answerObject answers a request whose body is a JSON object with what do returns for it; nil is an empty response.
func (s *Server) answerObject(c *fiber.Ctx, do func(context.Context, object) (any, error)) error {
	o, err := s.readObject(c)
	if err != nil {
		return err
	}
	ctx, stop := loginContext(c)
	defer stop()
	answer, err := do(ctx, o)
	return answerValue(c, answer, err)
}

// answerValue sends what a route of accounts returned, which must not be cached; nil is an empty response.
func answerValue(c *fiber.Ctx, value any, err error) error {
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	if value == nil {
		return c.SendStatus(fiber.StatusNoContent)
	}
	return c.JSON(value)
}

// answerTexts is answerObject for an object whose fields are strings.
func (s *Server) answerTexts(c *fiber.Ctx, required, optional []string,
	do func(ctx context.Context, in map[string]string) (any, error)) error {
	return s.answerObject(c, func(ctx context.Context, o object) (any, error) {
		in, err := o.texts(required, optional)
		if err != nil {
			return nil, err
		}
		return do(ctx, in)
	})
}

func (s *Server) login(c *fiber.Ctx) error {
	address := s.address(c).String()
	return s.answerTexts(c, []string{"username", "password"}, nil,
		func(ctx context.Context, in map[string]string) (any, error) {
			return s.Accounts.Login(ctx, in["username"], in["password"], address)
		})
}

func (s *Server) refresh(c *fiber.Ctx) error {
	return s.answerTexts(c, []string{"token"}, nil, func(ctx context.Context, in map[string]string) (any, error) {
		return s.Accounts.Refresh(ctx, in["token"])
	})
}

func (s *Server) guest(c *fiber.Ctx) error {
	if _, err := s.readBody(c); err != nil {
		return err
	}
	session, err := s.Accounts.GuestSession(c.UserContext())
	return answerValue(c, session, err)
}

// acceptInvitation handles an accepted invitation: it sets the password of the account and logs its holder in.
func (s *Server) acceptInvitation(c *fiber.Ctx) error {
	return s.answerTexts(c, []string{"token", "password"}, nil,
		func(ctx context.Context, in map[string]string) (any, error) {
			return s.Accounts.AcceptInvitation(ctx, in["token"], in["password"])
		})
}

func (s *Server) register(c *fiber.Ctx) error {
	c.Status(fiber.StatusCreated) // a failure has its own status
	return s.answerTexts(c, []string{"displayName", "username", "password"}, []string{"setupToken"},
		func(ctx context.Context, in map[string]string) (any, error) {
			return s.Accounts.Register(ctx, accounts.RegisterInput{
				DisplayName: in["displayName"], Username: in["username"], Password: in["password"],
				SetupToken: in["setupToken"],
			})
		})
}

func (s *Server) logout(c *fiber.Ctx) error {
	if _, err := s.readBody(c); err != nil {
		return err
	}
	if err := s.Accounts.Logout(c.UserContext()); err != nil {
		return err
	}
	if address := s.providerLogoutURL(c); address != "" {
		c.Set(fiber.HeaderCacheControl, "no-store")
		return c.JSON(fiber.Map{"providerLogoutUrl": address})
	}
	return c.SendStatus(fiber.StatusNoContent)
}

func (s *Server) me(c *fiber.Ctx) error {
	user, scopes, err := s.Accounts.SessionUser(c.UserContext())
	return answerValue(c, fiber.Map{"user": user, "scopes": scopes}, err)
}
