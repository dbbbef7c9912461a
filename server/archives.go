package server

import (
	"mime"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/gallery/archive"
)

// maxArchiveTime is how long a download may take. The connection may be slow and there may be many files.
const maxArchiveTime = 24 * time.Hour

// archivePath is the route of an archive.
const archivePath = "/api/archives/:token"

// archiveRoutes are the handlers of ZIP downloads.
type archiveRoutes struct{ *Server }

func (s archiveRoutes) register() {
	s.app.Get(archivePath, s.archive)
}

// archive sends a ZIP of files. The token in the path is the credential, so that a browser can open the URL. If a file
// cannot be read, the server closes the connection before the end of the body, so that the download fails.
func (s archiveRoutes) archive(c *fiber.Ctx) error {
	ctx := c.UserContext()
	d, err := files(ctx).Archives.Open(ctx, c.Params("token"))
	if err != nil {
		return err
	}
	client := d.Account.String()
	if d.Guest {
		client = networkOf(ctx)
	}
	// Listing the files takes as long as anything else here, so it counts as part of the download.
	leave, err := s.archiveDownloads.Enter(client)
	if err != nil {
		return err
	}
	streams := false
	defer func() {
		if !streams {
			leave()
		}
	}()
	if err := d.List(ctx); err != nil {
		return err
	}
	size := d.Size()
	if c.Method() == fiber.MethodHead {
		s.archiveHeaders(c, d.Name)
		if size >= 0 {
			c.Response().Header.SetContentLength(int(size))
		}
		return nil
	}
	streams = true
	s.sendArchive(c, d, size, leave)
	return nil
}

// sendArchive sends a ZIP, and calls leave when it has been sent.
func (s archiveRoutes) sendArchive(c *fiber.Ctx, d *archive.Download, size int64, leave func()) {
	s.archiveHeaders(c, d.Name)
	ctx, stop := requestContext(c, maxArchiveTime)
	r := d.Reader(ctx)
	s.sendStream(c, &streamed{Reader: r, closers: []func(){func() { r.Close() }, stop, leave}}, size)
}

func (s archiveRoutes) archiveHeaders(c *fiber.Ctx, name string) {
	c.Set(fiber.HeaderContentType, "application/zip")
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set(fiber.HeaderContentDisposition, mime.FormatMediaType("attachment", map[string]string{"filename": name}))
}
