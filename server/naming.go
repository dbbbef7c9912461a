package server

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/imaging"
)

// naming is what of a result's names is the same for every request: written once, for a hot result costs
// little else.
type naming struct {
	options string // the engine and the options: other bytes
	limits  string // what else decides whether there is a result
}

func newNaming(engine string, l imaging.Limits) naming {
	options := l.Options
	options.AutoFormat, options.Accept, options.Threads = nil, nil, 0 // the first two are the request's, threads change no byte
	l.Options, l.Timeout = imaging.Options{}, 0
	return naming{options: fmt.Sprintf("%s\n%+v", engine, options), limits: fmt.Sprintf("%+v", l)}
}

// name names the result before it is made: by its sources and their versions, what is done to them, what
// decides the format, and the engine. The tag is strong; the key is for the cache.
func (n naming) name(p *picture) (tag string, key cache.Key) {
	named := imaging.Request{Meta: p.request.Meta, Operations: p.request.Operations, Image: p.request.Image}
	var b strings.Builder
	b.Grow(512)
	b.WriteString(n.options)
	for _, one := range p.parts {
		b.WriteByte('\n')
		b.WriteString(one.version)
	}
	for _, list := range [][]imaging.Format{p.limits.AutoFormat, p.limits.Accept} {
		b.WriteByte('\n')
		for _, f := range list {
			b.WriteString(string(f))
			b.WriteByte(' ')
		}
		if list != nil {
			b.WriteByte('.') // an empty list is another answer than none
		}
	}
	b.WriteByte('\n')
	b.WriteString(named.Path())
	h := sha256.Sum256([]byte(b.String()))
	return shortTag(h), cache.KeyOf(n.limits, string(h[:]))
}

// tagOf is a strong entity tag for what the text names.
func tagOf(text string) string { return shortTag(sha256.Sum256([]byte(text))) }

func shortTag(h [sha256.Size]byte) string {
	return `"` + base64.RawURLEncoding.EncodeToString(h[:18]) + `"`
}
