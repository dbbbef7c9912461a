package server

import "github.com/gofiber/fiber/v2"

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
