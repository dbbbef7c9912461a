package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"os"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/server/admission"
	"github.com/safelight/safelight/server/connection"
	"github.com/safelight/safelight/server/limits"
)

// bodyLimit returns how many bytes of a body are read into memory. The files of a GraphQL form and the bytes of an
// upload are not: the server checks the token or the upload id, and then writes them to storage as they arrive, up to
// the size limits for files.
func bodyLimit(c *fiber.Ctx) int64 {
	if c.Route().Path == graphQLPath && !auth.FromContext(c.UserContext()).IsAnonymous() {
		return maxJSONBytes
	}
	return maxAnonymousBytes
}

// bodyReader returns the body as a stream that fails with fault.TooLarge beyond limit bytes.
func bodyReader(c *fiber.Ctx, limit int64) (io.Reader, error) {
	if n := c.Request().Header.ContentLength(); int64(n) > limit {
		c.Context().SetConnectionClose()
		return nil, tooLarge(limit)
	}
	var r io.Reader = bytes.NewReader(nil)
	if b := bodyOf(c); b != nil {
		r = b
	}
	return &boundedReader{c: c, r: r, left: limit, limit: limit}, nil
}

func tooLarge(limit int64) error {
	return fault.New(fault.TooLarge, "the body is larger than %d bytes", limit)
}

type boundedReader struct {
	c           *fiber.Ctx
	r           io.Reader
	left, limit int64
}

// Read implements io.Reader.
func (b *boundedReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		b.c.Context().SetConnectionClose()
		return 0, tooLarge(b.limit)
	}
	return n, err
}

// readBody returns the whole body, up to the limit of its route. The bytes over maxAnonymousBytes count against the
// memory for bodies until the request ends. It returns fault.TooLarge over the limit, fault.Overloaded if the memory is
// used up, and fault.InvalidRequest if the body does not arrive completely.
func (s *Server) readBody(c *fiber.Ctx) ([]byte, error) {
	limit := bodyLimit(c)
	r, err := bodyReader(c, limit)
	if err != nil {
		return nil, err
	}
	if limit <= maxAnonymousBytes {
		connection.SetBusy(c.Context(), false)
		defer connection.SetBusy(c.Context(), true)
	}
	return s.readAll(c, r)
}

// readAll reads r, which must be bounded, into memory.
func (s *Server) readAll(c *fiber.Ctx, r io.Reader) (b []byte, err error) {
	b = make([]byte, 0, 512)
	for {
		if len(b) == cap(b) {
			if b, err = s.grown(c, b); err != nil {
				return nil, err
			}
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			return b, nil
		default:
			return nil, unfinished(c, err)
		}
	}
}

// grown returns b with twice the capacity.
func (s *Server) grown(c *fiber.Ctx, b []byte) ([]byte, error) {
	if 2*cap(b) > maxAnonymousBytes {
		if err := s.holdBody(c, int64(cap(b))); err != nil {
			return nil, err
		}
	}
	return append(make([]byte, 0, 2*cap(b)), b...), nil
}

// unfinished returns the error for a body that did not arrive completely.
func unfinished(c *fiber.Ctx, err error) error {
	c.Context().SetConnectionClose()
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fault.Wrap(err, fault.InvalidRequest, "the body arrived too slowly, expected at least %d bytes in %s",
			minBodyProgress, bodyTimeout)
	case fault.CodeOf(err) == fault.Internal:
		return fault.Wrap(err, fault.InvalidRequest, "the body ended early")
	}
	return err
}

// localHeld holds how many bytes holdBody has counted for the request.
const localHeld = "held"

// holdBody counts n bytes against the memory for bodies until the request ends. It returns fault.Overloaded if too
// little of that memory is free.
func (s *Server) holdBody(c *fiber.Ctx, n int64) error {
	if used := s.bodyBytes.Add(n); s.config.Memory > 0 && used > s.config.Memory/bodiesShare {
		s.bodyBytes.Add(-n)
		c.Context().SetConnectionClose()
		return admission.Overloaded(time.Second,
			"the bodies of other requests use all of the memory for bodies, try again later")
	}
	held, _ := c.Locals(localHeld).(int64)
	c.Locals(localHeld, held+n)
	return nil
}

// releaseBodies subtracts what holdBody has counted for the request.
func (s *Server) releaseBodies(c *fiber.Ctx) {
	if held, ok := c.Locals(localHeld).(int64); ok {
		s.bodyBytes.Add(-held)
	}
}

// contentType returns the media type of the body, in lower case and without parameters; empty if there is none.
func contentType(c *fiber.Ctx) (string, map[string]string) {
	t, params, err := mime.ParseMediaType(c.Get(fiber.HeaderContentType))
	if err != nil {
		return "", nil
	}
	return t, params
}

// object is a JSON object whose fields are decoded one by one, so that an error can name the field.
type object map[string]json.RawMessage

// readObject decodes a body that must be one JSON object.
func (s *Server) readObject(c *fiber.Ctx) (object, error) {
	if t, _ := contentType(c); t != fiber.MIMEApplicationJSON {
		c.Context().SetConnectionClose()
		return nil, fault.New(fault.InvalidRequest, "the body's content type is unknown, expected application/json")
	}
	b, err := s.readBody(c)
	if err != nil {
		return nil, err
	}
	if err := limits.CheckJSON(b); err != nil {
		return nil, err
	}
	return parseObject(b)
}

// parseObject decodes one JSON object and nothing else.
func parseObject(b []byte) (object, error) {
	var o object
	d := json.NewDecoder(bytes.NewReader(b))
	if err := d.Decode(&o); err != nil || o == nil {
		return nil, fault.New(fault.InvalidRequest, "the body is not JSON, expected an object")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fault.New(fault.InvalidRequest, "the body has extra data after the JSON object")
	}
	return o, nil
}

// text decodes a field that must be a string; a missing field is an error unless it is optional.
func (o object) text(field string, optional bool) (string, error) {
	raw, ok := o[field]
	if !ok || string(raw) == "null" {
		if optional {
			return "", nil
		}
		return "", fault.OnField(fault.InvalidRequest, field, "field %s is missing, expected a string", field)
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", fault.OnField(fault.InvalidRequest, field, "field %s has the wrong type, expected a string", field)
	}
	if s == "" && !optional {
		return "", fault.OnField(fault.InvalidRequest, field, "field %s is empty", field)
	}
	return s, nil
}

// texts decodes string fields. A missing optional field is empty.
func (o object) texts(required, optional []string) (map[string]string, error) {
	in := map[string]string{}
	for i, field := range slices.Concat(required, optional) {
		var err error
		if in[field], err = o.text(field, i >= len(required)); err != nil {
			return nil, err
		}
	}
	return in, nil
}
