package server

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// tag names the result before it is made: by its source and that source's version, what is done to
// it, what decides the format, and the engine.
func (p *picture) tag(engine string) string {
	h := sha256.New()
	named := imaging.Request{Meta: p.request.Meta, Operations: p.request.Operations, Image: p.request.Image}
	fmt.Fprintf(h, "%s\n%s\n%v\n%s", engine, strings.Join(p.versions, " "), p.limits.Options, named.Path())
	return `"` + base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:18]) + `"`
}

// matches reports whether an If-None-Match names the tag; weak comparison, as RFC 9110 has it there.
func matches(header, tag string) bool {
	if strings.TrimSpace(header) == "*" {
		return true
	}
	for header != "" {
		header = strings.TrimLeft(header, " \t,")
		one := strings.TrimPrefix(header, "W/")
		if !strings.HasPrefix(one, `"`) {
			return false
		}
		end := strings.IndexByte(one[1:], '"')
		if end < 0 {
			return false
		}
		if one[:end+2] == tag {
			return true
		}
		header = one[end+2:]
	}
	return false
}

// cacheHeaders sets what caches go by; it is the same on 200, 304 and HEAD.
func (s *Server) cacheHeaders(c *fiber.Ctx, p *picture) {
	c.Set(fiber.HeaderETag, p.etag)
	if p.private {
		c.Set(fiber.HeaderCacheControl, "private, no-cache")
		c.Vary(fiber.HeaderAuthorization)
		return
	}
	age := int64(s.config.MaxAge / time.Second)
	if n, ok := p.number("max_age"); ok {
		age = n
	}
	if at, ok := p.number("expire"); ok {
		age = min(age, max(0, (at-time.Now().UnixMilli())/1000))
	}
	c.Set(fiber.HeaderCacheControl, "public, max-age="+strconv.FormatInt(age, 10)+", no-transform")
}

// sandbox keeps a document from running anything, should a browser show it as one.
const sandbox = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

func (p *picture) resultHeaders(c *fiber.Ctx, r *imaging.Result) {
	c.Set(fiber.HeaderContentType, r.ContentType)
	raw := false
	for _, call := range p.calls {
		switch call.Name {
		case "raw":
			raw = true
		case "attachment":
			c.Set(fiber.HeaderContentDisposition, disposition(p.fileName(call.Text("name"), r.Format)))
		}
	}
	if raw || r.Format == imaging.SVG || r.Format == imaging.PDF {
		c.Set(fiber.HeaderContentSecurityPolicy, sandbox)
	}
	warningsHeader(c, r.Warnings)
}

// fileName is what a download is called: as asked, else as the source, with the result's extension.
func (p *picture) fileName(name string, f imaging.Format) string {
	if name == "" {
		name = path.Base(p.request.Image)
		if imaging.IsCanvas(p.request.Image) {
			name = "canvas"
		}
	}
	if got, ok := imaging.ParseFormat(path.Ext(name)); !ok || got != f {
		if ok {
			name = strings.TrimSuffix(name, path.Ext(name))
		}
		name += "." + f.Extension()
	}
	return name
}

// disposition writes an attachment's name as RFC 6266 has it: plain, and in full behind filename*.
func disposition(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || strings.ContainsRune(`"\/%;`, r) {
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
	for _, c := range p.calls {
		if c.Name == "raw" {
			return source, nil
		}
	}
	return imaging.OutputFormat(p.calls, source, p.limits.Options, s.Engine.Formats())
}
