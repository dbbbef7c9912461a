package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/safelight/safelight/database/moves"
	"github.com/safelight/safelight/gallery/relocate"
	"github.com/safelight/safelight/storage"
)

type moveStorageCommand struct {
	To      string
	Workers int
	Cancel  bool
}

func (p *program) moveStorage() *cobra.Command {
	var c moveStorageCommand
	command := newCommand("move-storage", "Move the files from a folder to S3 or back, while servers go on reading them.",
		func() error { return c.run(p) })
	command.Flags().StringVar(&c.To, "to", "",
		"Empty storage `URL` to move to, as in the setting storage: file:///folder or s3://bucket/prefix.")
	command.Flags().IntVar(&c.Workers, "workers", 8, "`N` files at a time.")
	command.Flags().BoolVar(&c.Cancel, "cancel", false,
		"Allow changes of files again, in the old storage. Without --to.")
	return command
}

// run moves the files of the storage in use, and says what to do next.
func (c moveStorageCommand) run(p *program) error {
	at, err := p.openExisting()
	if err != nil {
		return err
	}
	defer at.Close()
	d := at.moved()
	if c.Cancel {
		if err := moves.AllowFileChanges(p.ctx, d); err != nil {
			return err
		}
		_, err := fmt.Fprintln(p.stdout, "files can be changed again, in the old storage")
		return err
	}
	if c.To == "" {
		return errors.New("--to is missing: name the storage to move to, " + storage.Forms())
	}
	place, err := relocate.Place(c.To)
	if err != nil {
		return err
	}
	if place == at.storageName() {
		return fmt.Errorf("the files are in %s already", place)
	}
	to, err := storage.Open(p.ctx, c.To)
	if err != nil {
		return err
	}
	defer to.Close()
	done, err := relocate.Run(p.ctx, relocate.Config{From: at.files.Main, To: to, Place: place, Workers: c.Workers, Now: at.Clock.Now,
		Journal: filepath.Join(at.Settings.Data, "move-storage.journal"),
		Report: func(r relocate.Progress) {
			fmt.Fprintf(p.stdout, "%s: %d files copied, %s, %d were there\n", r.Phase, r.Copied, formatBytes(r.Bytes), r.Passed)
		}}, d)
	if err != nil {
		return fmt.Errorf("%w\nrun the command again to continue, or with --cancel instead of --to: files are in the old storage, unchanged", err)
	}
	if done.Links > 0 {
		fmt.Fprintf(p.stdout, "left out: %d folders that are symbolic links\n", done.Links)
	}
	_, err = fmt.Fprintf(p.stdout, "moved all files to %s\nstop all servers, set storage to it, and start them: until then files can be read, and not changed\n", place)
	return err
}

// storageName returns the name of the storage in use for package moves.
func (at *site) storageName() string {
	if f := at.Files(); f != nil && f.Chosen != "" {
		return "the storage that was chosen by the API"
	}
	address := at.Settings.Storage
	if address == "" { // as relocate.Place names a folder; in a URL, % and # mean something else
		if folder, err := filepath.Abs(filepath.Join(at.Settings.Data, "files")); err == nil {
			return "file://" + folder
		}
	}
	place, err := relocate.Place(address)
	if err != nil {
		return maskURL(address) // it was opened
	}
	return place
}
