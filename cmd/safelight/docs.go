package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/spf13/cobra"

	"github.com/safelight/safelight/cmd/safelight/demo"
	"github.com/safelight/safelight/docs"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/schema"
	"github.com/safelight/safelight/server/docsite"
)

// documentation renders the pages of the documentation.
func documentation() (*docsite.Site, error) { return docsite.New(docs.Files, schema.Files(), version) }

// samplePictures are the pictures of the examples in the documentation, which are drawn on first use.
var samplePictures = func() map[string]func() ([]byte, error) {
	list := map[string]func() ([]byte, error){}
	for _, d := range append([]demo.Picture{demo.Welcome}, demo.Pictures...) {
		list[d.Path] = sync.OnceValues(func() ([]byte, error) {
			content, err := d.Bytes()
			if err != nil {
				return nil, fmt.Errorf("drawing %s: %w", d.Path, err)
			}
			return io.ReadAll(content)
		})
	}
	return list
}()

// sample returns a picture for the examples in the documentation; fault.NotFound if there is none with that path.
func sample(path string) ([]byte, error) {
	draw := samplePictures[path]
	if draw == nil {
		return nil, fault.New(fault.NotFound, "%s is not one of the sample pictures, such as %s", path,
			demo.Welcome.Path)
	}
	return draw()
}

func (p *program) docsExport() *cobra.Command {
	command := newCommand("export <folder>", "Write the documentation as static pages.", nil)
	command.Long = "Write the documentation as static pages, with the results of its examples, to an empty folder.\n\n" +
		"Arguments:\n  <folder>  created if it does not exist"
	command.RunE = func(_ *cobra.Command, args []string) error { return p.exportDocs(args[0]) }
	return command
}

func (p *program) exportDocs(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("read the folder for the documentation: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty: expected an empty folder, or one that does not exist", folder)
	}
	s, err := p.settings()
	if err != nil {
		return err
	}
	site, err := documentation()
	if err != nil {
		return err
	}
	engine, stop, err := openEngine(s, p.log(s))
	if err != nil {
		return err
	}
	defer stop()
	limits := s.Limits
	limits.Timeout = 0 // nobody waits for the result, and the machine may be busy
	r := docsite.Renderer{Engine: engine, Limits: limits, Sample: sample}
	if err := site.Export(p.ctx, folder, r); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stderr, "%s: open index.html\n", folder)
	return err
}
