package server

import (
	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/mail"
)

// forgotPassword asks for a message that resets a password. The response is the same whether an account has the address
// or not.
func (s *Server) forgotPassword(c *fiber.Ctx) error {
	o, err := s.readObject(c)
	if err != nil {
		return s.fail(c, err)
	}
	address, err := o.text("email", false)
	if err != nil {
		return s.fail(c, err)
	}
	language, err := o.text("language", true)
	if err != nil {
		return s.fail(c, err)
	}
	if !s.config.Passwords {
		return s.fail(c, fault.New(fault.Forbidden, "password login is off, sign in through a provider"))
	}
	ctx, stop := loginContext(c)
	defer stop()
	if err := s.Mail.RequestReset(ctx, address, mail.Language(language)); err != nil {
		return s.fail(c, err)
	}
	return c.SendStatus(fiber.StatusNoContent)
}

// resetPassword handles a link that resets a password: it sets the new password and logs the holder in.
func (s *Server) resetPassword(c *fiber.Ctx) error {
	o, err := s.readObject(c)
	if err != nil {
		return s.fail(c, err)
	}
	var token, password string
	err = o.texts(map[string]*string{"token": &token, "password": &password}, "token", "password")
	if err != nil {
		return s.fail(c, err)
	}
	language, err := o.text("language", true)
	if err != nil {
		return s.fail(c, err)
	}
	ctx, stop := loginContext(c)
	defer stop()
	session, err := s.Accounts.ResetPassword(ctx, token, password, mail.Language(language))
	return s.session(c, fiber.StatusOK, session, err)
}

// confirmEmail handles a link that confirms an e-mail address.
func (s *Server) confirmEmail(c *fiber.Ctx) error {
	o, err := s.readObject(c)
	if err != nil {
		return s.fail(c, err)
	}
	token, err := o.text("token", false)
	if err != nil {
		return s.fail(c, err)
	}
	language, err := o.text("language", true)
	if err != nil {
		return s.fail(c, err)
	}
	ctx, stop := loginContext(c)
	defer stop()
	address, err := s.Accounts.ConfirmEmail(ctx, token, mail.Language(language))
	if err != nil {
		return s.fail(c, err)
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	return c.JSON(fiber.Map{"email": address})
}
