package server

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"sync"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/server/connection"
	"github.com/safelight/safelight/server/hotswap"
)

// content is the body of a response: in memory, or read range by range from the storage.
type content struct {
	contentType string
	size        int64
	data        []byte
	part        func(offset, length int64) (io.ReadCloser, error) // opens a range of the storage; nil: use data
	// done is called once at the end, even if nothing is sent; nil: nothing to do.
	done func()
}

// send answers with the whole content or the requested ranges.
func (s *Server) send(c *fiber.Ctx, v validators, body content) error {
	c.Set(fiber.HeaderContentType, body.contentType)
	c.Set(fiber.HeaderAcceptRanges, "bytes")
	list, all := ranges(c, v, body.size)
	switch {
	case all && c.Method() == fiber.MethodHead:
		defer body.finish()
		c.Response().Header.SetContentLength(int(body.size))
		return nil
	case all:
		return s.sendSpan(c, body, span{0, body.size})
	case len(list) == 0:
		defer body.finish()
		return s.unsatisfiable(c, body.size)
	case len(list) == 1:
		c.Set(fiber.HeaderContentRange, list[0].contentRange(body.size))
		c.Status(fiber.StatusPartialContent)
		return s.sendSpan(c, body, list[0])
	}
	return s.sendParts(c, body, list)
}

func (s *Server) unsatisfiable(c *fiber.Ctx, size int64) error {
	for _, h := range []string{fiber.HeaderContentDisposition, fiber.HeaderLastModified} {
		c.Response().Header.Del(h) // they do not describe the error
	}
	c.Set(fiber.HeaderContentRange, fmt.Sprintf("bytes */%d", size))
	return s.fail(c, fault.New(fault.RangeNotSatisfiable, "the range is outside of the %d bytes of the content", size))
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
		return s.fail(c, err)
	}
	s.sendStream(c, &streamed{Reader: part, closers: []func(){func() { part.Close() }, body.finish}}, r.length)
	return nil
}

// sendParts answers with several ranges as multipart/byteranges. It opens each range when it starts to send it.
func (s *Server) sendParts(c *fiber.Ctx, body content, list []span) error {
	boundary := rand.Text()
	var readers []io.Reader
	var total int64
	text := func(format string, a ...any) {
		b := fmt.Appendf(nil, format, a...)
		total += int64(len(b))
		readers = append(readers, bytes.NewReader(b))
	}
	var opened []func()
	for _, r := range list {
		text("\r\n--%s\r\nContent-Type: %s\r\nContent-Range: %s\r\n\r\n", boundary, body.contentType,
			r.contentRange(body.size))
		total += r.length
		if body.part == nil {
			readers = append(readers, bytes.NewReader(body.data[r.offset:r.offset+r.length]))
			continue
		}
		lazy := &lazyPart{open: func() (io.ReadCloser, error) { return body.part(r.offset, r.length) }}
		opened = append(opened, lazy.close)
		readers = append(readers, lazy)
	}
	text("\r\n--%s--\r\n", boundary)
	c.Set(fiber.HeaderContentType, "multipart/byteranges; boundary="+boundary)
	c.Status(fiber.StatusPartialContent)
	s.sendStream(c, &streamed{Reader: io.MultiReader(readers...), closers: append(opened, body.finish)}, total)
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

// lazyPart opens a part at its first byte and closes it after its last.
type lazyPart struct {
	open func() (io.ReadCloser, error)
	r    io.ReadCloser
	done bool
}

// Read implements io.Reader.
func (l *lazyPart) Read(p []byte) (n int, err error) {
	if l.done {
		return 0, io.EOF
	}
	if l.r == nil {
		if l.r, err = l.open(); err != nil {
			l.done = true
			return 0, err
		}
	}
	if n, err = l.r.Read(p); err == io.EOF {
		l.close()
	}
	return n, err
}

func (l *lazyPart) close() {
	if l.r != nil && !l.done {
		l.r.Close()
	}
	l.done = true
}

// document answers with the bytes of a page or file of the server itself. It sets an ETag and handles conditions and
// ranges.
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
	alwaysRevalidate = "no-cache"
	cacheOneHour     = "public, max-age=3600"
)
