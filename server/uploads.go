package server

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/uploads"
)

// Headers of the tus protocol 1.0.0 (https://tus.io/protocols/resumable-upload). The server supports the core protocol
// and the extensions creation, expiration and termination.
const (
	tusVersion    = "1.0.0"
	tusExtensions = "creation,expiration,termination"
	headerTus     = "Tus-Resumable"
	headerOffset  = "Upload-Offset"
	headerLength  = "Upload-Length"
	headerExpires = "Upload-Expires"
	headerPath    = "Upload-Path" // path of the finished file, percent-encoded; not part of tus
	mediaOffset   = "application/offset+octet-stream"
)

// uploadPath is the route of an upload.
const uploadPath = "/api/uploads/:id"

// uploadRoutes are the handlers of uploads.
type uploadRoutes struct{ *Server }

// register registers the routes. Creating an upload requires a token; after that, its id is the credential.
func (s uploadRoutes) register() {
	const create, path = "/api/uploads/", uploadPath
	s.app.Post(create, s.guard(), s.checkTusVersion, tus(s.uploadCreate))
	s.app.Options(create, s.uploadOptions("OPTIONS, POST"))
	s.app.Put(path, tus(s.uploadPut))
	s.app.Patch(path, s.checkTusVersion, tus(s.uploadPatch))
	s.app.Head(path, tus(s.uploadHead))
	s.app.Delete(path, tus(s.uploadDelete))
	s.app.Options(path, s.uploadOptions("DELETE, HEAD, OPTIONS, PATCH, PUT"))
}

// tus sets the header of every answer about an upload. A handler that fails may have left the body unread.
func tus(next fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		c.Set(headerTus, tusVersion)
		err := next(c)
		if err != nil {
			c.Context().SetConnectionClose()
		}
		return err
	}
}

// uploadPut accepts a whole file, or the next chunk of one with Content-Range.
func (s uploadRoutes) uploadPut(c *fiber.Ctx) error {
	start := uploads.FromStart
	if r := c.Get(fiber.HeaderContentRange); r != "" {
		var ok bool
		if start, ok = rangeStart(r); !ok {
			return fault.New(fault.InvalidRequest,
				"the header Content-Range is malformed, expected bytes FIRST-LAST/SIZE")
		}
	}
	return s.receive(c, start)
}

// rangeStart returns the first byte of `bytes 5-9/10`, `bytes 5-9/*` and `bytes 5-*/10`.
func rangeStart(header string) (int64, bool) {
	rest, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(header)), "bytes ")
	first, _, dash := strings.Cut(rest, "-")
	n, err := strconv.ParseInt(strings.TrimSpace(first), 10, 64)
	return n, ok && dash && err == nil && n >= 0
}

// uploadPatch accepts the next chunk as tus defines it.
func (s uploadRoutes) uploadPatch(c *fiber.Ctx) error {
	start, err := patchStart(c)
	if err != nil {
		return err
	}
	return s.receive(c, start)
}

// patchStart returns the offset of the bytes of a PATCH.
func patchStart(c *fiber.Ctx) (int64, error) {
	if kind, _ := contentType(c); kind != mediaOffset {
		return 0, fault.New(fault.UnsupportedType, "the body's content type is unknown, expected %s", mediaOffset)
	}
	start, err := strconv.ParseInt(c.Get(headerOffset), 10, 64)
	if err != nil || start < 0 {
		return 0, fault.New(fault.InvalidRequest, "the header %s is missing or not a number of bytes", headerOffset)
	}
	return start, nil
}

// receive stores the body. When the client disconnects, it keeps the bytes that have arrived.
func (s uploadRoutes) receive(c *fiber.Ctx, start int64) error {
	ctx := c.UserContext()
	u, err := files(ctx).Uploads.UploadProgress(ctx, c.Params("id"))
	if err != nil {
		return err
	}
	if n := int64(c.Request().Header.ContentLength()); n > u.SizeBytes-max(start, 0) {
		progress(c, u)
		return fault.New(fault.TooLarge, "%d bytes from offset %d exceed the file size of %d",
			n, max(start, 0), u.SizeBytes)
	}
	u, err = files(ctx).Uploads.ReceiveUpload(ctx, u.ID, start, uploadBody(c))
	if err == nil {
		err = s.finishTus(ctx, u)
	}
	if u != nil {
		progress(c, u)
	}
	if err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusNoContent)
}

// progress sets the headers that describe the state of an upload.
func progress(c *fiber.Ctx, u *uploads.PendingUpload) {
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set(headerOffset, strconv.FormatInt(u.ReceivedBytes, 10))
	c.Set(headerLength, strconv.FormatInt(u.SizeBytes, 10))
	c.Set(headerExpires, u.ExpiresAt.UTC().Format(http.TimeFormat))
	if u.FinalPath != nil {
		c.Set(headerPath, (&url.URL{Path: *u.FinalPath}).EscapedPath())
	}
}

// uploadHead returns the offset at which to resume.
func (s uploadRoutes) uploadHead(c *fiber.Ctx) error {
	u, err := files(c.UserContext()).Uploads.UploadProgress(c.UserContext(), c.Params("id"))
	if err != nil {
		return err
	}
	err = s.finishTus(c.UserContext(), u) // an earlier attempt may have failed
	progress(c, u)
	if err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusOK)
}

// uploadOptions answers with the supported protocol version and extensions.
func (s uploadRoutes) uploadOptions(allowed string) fiber.Handler {
	return func(c *fiber.Ctx) error {
		c.Set(headerTus, tusVersion)
		c.Set("Tus-Version", tusVersion)
		c.Set("Tus-Extension", tusExtensions)
		if n := s.config.Limits.MaxSourceBytes; n > 0 {
			c.Set("Tus-Max-Size", strconv.FormatInt(n, 10))
		}
		c.Set(fiber.HeaderAllow, allowed)
		return c.SendStatus(fiber.StatusNoContent)
	}
}

// uploadDelete abandons an upload.
func (s uploadRoutes) uploadDelete(c *fiber.Ctx) error {
	if err := files(c.UserContext()).Uploads.AbandonUpload(c.UserContext(), c.Params("id")); err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusNoContent)
}

// uploadBody returns the body, which may pause longer than other bodies.
func uploadBody(c *fiber.Ctx) io.Reader {
	b := bodyOf(c)
	if b == nil {
		return bytes.NewReader(nil)
	}
	b.timeout = uploadTimeout
	return b
}
