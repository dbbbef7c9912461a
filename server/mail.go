package server

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/mail"
)

// forgotPassword asks for a message that resets a password. The response is the same whether an account has the address
// or not.
func (s *Server) forgotPassword(c *fiber.Ctx) error {
	return s.answerTexts(c, []string{"email"}, []string{"language"},
		func(ctx context.Context, in map[string]string) (any, error) {
			if !s.config.Passwords {
				return nil, fault.New(fault.Forbidden, "password login is off, sign in through a provider")
			}
			return nil, s.Mail.RequestReset(ctx, in["email"], mail.Language(in["language"]))
		})
}

// resetPassword handles a link that resets a password: it sets the new password and logs the holder in.
func (s *Server) resetPassword(c *fiber.Ctx) error {
	return s.answerTexts(c, []string{"token", "password"}, []string{"language"},
		func(ctx context.Context, in map[string]string) (any, error) {
			return s.Accounts.ResetPassword(ctx, in["token"], in["password"], mail.Language(in["language"]))
		})
}

// confirmEmail handles a link that confirms an e-mail address.
func (s *Server) confirmEmail(c *fiber.Ctx) error {
	return s.answerTexts(c, []string{"token"}, []string{"language"},
		func(ctx context.Context, in map[string]string) (any, error) {
			address, err := s.Accounts.ConfirmEmail(ctx, in["token"], mail.Language(in["language"]))
			return fiber.Map{"email": address}, err
		})
}
