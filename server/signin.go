package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/accounts/signin"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
)

// Sign-in through an OpenID Connect provider: the route begin redirects the browser to the provider. The provider
// redirects it to the application's page /signin/ID. That page sends the provider's answer to finish and gets a
// session, as after a login.

const (
	signinRoute  = "/api/auth/providers/:id"
	signinCookie = "safelight_signin_" // followed by a hash of the state: each tab has its own flow
	// maxFlows is the max number of sign-ins that a browser may have begun and not finished. The limit keeps its
	// headers short.
	maxFlows = 4
)

func (s *Server) signinRoutes() {
	s.app.Get(signinRoute+"/begin", s.beginSignin)
	s.app.Post(signinRoute+"/finish", s.finishSignin)
	s.app.Post(signinRoute+"/logout", s.providerLogout)
}

func (s *Server) beginSignin(c *fiber.Ctx) error {
	ctx, stop := loginContext(c)
	defer stop()
	location, state, flow, err := s.Signin.Begin(ctx, c.Params("id"), c.Query("next"))
	if err != nil {
		return err
	}
	s.dropFlows(c)
	s.setFlow(c, s.flowName(state), flow, 10*time.Minute)
	c.Set(fiber.HeaderCacheControl, "no-store")
	return c.Redirect(location, fiber.StatusSeeOther)
}

// flowPrefix returns the prefix of the flow cookies' names. Browsers let no other host set a cookie with __Host-,
// which requires TLS and the path /.
func (s *Server) flowPrefix() string {
	if s.Signin.Secure() {
		return "__Host-" + signinCookie
	}
	return signinCookie
}

// flowName returns the name of the cookie of a flow.
func (s *Server) flowName(state string) string {
	sum := sha256.Sum256([]byte(state))
	return s.flowPrefix() + hex.EncodeToString(sum[:8])
}

// dropFlows removes the flows of a browser that has too many flows.
func (s *Server) dropFlows(c *fiber.Ctx) {
	var names []string
	for name := range c.Request().Header.Cookies() {
		if strings.HasPrefix(string(name), s.flowPrefix()) {
			names = append(names, string(name))
		}
	}
	if len(names) < maxFlows {
		return
	}
	for _, name := range names {
		s.setFlow(c, name, "", -time.Second)
	}
}

// setFlow keeps a flow in the browser; a negative age removes the flow.
func (s *Server) setFlow(c *fiber.Ctx, name, flow string, age time.Duration) {
	expires := time.Time{}
	if age < 0 {
		expires = time.Unix(1, 0)
	}
	c.Cookie(&fiber.Cookie{
		Name: name, Value: flow, Path: "/", MaxAge: max(0, int(age.Seconds())), Expires: expires,
		HTTPOnly: true, SameSite: fiber.CookieSameSiteLaxMode, Secure: s.Signin.Secure(),
	})
}

func (s *Server) finishSignin(c *fiber.Ctx) error {
	id := c.Params("id")
	return s.answerTexts(c, nil, []string{"code", "state", "iss", "error"},
		func(ctx context.Context, in map[string]string) (any, error) {
			a := signin.Answer{Code: in["code"], State: in["state"], Issuer: in["iss"], Error: in["error"]}
			name := s.flowName(a.State)
			flow := c.Cookies(name)
			if flow != "" {
				s.setFlow(c, name, "", -time.Second) // a flow is used only once, whether it succeeds or not
			}
			session, person, err := s.Accounts.FinishSignIn(ctx, a.State, func() (*signin.Person, error) {
				return s.Signin.Finish(ctx, id, flow, a)
			})
			if err != nil {
				return nil, err
			}
			return struct {
				*accounts.Session
				Next string `json:"next"`
			}{session, person.Next}, nil
		})
}

// providerLogout handles the token with which a provider ends sessions (OpenID Connect Back-Channel Logout 1.0).
func (s *Server) providerLogout(c *fiber.Ctx) error {
	c.Set(fiber.HeaderCacheControl, "no-store")
	body, err := s.readBody(c)
	if err != nil {
		return err
	}
	form, err := url.ParseQuery(string(body))
	token := form.Get("logout_token")
	if err != nil || token == "" {
		return fault.OnField(fault.Invalid, "logout_token", "the form has no logout_token")
	}
	ctx, stop := loginContext(c)
	defer stop()
	ended, err := s.Signin.Logout(ctx, c.Params("id"), token)
	if err == nil {
		err = s.Accounts.EndProviderSessions(ctx, ended)
	}
	if err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusOK)
}

// providerLogoutURL returns the URL at which the browser logs out at the provider of the caller's session; empty for
// none.
func (s *Server) providerLogoutURL(c *fiber.Ctx) string {
	provider := auth.FromContext(c.UserContext()).Provider
	if provider == "" {
		return ""
	}
	return s.Signin.LogoutURL(c.UserContext(), provider)
}
