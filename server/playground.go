package server

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
	"path"
	"strings"

	"github.com/gofiber/fiber/v2"
)

//go:embed playground/*.gz playground/page.*
var playgroundFiles embed.FS

// playgroundPolicy lets the page run only its own files and talk to this server. Inline styles are allowed because the
// editor sets style attributes.
const playgroundPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; " +
	"font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// playground answers with the GraphQL playground.
func (s *Server) playground(c *fiber.Ctx) error {
	page, err := playgroundFiles.ReadFile("playground/page.html")
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentSecurityPolicy, playgroundPolicy)
	return s.document(c, fiber.MIMETextHTMLCharsetUTF8, alwaysRevalidate, page)
}

// playgroundFile answers with a script or stylesheet of the playground.
func (s *Server) playgroundFile(c *fiber.Ctx) error {
	name := c.Params("file")
	types := map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}
	kind := types[path.Ext(name)]
	if kind == "" || strings.Contains(name, "/") {
		return noRoute(c)
	}
	if data, err := playgroundFiles.ReadFile("playground/" + name); err == nil {
		return s.document(c, kind, cacheOneHour, data)
	}
	packed, err := playgroundFiles.ReadFile("playground/" + name + ".gz")
	if err != nil {
		return noRoute(c)
	}
	c.Vary(fiber.HeaderAcceptEncoding)
	if c.AcceptsEncodings("gzip") == "gzip" {
		c.Set(fiber.HeaderContentEncoding, "gzip")
		return s.document(c, kind, cacheOneHour, packed)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	data, err := io.ReadAll(z)
	if err != nil {
		return err
	}
	return s.document(c, kind, cacheOneHour, data)
}
