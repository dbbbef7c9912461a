package main

import (
	"github.com/spf13/cobra"

	translate "github.com/safelight/safelight/migrate"
)

type migrateURLsCommand struct{ translate.Command }

func (p *program) migrateURLs() *cobra.Command {
	var c migrateURLsCommand
	command := &cobra.Command{
		Use:   "migrate-urls <file>",
		Short: "Translate image URLs of thumbor, imagor, imgproxy and imaginary.",
		Long:  "Reads URLs, one a line, or an access log: common, combined or JSON lines. - is standard input.",
		RunE: func(_ *cobra.Command, args []string) error {
			c.File = args[0]
			return c.run(p)
		},
	}
	c.AddFlags(command.Flags())
	return command
}

// run prints what each URL means here. The exit code is 0 if all mean the same, 2 if some differ, 3 if some are refused.
func (c migrateURLsCommand) run(p *program) error {
	code, err := c.Report(p.stdin, p.stdout)
	if err == nil && code > 0 {
		return exitStatus(code)
	}
	return err
}
