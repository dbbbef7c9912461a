package server

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/fault"
)

// Second factors: the second step of a login, its confirmation before sensitive changes, signing in with a passkey
// alone, and setting up an app or a passkey. Package accounts signs the state that clients keep between two requests.

func (s *Server) factorsRoutes(login fiber.Router) {
	guarded := s.guard()
	// A caller whose login is not complete has no session yet.
	optional := func(c *fiber.Ctx) error {
		if c.Get(fiber.HeaderAuthorization) == "" {
			return c.Next()
		}
		return guarded(c)
	}
	login.Post("/second-step", s.secondStep)
	login.Post("/passkey/begin", optional, s.beginPasskey)
	login.Post("/passkey", s.passkeyLogin)
	login.Post("/confirm", guarded, s.confirm)
	login.Post("/factors/begin", optional, s.beginFactor)
	login.Post("/factors/finish", optional, s.finishFactor)
}

// requestHost returns the host of a request, `name[:port]`.
func requestHost(c *fiber.Ctx) string { return string(c.Request().Host()) }

// credential decodes an optional field that must be an object.
func (o object) credential(field string) ([]byte, error) {
	raw, ok := o[field]
	if !ok || string(raw) == "null" {
		return nil, nil
	}
	if !strings.HasPrefix(string(raw), "{") || !json.Valid(raw) {
		return nil, fault.OnField(fault.InvalidRequest, field, "field %s has the wrong type, expected an object", field)
	}
	return raw, nil
}

// factorRequest has the parameters of all routes of second factors. Each route uses some of them.
type factorRequest struct {
	accounts.Proof
	token, kind, name string
}

// answerFactor is answerObject for the routes of second factors.
func (s *Server) answerFactor(c *fiber.Ctx, do func(context.Context, *factorRequest) (any, error)) error {
	return s.answerObject(c, func(ctx context.Context, o object) (any, error) {
		in, err := o.texts(nil, []string{"token", "kind", "name", "code", "challenge", "password"})
		if err != nil {
			return nil, err
		}
		credential, err := o.credential("credential")
		if err != nil {
			return nil, err
		}
		return do(ctx, &factorRequest{
			Proof: accounts.Proof{
				Code: in["code"], Challenge: in["challenge"], Credential: credential, Password: in["password"],
			},
			token: in["token"], kind: in["kind"], name: in["name"],
		})
	})
}

func (s *Server) secondStep(c *fiber.Ctx) error {
	return s.answerFactor(c, func(ctx context.Context, r *factorRequest) (any, error) {
		return s.Accounts.SecondStep(ctx, r.token, r.Proof)
	})
}

func (s *Server) beginPasskey(c *fiber.Ctx) error {
	host := requestHost(c)
	return s.answerFactor(c, func(ctx context.Context, r *factorRequest) (any, error) {
		return s.Accounts.PasskeyOptions(ctx, host, r.token)
	})
}

func (s *Server) passkeyLogin(c *fiber.Ctx) error {
	return s.answerFactor(c, func(ctx context.Context, r *factorRequest) (any, error) {
		return s.Accounts.PasskeyLogin(ctx, r.Proof)
	})
}

func (s *Server) confirm(c *fiber.Ctx) error {
	return s.answerFactor(c, func(ctx context.Context, r *factorRequest) (any, error) {
		return nil, s.Accounts.Confirm(ctx, r.Proof)
	})
}

func (s *Server) beginFactor(c *fiber.Ctx) error {
	host := requestHost(c)
	return s.answerFactor(c, func(ctx context.Context, r *factorRequest) (any, error) {
		return s.Accounts.OfferFactor(ctx, host, r.token, accounts.FactorKind(r.kind))
	})
}

func (s *Server) finishFactor(c *fiber.Ctx) error {
	return s.answerFactor(c, func(ctx context.Context, r *factorRequest) (any, error) {
		return s.Accounts.AddFactor(ctx, r.token, accounts.NewFactor{
			Challenge: r.Challenge, Code: r.Code, Credential: r.Credential, Name: r.name,
		})
	})
}
