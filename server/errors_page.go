package server

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"html"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"
)

//go:embed error.html
var errorPage string

// opensPage reports whether a browser shows the response as a page: it asks for HTML, which images and scripts never
// do. The API always answers with JSON.
func opensPage(c *fiber.Ctx) bool {
	if c.Method() != fiber.MethodGet && c.Method() != fiber.MethodHead || strings.HasPrefix(rawPath(c), "/api/") {
		return false
	}
	if destination := c.Get("Sec-Fetch-Dest"); destination != "" && destination != "document" {
		return false
	}
	return acceptQualities(c.Get(fiber.HeaderAccept))[fiber.MIMETextHTML] > 0
}

// failPage answers with the problem as a page.
func (s *Server) failPage(c *fiber.Ctx, status int, problem failure) error {
	field, home := "", ""
	if problem.Field != "" {
		field = "<p>Field: <code>" + html.EscapeString(problem.Field) + "</code></p>"
	}
	if s.Web != nil {
		home = `<p><a href="/">Open the gallery</a></p>`
	}
	page := strings.NewReplacer("{{.Status}}", strconv.Itoa(status), "{{.Error}}",
		html.EscapeString(string(problem.Error)), "{{.Message}}", html.EscapeString(problem.Message),
		// html/template is 0.3 MB of the program
		"{{.Field}}", field, "{{.Home}}", home, "{{.RequestID}}", html.EscapeString(problem.RequestID)).Replace(errorPage)
	c.Vary(fiber.HeaderAccept)
	c.Set(fiber.HeaderContentSecurityPolicy,
		"default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; frame-ancestors 'none'; sandbox")
	c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	return c.Status(status).SendString(page)
}

// marshal is json.Marshal without HTML escapes: URLs and messages stay readable. No browser takes the response for
// HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// robots keeps crawlers away from what is no page and no picture.
func (s *Server) robots(c *fiber.Ctx) error {
	return s.document(c, fiber.MIMETextPlainCharsetUTF8, askEachTime,
		[]byte("User-agent: *\nDisallow: /api/\nDisallow: /params/\nDisallow: /playground\n"))
}
