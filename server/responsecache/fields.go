package responsecache

import (
	"bytes"

	"github.com/valyala/fasthttp"
)

// fields are the parts of a request that select its response. They point into the request's buffers.
type fields struct {
	uri, accept, origin, match []byte
}

// read returns the fields of a request whose header lines are well formed. ok is false if the response may depend on
// more: another method or protocol, a body, a token, a range, a condition other than If-None-Match, a client hint, or
// a repeated header.
func (c *Cache) read(r *fasthttp.RequestCtx) (f fields, ok bool) {
	h := &r.Request.Header
	f.uri = h.RequestURI()
	if !h.IsGet() || !h.IsHTTP11() {
		return f, false
	}
	for lines := h.RawHeaders(); ; {
		line, rest, _ := bytes.Cut(lines, []byte("\n"))
		if len(line) < 2 { // the carriage return of the empty line at the end of the header
			break
		}
		lines = rest
		name, value, _ := bytes.Cut(line, []byte(":"))
		if !f.take(name, bytes.Trim(value, " \t\r")) {
			return f, false
		}
	}
	if !c.config.Origin {
		f.origin = nil
	}
	return f, true
}

// take sets the field of a header line. It returns false for a header that only the routes can handle, and for one that
// is repeated.
func (f *fields) take(name, value []byte) bool {
	var buffer [longest]byte
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
	case "authorization", "range", "if-range", "if-match", "if-modified-since", "if-unmodified-since",
		"content-length", "transfer-encoding", "expect",
		"dpr", "width", "sec-ch-dpr", "sec-ch-width", "save-data":
		return false
	}
	return true
}

// longest is the length of the longest header name in take.
const longest = len("if-unmodified-since")

func set(field *[]byte, value []byte) bool {
	if *field != nil || len(value) == 0 {
		return false
	}
	*field = value
	return true
}
