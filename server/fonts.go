package server

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
)

// fontPath is the route of an uploaded font.
const fontPath = "/api/fonts/:id"

// fontCopies is how much memory reading a font takes, as a multiple of its size: PostgreSQL sends the bytes in
// hexadecimal.
const fontCopies = 3

func (s *Server) fontRoutes() {
	s.app.Get(fontPath, s.guard(), s.font)
}

// font sends the file of an uploaded font, so that the editor can show texts in it. The id is derived from its bytes.
func (s *Server) font(c *fiber.Ctx) error {
	if !auth.FromContext(c.UserContext()).Has(auth.ScopeWrite) {
		return fault.New(fault.Forbidden, "fonts need a token of scope write")
	}
	font, err := s.Fonts.Get(c.Params("id"))
	if err != nil {
		return err
	}
	ctx, stop := requestContext(c, s.config.GraphQLTimeout)
	defer stop()
	loan := s.work.Lend()
	if err := loan.Take(ctx, fontCopies*font.SizeBytes); err != nil {
		return err
	}
	data, err := s.Fonts.File(ctx, font.ID)
	if err != nil {
		loan.Release()
		return err
	}
	c.Set(fiber.HeaderContentType, "font/"+strings.ToLower(string(font.Format)))
	c.Set(fiber.HeaderCacheControl, "private, max-age=31536000, immutable")
	c.Response().SetBodyRaw(data)
	s.sendLent(c, loan)
	return nil
}
