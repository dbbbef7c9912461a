package server

import "github.com/gofiber/fiber/v2"

// document answers with bytes that are there already, a page or a file of the server's own: with a tag of
// their own, and what they are conditions and ranges for.
func (s *Server) document(c *fiber.Ctx, contentType, cacheControl string, data []byte) error {
	v := validators{tag: etagOf("document\n" + contentType + "\n" + string(data))}
	v.set(c)
	c.Set(fiber.HeaderCacheControl, cacheControl)
	if answered, err := s.precondition(c, v); answered {
		return err
	}
	return s.send(c, v, content{contentType: contentType, size: int64(len(data)), data: data})
}

// What caches may do with documents: those that change with the next version of the server, and files of pages.
const (
	askEachTime = "no-cache"
	keepAnHour  = "public, max-age=3600"
)
