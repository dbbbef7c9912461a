package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/server/jsonlimit"
)

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

// readBody returns a copy of the whole body.
func readBody(c *fiber.Ctx, limit int64) ([]byte, error) {
	r, err := bodyReader(c, limit)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(r)
	if err != nil && fault.CodeOf(err) == fault.Internal {
		err = fault.Wrap(err, fault.InvalidRequest, "the body ended early")
	}
	return b, err
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
func readObject(c *fiber.Ctx) (object, error) {
	if t, _ := contentType(c); t != fiber.MIMEApplicationJSON {
		c.Context().SetConnectionClose()
		return nil, fault.New(fault.InvalidRequest, "the body's content type is unknown, expected application/json")
	}
	b, err := readBody(c, maxJSONBytes)
	if err != nil {
		return nil, err
	}
	if err := jsonlimit.Check(b); err != nil {
		return nil, err
	}
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

// texts decodes required string fields.
func (o object) texts(fields map[string]*string, order ...string) error {
	for _, f := range order {
		s, err := o.text(f, false)
		if err != nil {
			return err
		}
		*fields[f] = s
	}
	return nil
}
