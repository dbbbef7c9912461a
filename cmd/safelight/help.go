package main

import (
	"fmt"
	"slices"

	"github.com/alecthomas/kong"
)

// help prints kong's help; commands other than serve show only the settings that nearly every command uses.
func help(options kong.HelpOptions, c *kong.Context) error {
	node := c.Selected()
	if node == nil || node.Name == "serve" || node.Name == "config" {
		return kong.DefaultHelpPrinter(options, c)
	}
	shown := []string{"data", "database", "storage"}
	for _, flag := range c.Model.Flags {
		if _, isSetting := findSetting(flag.Name); isSetting && !slices.Contains(shown, flag.Name) {
			flag.Hidden = true
		}
	}
	if err := kong.DefaultHelpPrinter(options, c); err != nil {
		return err
	}
	_, err := fmt.Fprintln(c.Stdout, "\nEvery setting: safelight --help")
	return err
}
