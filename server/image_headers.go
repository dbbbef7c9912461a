package server

import (
	"context"
	"errors"
	"net/url"
	"path"
	"strings"
	"time"
	"unicode"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/cost"
)

// newest returns the latest date of the sources in whole seconds. It is zero if there are no sources or the date of
// any source is unknown. It is also zero with uploaded fonts, because the date would go back once a font is deleted.
func newest(parts []part, fonts []imaging.Font) (last time.Time) {
	if len(fonts) > 0 {
		return last
	}
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

// sandboxPolicy is the Content-Security-Policy of uploads. It keeps browsers from running scripts in uploads, which
// would have the origin of the application, and therefore its session.
const sandboxPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

// result answers with a rendered picture, or the requested range of it.
func (s *Server) result(c *fiber.Ctx, p *picture, r *imaging.Result) error {
	p.contentHeaders(c, r.Format)
	warningsHeader(c, r.Warnings)
	return s.send(c, p.validators, content{contentType: r.ContentType, size: int64(len(r.Data)), data: r.Data})
}

// contentHeaders sets Content-Disposition for attachment(). The file name depends on the format.
func (p *picture) contentHeaders(c *fiber.Ctx, f imaging.Format) {
	for _, call := range p.calls {
		if call.Name == "attachment" {
			c.Set(fiber.HeaderContentDisposition, disposition(p.fileName(call.Text("name"), f)))
		}
	}
}

// fileName returns the name of a download: the requested name, or else the name of the source, with the extension of
// the result.
func (p *picture) fileName(name string, f imaging.Format) string {
	if name == "" {
		name = path.Base(p.request.Image)
		if imaging.IsCanvas(p.request.Image) {
			name = "canvas"
		}
		if p.sealed {
			name = "image"
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

// disposition returns a Content-Disposition for an attachment as RFC 6266 defines it: the name in ASCII, and in
// filename* if it has other characters. It removes folders and control characters.
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

// maxWarnings is the max length of the header X-Warnings in bytes.
const maxWarnings = 1024

func warningsHeader(c *fiber.Ctx, list []imaging.Warning) {
	if len(list) == 0 {
		return
	}
	text := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, strings.Join(messages(list), "; "))
	c.Set("X-Warnings", text[:min(len(text), maxWarnings)])
}

// headFormat returns the format of the result according to its plan, without decoding. It is empty if only decoding
// can tell the format. The error is the one that rendering would return.
func (s *Server) headFormat(ctx context.Context, p *picture) (imaging.Format, error) {
	result, err := plan(ctx, s.Engine, p.job())
	if errors.Is(err, errSizeUnknown) {
		return "", nil
	}
	if err == nil {
		err = cost.Of(result).Check(result.Request.Limits.Timeout)
	}
	if err == nil && result.Pending == imaging.PendingTrim {
		if result, err = result.Assumed(); fault.CodeOf(err) == fault.TooLarge {
			return "", nil // the trimmed picture may still be within the limits
		}
	}
	if err != nil || len(result.Encode) != 1 { // of several formats, the smallest result is sent
		return "", err
	}
	return result.Format(), nil
}
