package server

import (
	"fmt"
	"io"
	"sync"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/server/connection"
	"github.com/safelight/safelight/server/hotswap"
)

// content is the body of a response: in memory, or a range that is read from the storage.
type content struct {
	contentType string
	size        int64
	data        []byte
	part        func(offset, length int64) (io.ReadCloser, error) // opens a range in the storage; nil: use data
	// done is called once at the end, even if nothing is sent; may be nil.
	done func()
}

// send answers with the whole content or the requested range.
func (s *Server) send(c *fiber.Ctx, v validators, body content) error {
	c.Set(fiber.HeaderContentType, body.contentType)
	c.Set(fiber.HeaderAcceptRanges, "bytes")
	r, ok := requestedRange(c, v, body.size)
	switch {
	case !ok && c.Method() == fiber.MethodHead:
		defer body.finish()
		c.Response().Header.SetContentLength(int(body.size))
		return nil
	case !ok:
		return s.sendSpan(c, body, span{0, body.size})
	case r.length == 0:
		defer body.finish()
		return s.unsatisfiable(c, body.size)
	}
	c.Set(fiber.HeaderContentRange, r.contentRange(body.size))
	c.Status(fiber.StatusPartialContent)
	return s.sendSpan(c, body, r)
}

func (s *Server) unsatisfiable(c *fiber.Ctx, size int64) error {
	for _, h := range []string{fiber.HeaderContentDisposition, fiber.HeaderLastModified} {
		c.Response().Header.Del(h) // they would not describe the error
	}
	c.Set(fiber.HeaderContentRange, fmt.Sprintf("bytes */%d", size))
	return fault.New(fault.RangeNotSatisfiable, "the range is outside of the %d bytes of the content", size)
}

func (s *Server) sendSpan(c *fiber.Ctx, body content, r span) error {
	if body.part == nil {
		defer body.finish()
		connection.SetBody(c.Context(), body.data[r.offset:r.offset+r.length])
		return nil
	}
	part, err := body.part(r.offset, r.length)
	if err != nil {
		body.finish()
		c.Response().Header.Del(fiber.HeaderContentRange)
		return err
	}
	s.sendStream(c, &streamed{Reader: part, closers: []func(){func() { part.Close() }, body.finish}}, r.length)
	return nil
}

// sendStream hands a reader to the connection. The request counts as in progress until the reader is closed.
func (s *Server) sendStream(c *fiber.Ctx, r *streamed, length int64) {
	s.active.Add(1)
	held := hotswap.From[Files](c.UserContext())
	held.Again()
	r.closers = append(r.closers, held.Release, func() { s.active.Add(-1) })
	c.Context().SetBodyStream(r, int(length))
}

func (b content) finish() {
	if b.done != nil {
		b.done()
	}
}

// streamed is a body that the connection reads and closes.
type streamed struct {
	io.Reader
	once    sync.Once
	closers []func()
}

// Close frees the body's resources, once.
func (r *streamed) Close() error {
	r.once.Do(func() {
		for _, f := range r.closers {
			f()
		}
	})
	return nil
}

// document answers with the bytes of one of the server's own pages or files. It sets an ETag and handles conditions
// and a range.
func (s *Server) document(c *fiber.Ctx, contentType, cacheControl string, data []byte) error {
	v := validators{tag: etagOf("document\n" + contentType + "\n" + string(data))}
	v.set(c)
	c.Set(fiber.HeaderCacheControl, cacheControl)
	if answered, err := s.precondition(c, v); answered {
		return err
	}
	return s.send(c, v, content{contentType: contentType, size: int64(len(data)), data: data})
}

// The Cache-Control of documents that change with the version of the server, and of the files of pages.
const (
	alwaysRevalidate  = "no-cache"
	privateRevalidate = "private, no-cache" // for content that depends on the caller
	cacheOneHour      = "public, max-age=3600"
)
