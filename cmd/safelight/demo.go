package main

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/safelight/safelight/cmd/safelight/demo"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
)

func (p *program) demo() *cobra.Command {
	force := false
	command := newCommand("demo", "Create a small demo gallery of generated images.",
		func() error { return p.writeDemos(force) })
	command.Flags().BoolVar(&force, "force", false, "Overwrite existing demo images.")
	return command
}

// writeDemos renders the demo pictures and writes those that are missing; all of them with force.
func (p *program) writeDemos(force bool) error {
	at, err := p.openSite()
	if err != nil {
		return err
	}
	defer at.Close()
	for _, d := range demo.Pictures {
		state, err := writeDemo(p.ctx, at.Files().Store, d, force)
		if err != nil {
			return err
		}
		fmt.Fprintf(p.stdout, "%-7s %s\n", state, d.Path)
	}
	// Otherwise a running server would find them only at its next scan.
	if err := at.Files().Gallery.ScanNow(operator(p.ctx), "demo"); err != nil {
		return fmt.Errorf("updating the index: %w", err)
	}
	return nil
}

// writeDemo writes a picture unless it exists, and returns "written" or "kept".
func writeDemo(ctx context.Context, store storage.Store, d demo.Picture, force bool) (string, error) {
	key, err := storage.ParseKey(d.Path)
	if err != nil {
		return "", err
	}
	if !force {
		if _, err := store.Stat(ctx, key); err == nil {
			return "kept", nil
		}
	}
	content, err := d.Bytes()
	if err != nil {
		return "", fmt.Errorf("rendering %s: %w", d.Path, err)
	}
	_, err = store.Create(ctx, key, content, storage.CreateOptions{ContentType: d.ContentType, Overwrite: force})
	if fault.CodeOf(err) == fault.Conflict { // another process has created it at the same time
		return "kept", nil
	}
	if err != nil {
		return "", fmt.Errorf("writing %s: %w", d.Path, err)
	}
	return "written", nil
}

// maxLooked is how many entries of the root folder are searched for a picture to show.
const maxLooked = 100

// ensureSample adds the sample picture to an empty gallery. It returns the path of a picture to show: the sample, or
// else the first picture in the root folder; empty if there is none.
func ensureSample(ctx context.Context, store storage.Store) (string, error) {
	looked, first := 0, ""
	for entry, err := range store.List(ctx, "", storage.ListOptions{}) {
		if err != nil {
			return "", err
		}
		if looked++; isPicture(entry) {
			first = string(entry.Key)
		}
		if first != "" || looked == maxLooked {
			break
		}
	}
	if looked == 0 {
		_, err := writeDemo(ctx, store, demo.Welcome, false)
		return demo.Welcome.Path, err
	}
	key, err := storage.ParseKey(demo.Welcome.Path)
	if err != nil {
		return "", err
	}
	if _, err := store.Stat(ctx, key); err == nil {
		return demo.Welcome.Path, nil
	}
	return first, nil
}

func isPicture(s storage.Stat) bool {
	format, known := imaging.ParseFormat(strings.TrimPrefix(strings.ToLower(path.Ext(string(s.Key))), "."))
	return known && format != imaging.PDF && !s.IsFolder
}
