package ready

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/valyala/fasthttp"
)

// fields are the parts of a request that decide about its answer. They are views of its buffers.
type fields struct {
	uri, accept, origin, match []byte
	id                         []byte // X-Request-Id

	host, connection, forwarded []byte // the last lines of Host, Connection and X-Forwarded-For
	odd                         bool   // one of them comes twice, or there is a line that fasthttp may reject
}

// read returns the fields of a request. ok is false for a request whose answer may depend on more: another method or protocol, a body, a
// token, a range, conditions other than If-None-Match, hints, repeated or odd header lines.
func (c *Cache) read(r *fasthttp.RequestCtx) (f fields, ok bool) {
	h := &r.Request.Header
	f.uri = h.RequestURI()
	if !h.IsGet() || !h.IsHTTP11() || !f.takeLines(h.RawHeaders()) {
		return f, false
	}
	c.leaveOut(&f)
	return f, true
}

// parse is read for the bytes of one request, which ends with its header. If fasthttp has accepted the URI before, it reads what parse accepts as the same
// request; a fuzz test holds that. What is rare is left to fasthttp: hosts other than a name with a port, Connection other than keep-alive, tabs and letters
// beyond ASCII in values.
func (c *Cache) parse(request []byte) (f fields, ok bool) {
	const before, after = "GET /", " HTTP/1.1\r\n"
	first := bytes.IndexByte(request, '\n') + 1
	if first < len(before)+len(after) || string(request[:len(before)]) != before || string(request[first-len(after):first]) != after {
		return f, false
	}
	f.uri = request[len(before)-1 : first-len(after)]
	lines := request[first:]
	if !bytes.HasSuffix(lines, []byte("\r\n\r\n")) || !f.takeLines(lines) || f.odd || !isHost(f.host) || f.connection != nil && !strings.EqualFold(string(f.connection), "keep-alive") {
		return f, false
	}
	c.leaveOut(&f)
	return f, true
}

// leaveOut removes what no answer depends on.
func (c *Cache) leaveOut(f *fields) {
	if !c.config.Origin {
		f.origin = nil
	}
}

// takeLines sets the fields of header lines; false if take says so, or a line is odd.
func (f *fields) takeLines(lines []byte) bool {
	for len(lines) > 0 {
		end := bytes.IndexByte(lines, '\n')
		if end < 1 || lines[end-1] != '\r' {
			return false
		}
		line := lines[:end-1]
		lines = lines[end+1:]
		if len(line) == 0 { // it ends the header
			return len(lines) == 0
		}
		colon := bytes.IndexByte(line, ':')
		if colon < 0 || !f.take(line[:colon], trimmed(line[colon+1:])) {
			return false
		}
	}
	return true
}

// take sets the field of that header line; false if it is one that only the routes know, or comes twice.
func (f *fields) take(name, value []byte) bool {
	var buffer [longest]byte
	if len(name) == 0 {
		return false
	}
	for i, b := range name {
		b = letters[b]
		if b == 0 {
			return false
		}
		if i < len(buffer) {
			buffer[i] = b
		}
	}
	f.odd = f.odd || !isPlain(value)
	if len(name) > len(buffer) {
		return true
	}
	switch string(buffer[:len(name)]) {
	case "host":
		f.once(&f.host, value)
	case "connection":
		f.once(&f.connection, value)
	case "x-forwarded-for":
		f.once(&f.forwarded, value)
	case "trailer":
		f.odd = true
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

func (f *fields) once(field *[]byte, value []byte) {
	f.odd = f.odd || *field != nil
	*field = value
}

// trimmed returns a value without the spaces around it.
func trimmed(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// letters are those of the names of headers, in lower case; the others are 0.
var letters = func() (all [256]byte) {
	for _, b := range []byte("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz") {
		all[b] = b
		if 'a' <= b && b <= 'z' {
			all[b-'a'+'A'] = b
		}
	}
	return all
}()

// isPlain reports whether all letters are ASCII and print, eight at a time.
func isPlain(b []byte) bool {
	const each = 0x0101010101010101
	for ; len(b) >= 8; b = b[8:] {
		// the highest bit of a byte is set by itself from 0x80 on, by the sum from 0x7f on, by the difference below 0x20
		if x := binary.LittleEndian.Uint64(b); (x|(x+each)|(x-0x20*each))&(0x80*each) != 0 {
			return false
		}
	}
	for _, c := range b {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// isHost reports whether a host is a name or an IPv4 address, with or without a port.
func isHost(b []byte) bool {
	name, port, found := bytes.Cut(b, []byte(":"))
	for _, c := range name {
		if small := c | 0x20; (small < 'a' || small > 'z') && (c < '0' || c > '9') && c != '-' && c != '.' && c != '_' {
			return false
		}
	}
	for _, c := range port {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(name) > 0 && (!found || len(port) > 0)
}
