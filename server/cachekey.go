package server

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/imaging"
)

// keyBuilder builds cache keys. It formats what all keys share only once, which keeps cache hits cheap.
type keyBuilder struct {
	options string // the engine's version and the options that affect the bytes
	limits  string // the limits that decide whether there is a result
}

func newKeyBuilder(engine string, l imaging.Limits) keyBuilder {
	options := l.Options
	// formats vary by request, and threads do not change the bytes
	options.AutoFormat, options.Accept, options.Shown, options.Threads = nil, nil, nil, 0
	l.Options, l.Timeout = imaging.Options{}, 0
	return keyBuilder{options: fmt.Sprintf("%s\n%+v", engine, options), limits: fmt.Sprintf("%+v", l)}
}

// build returns the strong ETag and the cache key of the result of p, which need not exist yet. Both depend on the
// versions of all sources and uploaded fonts, the operations, the negotiated formats and the engine; the cache key
// depends on the limits and the labels too.
func (k keyBuilder) build(p *picture) (etag string, key cache.Key) {
	canonical := imaging.Request{Meta: p.request.Meta, Operations: p.request.Operations, Image: p.request.Image}
	var b strings.Builder
	b.Grow(512)
	b.WriteString(k.options)
	for _, source := range p.parts {
		b.WriteByte('\n')
		b.WriteString(source.version)
	}
	for _, font := range p.fonts {
		b.WriteByte('\n')
		b.WriteString(font.Version)
	}
	for _, list := range [][]imaging.Format{p.limits.AutoFormat, p.limits.Accept, p.limits.Shown} {
		b.WriteByte('\n')
		for _, f := range list {
			b.WriteString(string(f))
			b.WriteByte(' ')
		}
		if list != nil {
			b.WriteByte('.') // an empty list and no list give different results
		}
	}
	b.WriteByte('\n')
	b.WriteString(canonical.Path())
	h := sha256.Sum256([]byte(b.String()))
	return etagFromHash(h), cache.KeyOf(append([]string{k.limits, string(h[:])}, p.labels...)...)
}

// etagOf returns a strong ETag for content that the text identifies.
func etagOf(text string) string { return etagFromHash(sha256.Sum256([]byte(text))) }

func etagFromHash(h [sha256.Size]byte) string {
	return `"` + base64.RawURLEncoding.EncodeToString(h[:18]) + `"`
}
