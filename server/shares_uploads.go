package server

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/shares"
	"github.com/safelight/safelight/uploads"
)

// Visitors of a link add files with tus, as accounts do, on routes below the link. The id of an upload is not a
// sufficient credential here: each request also needs a visit of the link.
const (
	shareUploadsPath = sharePath + "/uploads"
	shareUploadPath  = shareUploadsPath + "/:id"
)

// maxShareUploads is the max number of requests with file bytes that visitors of all links may send at once. One
// network may use a quarter of them.
const maxShareUploads = 32

// maxShareSends is how many requests a minute begin, continue or end uploads of visitors from one network. Each of
// these requests writes to the database, and each one with bytes, however few, stores a part.
const maxShareSends = 600

// recheckBytes is how many bytes of a request are stored before the link is checked again.
const recheckBytes = 8 << 20

// shareUploadTime is how long size bytes of a visitor may take to arrive. The request occupies one of maxShareUploads
// during that time.
func shareUploadTime(size int64) time.Duration {
	return 2*time.Minute + time.Duration(size>>15)*time.Second // 32 KiB a second
}

func (s shareRoutes) registerUploads() {
	routes := uploadRoutes(s)
	s.app.Post(shareUploadsPath, s.uploader(s.createUpload)...)
	s.app.Options(shareUploadsPath, routes.uploadOptions("OPTIONS, POST"))
	s.app.Patch(shareUploadPath, s.uploader(s.patchUpload)...)
	s.app.Head(shareUploadPath, s.uploader(s.headUpload)...)
	s.app.Delete(shareUploadPath, s.uploader(s.deleteUpload)...)
	s.app.Options(shareUploadPath, routes.uploadOptions("DELETE, HEAD, OPTIONS, PATCH"))
}

// uploading is a request of a visitor who adds files.
type uploading struct {
	*shares.Visitor
	uploads *uploads.Uploads
	// again returns the visitor's current context, or an error if they may no longer add files.
	again func() (context.Context, error)
}

// uploader passes requests of visitors who may add files. The context of the request is then that of shares.Uploader.
func (s shareRoutes) uploader(next func(*fiber.Ctx, uploading) error) []fiber.Handler {
	headers := func(c *fiber.Ctx) error {
		c.Set("X-Robots-Tag", "noindex")
		c.Set(fiber.HeaderCacheControl, "no-store")
		c.Set(headerTus, tusVersion)
		return c.Next()
	}
	admit := func(c *fiber.Ctx) error {
		if c.Method() != fiber.MethodHead {
			if err := s.shareSends.Allow(s.address(c)); err != nil {
				return err
			}
		}
		ctx := c.UserContext()
		all := files(ctx)
		key, token := c.Params("key"), c.Cookies(visitCookie)
		within, v, err := all.Shares.Uploader(ctx, key, token)
		if err != nil {
			return err
		}
		c.SetUserContext(within)
		return next(c, uploading{
			Visitor: v,
			uploads: all.Uploads.OfLink(v.Share.ID, all.Shares),
			again: func() (context.Context, error) {
				within, _, err := all.Shares.Uploader(ctx, key, token)
				return within, err
			},
		})
	}
	return []fiber.Handler{headers, uploadRoutes(s).checkTusVersion, refusing(tus(admit))}
}

// shareProgress sets the headers that describe an upload. Unlike those of accounts, they do not name its path:
// visitors know only paths relative to the shared folder, and a changed name would reveal that a file with the
// original name exists.
func shareProgress(c *fiber.Ctx, u *uploads.PendingUpload) {
	progress(c, u)
	c.Response().Header.Del(headerPath)
}

// createUpload starts the upload of a file to the shared folder, or to a folder in it. The metadata are folder, which
// may be missing, and filename. clientKey is as in uploads.CreateUploadInput.
func (s shareRoutes) createUpload(c *fiber.Ctx, u uploading) error {
	in, meta, err := parseCreation(c)
	if err != nil {
		return err
	}
	if in.Path, err = u.NewFile(meta["folder"], meta["filename"]); err != nil {
		return err
	}
	in.OnConflict = gallery.ConflictRename
	if key := meta["clientKey"]; key != "" {
		in.ClientKey = &key
	}
	p, err := u.uploads.CreateUpload(c.UserContext(), in)
	if err != nil {
		return err
	}
	shareProgress(c, p)
	c.Response().Header.Del(headerLength)
	c.Set(fiber.HeaderLocation, s.Signing.BasePath()+"/s/"+c.Params("key")+"/uploads/"+p.ID)
	return c.SendStatus(fiber.StatusCreated)
}

// patchUpload stores the next bytes. The last ones finish the upload.
func (s shareRoutes) patchUpload(c *fiber.Ctx, u uploading) error {
	ctx := c.UserContext()
	start, err := patchStart(c)
	if err != nil {
		return err
	}
	p, err := u.uploads.UploadProgress(ctx, c.Params("id"))
	if err == nil {
		err = u.uploads.CheckLink(ctx, p.ID)
	}
	if err != nil {
		return err
	}
	size := int64(c.Request().Header.ContentLength())
	if size > p.SizeBytes-start {
		shareProgress(c, p)
		return fault.New(fault.TooLarge, "%d bytes from offset %d exceed the file size", size, start)
	}
	leave, err := s.shareUploads.Enter(networkOf(ctx))
	if err != nil {
		return err
	}
	defer leave()
	body := uploadBody(c)
	if b := bodyOf(c); b != nil {
		b.end = time.Now().Add(shareUploadTime(p.SizeBytes - start))
	}
	received, err := u.uploads.ReceiveUpload(ctx, p.ID, start, &rechecked{
		Reader: body, left: recheckBytes,
		check: func() error {
			within, err := u.again()
			if err == nil {
				err = u.uploads.CheckLink(within, p.ID)
			}
			return err
		},
	})
	if received != nil {
		p = received
	}
	if err == nil {
		err = s.finishUpload(u, p)
	}
	shareProgress(c, p)
	if err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusNoContent)
}

// finishUpload creates the file once all bytes have arrived, if the visitor may still add it then. An upload that can
// never become a file is deleted, because it would use the quota of the link until it expires.
func (s shareRoutes) finishUpload(u uploading, p *uploads.PendingUpload) error {
	if p.State == uploads.UploadDone || p.ReceivedBytes < p.SizeBytes {
		return nil
	}
	within, err := u.again()
	if err != nil {
		return err
	}
	done, _, err := u.uploads.FinishUpload(within, p.ID)
	switch fault.CodeOf(err) {
	case "":
		*p = *done
	case fault.UnsupportedType, fault.CorruptImage, fault.TooLarge:
		err = errors.Join(err, u.uploads.AbandonUpload(within, p.ID))
	}
	return err
}

// headUpload returns the offset at which to resume.
func (s shareRoutes) headUpload(c *fiber.Ctx, u uploading) error {
	p, err := u.uploads.UploadProgress(c.UserContext(), c.Params("id"))
	if err == nil {
		err = u.uploads.CheckLink(c.UserContext(), p.ID)
	}
	if err == nil { // an earlier attempt to finish may have failed after the last byte
		err = s.finishUpload(u, p)
	}
	if err != nil {
		return err
	}
	shareProgress(c, p)
	return c.SendStatus(fiber.StatusOK)
}

// deleteUpload abandons an upload.
func (s shareRoutes) deleteUpload(c *fiber.Ctx, u uploading) error {
	if err := u.uploads.AbandonUpload(c.UserContext(), c.Params("id")); err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusNoContent)
}

// rechecked is a body whose sender is checked again every recheckBytes.
type rechecked struct {
	io.Reader
	left  int64
	check func() error
}

// Read implements io.Reader.
func (r *rechecked) Read(b []byte) (int, error) {
	if r.left <= 0 {
		if err := r.check(); err != nil {
			return 0, err
		}
		r.left = recheckBytes
	}
	n, err := r.Reader.Read(b)
	r.left -= int64(n)
	return n, err
}
