package main

import (
	"fmt"
	"slices"

	"github.com/safelight/safelight/cmd/safelight/cli"
)

// help prints the help of a command; commands other than serve show only the settings that nearly every command uses.
func (p *program) help(c *cli.Command) error {
	width := cli.Width(p.stdout, envValue(p.env, "COLUMNS"))
	if c.Parent == nil || c.Name == "serve" || c.Name == "config" {
		return c.WriteHelp(p.stdout, width, nil)
	}
	shown := []string{"data", "database", "storage"}
	err := c.WriteHelp(p.stdout, width, func(f *cli.Flag) bool {
		_, isSetting := findSetting(f.Name)
		return !isSetting || slices.Contains(shown, f.Name)
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.stdout, "\nEvery setting: safelight --help")
	return err
}
