package main

import translate "github.com/safelight/safelight/migrate"

type migrateURLsCommand struct{ translate.Command }

// Run prints what each URL means here. The exit code is 0 if all mean the same, 2 if some differ, 3 if some are refused.
func (c migrateURLsCommand) Run(p *program) error {
	code, err := c.Report(p.stdin, p.stdout)
	if err == nil && code > 0 {
		return exitStatus(code)
	}
	return err
}
