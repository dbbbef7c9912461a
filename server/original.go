package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
)

// original answers with the source's bytes, unprocessed. It streams only the requested range from the storage.
func (s *Server) original(c *fiber.Ctx, p *picture) error {
	if imaging.IsRemote(p.request.Image) {
		return s.remoteOriginal(c, p, p.request.Image)
	}
	// The context of the request ends with this handler, but the stream continues.
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.UserContext()))
	object, err := s.openOriginal(ctx, cancel, p)
	if err != nil {
		cancel()
		if url, isRemote := withScheme(s.Remote, p.request.Image, err); isRemote {
			return s.remoteOriginal(c, p, url)
		}
		return err
	}
	done := func() {
		object.Close()
		cancel()
	}
	st := object.Stat()
	p.checkVersion(st.ETag)
	v := validators{tag: originalTag(st.ETag, st.Size), modified: seconds(st.Modified), original: true}
	s.cacheHeaders(c, p, v)
	if answered, err := s.precondition(c, v); answered {
		done()
		return err
	}
	head, err := headOf(object, st.Size)
	if err != nil {
		done()
		return err
	}
	return s.send(c, v, content{
		contentType: p.originalHeaders(c, head), size: st.Size, done: done,
		part: func(offset, length int64) (io.ReadCloser, error) { return storage.Part(object, offset, length) },
	})
}

// openOriginal opens the file within the load timeout and checks its size.
func (s *Server) openOriginal(ctx context.Context, cancel func(), p *picture) (storage.Object, error) {
	late := time.AfterFunc(s.config.LoadTimeout, cancel)
	object, err := files(ctx).Gallery.OpenImage(ctx, p.request.Image)
	if inTime := late.Stop(); !inTime {
		err = errors.Join(fault.New(fault.Timeout, "the storage took too long"), err)
	}
	if err == nil {
		err = checkBytes(object.Stat().Size, p.limits.MaxSourceBytes)
	}
	if err != nil && object != nil {
		object.Close()
	}
	return object, err
}

func (s *Server) remoteOriginal(c *fiber.Ctx, p *picture, url string) error {
	ctx, stop := requestContext(c, s.config.LoadTimeout)
	defer stop()
	o, err := s.fetch(ctx, p, url)
	if err != nil {
		return err
	}
	p.checkVersion(o.ETag)
	v := validators{tag: originalTag("remote "+o.ETag, int64(len(o.Data))), modified: seconds(o.ModTime),
		original: true}
	s.cacheHeaders(c, p, v)
	if answered, err := s.precondition(c, v); answered {
		return err
	}
	head := o.Data[:min(len(o.Data), imaging.SniffLength)]
	return s.send(c, v, content{contentType: p.originalHeaders(c, head), size: int64(len(o.Data)), data: o.Data})
}

// originalTag returns the ETag of an unprocessed source, which does not depend on the engine or the filters.
func originalTag(version string, size int64) string {
	return etagOf(fmt.Sprintf("original\n%s %d", version, size))
}

// seconds truncates a date to the precision of HTTP.
func seconds(at time.Time) time.Time { return at.Truncate(time.Second) }

// headOf returns the first bytes of an object, enough to detect its format.
func headOf(o storage.Object, size int64) ([]byte, error) {
	head := make([]byte, min(size, imaging.SniffLength))
	part, err := storage.Part(o, 0, int64(len(head)))
	if err != nil {
		return nil, err
	}
	defer part.Close()
	_, err = io.ReadFull(part, head)
	return head, err
}

// originalHeaders sets the headers that describe the source's bytes and returns their media type.
func (p *picture) originalHeaders(c *fiber.Ctx, head []byte) string {
	format := imaging.SniffFormat(head)
	p.contentHeaders(c, format)
	warningsHeader(c, p.warnings)
	if format == "" {
		return fiber.MIMEOctetStream
	}
	return format.ContentType()
}
