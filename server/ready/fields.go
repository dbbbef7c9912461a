package ready

import (
	"bytes"

	"github.com/valyala/fasthttp"
)

// fields are the parts of a request that decide about its answer. They are views of its buffers.
type fields struct {
	uri, accept, origin, match []byte
	id                         []byte // X-Request-Id
}

// read returns the fields of a request. ok is false for a request whose answer may depend on more: another method or protocol, a body, a
// token, a range, conditions other than If-None-Match, hints, repeated or odd header lines.
func (c *Cache) read(r *fasthttp.RequestCtx) (f fields, ok bool) {
	h := &r.Request.Header
	f.uri = h.RequestURI()
	if !h.IsGet() || !h.IsHTTP11() {
		return f, false
	}
	lines := h.RawHeaders()
	for len(lines) > 0 {
		end := bytes.IndexByte(lines, '\n')
		if end < 1 || lines[end-1] != '\r' {
			return f, false
		}
		name, value, found := bytes.Cut(lines[:end-1], []byte(":"))
		lines = lines[end+1:]
		if !found {
			if len(lines) == 0 && len(name) == 0 { // the empty line that ends the header
				break
			}
			return f, false
		}
		if !f.take(name, bytes.Trim(value, " \t")) {
			return f, false
		}
	}
	if !c.config.Origin {
		f.origin = nil
	}
	return f, true
}

// take sets the field of that header line; false if it is one that only the routes know, or comes twice.
func (f *fields) take(name, value []byte) bool {
	var buffer [longest]byte
	if len(name) == 0 || name[0] == ' ' || name[0] == '\t' || name[len(name)-1] == ' ' || name[len(name)-1] == '\t' {
		return false
	}
	if len(name) > len(buffer) {
		return true
	}
	for i, b := range name {
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		buffer[i] = b
	}
	switch string(buffer[:len(name)]) {
	case "accept":
		return set(&f.accept, value)
	case "origin":
		return set(&f.origin, value)
	case "if-none-match":
		return set(&f.match, value)
	case "x-request-id":
		return set(&f.id, value)
	case "authorization", "range", "if-range", "if-match", "if-modified-since", "if-unmodified-since", "content-length", "transfer-encoding", "expect",
		"dpr", "width", "sec-ch-dpr", "sec-ch-width", "save-data":
		return false
	}
	return true
}

// longest is the length of the longest name that take knows.
const longest = len("if-unmodified-since")

func set(field *[]byte, value []byte) bool {
	if *field != nil || len(value) == 0 {
		return false
	}
	*field = value
	return true
}
