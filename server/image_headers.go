package server

import (
	"net/url"
	"path"
	"strings"
	"time"
	"unicode"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// newest returns the last of the parts' dates in whole seconds; zero when there are none or one is not known.
func newest(parts []part) (last time.Time) {
	for _, one := range parts {
		if one.modified.IsZero() {
			return one.modified
		}
		if one.modified.After(last) {
			last = one.modified
		}
	}
	return seconds(last)
}

// sandbox keeps a document from running anything, should a browser show it as one.
const sandbox = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

// result answers with a finished picture, or the part of it that was asked for.
func (s *Server) result(c *fiber.Ctx, p *picture, r *imaging.Result) error {
	p.contentHeaders(c, r.Format)
	warningsHeader(c, r.Warnings)
	return s.send(c, p.validators, content{contentType: r.ContentType, size: int64(len(r.Data)), data: r.Data})
}

// contentHeaders sets what goes with bytes of that format, besides the media type.
func (p *picture) contentHeaders(c *fiber.Ctx, f imaging.Format) {
	for _, call := range p.calls {
		if call.Name == "attachment" {
			c.Set(fiber.HeaderContentDisposition, disposition(p.fileName(call.Text("name"), f)))
		}
	}
	if p.has("raw") || f == imaging.SVG || f == imaging.PDF {
		c.Set(fiber.HeaderContentSecurityPolicy, sandbox)
	}
}

// fileName is what a download is called: as asked, else as the source, with the result's extension.
func (p *picture) fileName(name string, f imaging.Format) string {
	if name == "" {
		name = path.Base(p.request.Image)
		if imaging.IsCanvas(p.request.Image) {
			name = "canvas"
		}
	}
	if f == "" {
		return name
	}
	if got, ok := imaging.ParseFormat(path.Ext(name)); !ok || got != f {
		if ok {
			name = strings.TrimSuffix(name, path.Ext(name))
		}
		name += "." + f.Extension()
	}
	return name
}

// disposition writes an attachment's name as RFC 6266 has it: in plain ASCII, and in full behind filename*
// where that differs. A name is one name: no folder and no control character is let through.
func disposition(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '/' || r == '\\' || unicode.Is(unicode.Bidi_Control, r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
	plain := strings.Map(func(r rune) rune {
		if r > '~' || strings.ContainsRune(`"%;`, r) {
			return '_'
		}
		return r
	}, name)
	d := `attachment; filename="` + plain + `"`
	if plain != name {
		d += "; filename*=UTF-8''" + strings.ReplaceAll(url.QueryEscape(name), "+", "%20")
	}
	return d
}

// maxWarnings is how long the header gets at most.
const maxWarnings = 1024

func warningsHeader(c *fiber.Ctx, list []imaging.Warning) {
	if len(list) == 0 {
		return
	}
	parts := make([]string, len(list))
	for i, w := range list {
		parts[i] = w.String()
	}
	text := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, strings.Join(parts, "; "))
	c.Set("X-Warnings", text[:min(len(text), maxWarnings)])
}

// headFormat tells the result's format from the source's first bytes; empty where only the pixels
// decide.
func (s *Server) headFormat(p *picture) (imaging.Format, error) {
	source := imaging.PNG
	head, err := p.head()
	if err != nil {
		return "", err
	}
	if p.source.Canvas == nil {
		if source = imaging.SniffFormat(head); source == "" {
			return "", fault.New(fault.UnsupportedType, "the source is no picture that this server reads")
		}
	}
	return imaging.OutputFormat(p.calls, source, p.limits.Options, s.Engine.Formats())
}
