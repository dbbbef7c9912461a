//go:build ignore

// The bare Fiber handler responds to every path with the bytes of a file. The benchmark compiles it in the project's
// module.
package main

import (
	"log"
	"os"

	"github.com/gofiber/fiber/v2"
)

func main() {
	data, err := os.ReadFile(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	app := fiber.New(fiber.Config{DisableStartupMessage: true, WriteBufferSize: 64 << 10})
	app.Get("/*", func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderContentType, "image/jpeg")
		return c.Send(data)
	})
	log.Fatal(app.Listen("127.0.0.1:" + os.Args[1]))
}
