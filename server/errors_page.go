package server

import (
	"bytes"
	"embed"
	"encoding/json"
	"html/template"
	"strings"

	"github.com/gofiber/fiber/v2"
)

//go:embed *.html
var pageFiles embed.FS

// pages are the templates error.html and landing.html, and their style.
var pages = template.Must(template.ParseFS(pageFiles, "*.html"))

// opensPage reports whether a browser will show the response as a page: it accepts HTML, which it does not for images
// and scripts. The API always answers with JSON.
func opensPage(c *fiber.Ctx) bool {
	if c.Method() != fiber.MethodGet && c.Method() != fiber.MethodHead || strings.HasPrefix(rawPath(c), "/api/") {
		return false
	}
	if destination := c.Get("Sec-Fetch-Dest"); destination != "" && destination != "document" {
		return false
	}
	return acceptQualities(c.Get(fiber.HeaderAccept))[fiber.MIMETextHTML] > 0
}

// failPage answers with a page that shows the problem.
func (s *Server) failPage(c *fiber.Ctx, status int, problem failure) error {
	var page bytes.Buffer
	err := pages.ExecuteTemplate(&page, "error.html", map[string]any{
		"Status":    status,
		"Error":     problem.Error,
		"Message":   problem.Message,
		"Field":     problem.Field,
		"RequestID": problem.RequestID,
		"Home":      s.Web != nil,
	})
	if err != nil {
		return err
	}
	c.Vary(fiber.HeaderAccept)
	c.Set(fiber.HeaderContentSecurityPolicy,
		"default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; frame-ancestors 'none'; sandbox")
	c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	return c.Status(status).Send(page.Bytes())
}

// marshal is json.Marshal without HTML escapes, so that URLs and messages stay readable. Omitting the escapes is safe,
// because browsers do not interpret the responses as HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// robots keeps crawlers away from everything but pages and pictures.
func (s *Server) robots(c *fiber.Ctx) error {
	return s.document(c, fiber.MIMETextPlainCharsetUTF8, alwaysRevalidate,
		[]byte("User-agent: *\nDisallow: /api/\nDisallow: /params/\nDisallow: /playground\n"))
}
