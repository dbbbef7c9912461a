// Command walk walks through the API: sign in, look around, upload, make a URL, clean up.
//
//	SAFELIGHT_URL=http://127.0.0.1:8000 SAFELIGHT_PASSWORD=... go run ./examples/go/walk
package main

import (
	"cmp"
	"context"
	"fmt"
	"os"

	client "github.com/safelight/safelight/examples/go"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "walk:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	c, err := client.Login(
		ctx, cmp.Or(os.Getenv("SAFELIGHT_URL"), "http://127.0.0.1:8000"),
		cmp.Or(os.Getenv("SAFELIGHT_USERNAME"), "admin"), os.Getenv("SAFELIGHT_PASSWORD"),
	)
	if err != nil {
		return err
	}
	page, err := client.Pictures(ctx, c, "samples", 5, nil)
	if err != nil {
		return err
	}
	if len(page.Files.Nodes) == 0 {
		return fmt.Errorf("the folder samples holds no picture")
	}
	first := page.Files.Nodes[0]
	fmt.Printf("%d files; the first is %s, %d bytes\n", *page.Files.TotalCount, first.Path, first.Size)

	content, _, err := c.Picture(ctx, first.ThumbnailUrls.Grid)
	if err != nil {
		return err
	}
	path, err := c.Upload(ctx, "examples/walk.webp", content, client.ConflictPolicyRename)
	if err != nil {
		return err
	}
	address, err := client.ImageURL(ctx, c, path, 120, 80, []client.ProcessorFilterInput{})
	if err != nil {
		return err
	}
	small, kind, err := c.Picture(ctx, *address.GenerateProcessorUrl)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d bytes of %s\n", *address.GenerateProcessorUrl, len(small), kind)
	_, err = client.TrashFiles(ctx, c, []string{path})
	return err
}
