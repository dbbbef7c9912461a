package main

import (
	"fmt"

	"github.com/safelight/safelight/cmd/safelight/cli"
)

// settingsFlags returns one flag for each setting; what the command line gives is in given, by name. resolve parses it together with the
// other sources.
func settingsFlags(given map[string]string) []*cli.Flag {
	var flags []*cli.Flag
	add := func(f cli.Flag) {
		f.Set = func(text string) error { given[f.Name] = text; return nil }
		flags = append(flags, &f)
	}
	for _, row := range settingsTable {
		help := fmt.Sprintf("%s Default: %s. Environment: %s.", row.Help, row.DefaultText(), row.Env())
		add(cli.Flag{Name: row.Name, Help: help, Placeholder: row.Kind.Placeholder, Group: row.Group, Switch: row.Kind.isBool})
		if row.Secret {
			add(cli.Flag{Name: row.Name + fileSuffix, Help: "File that holds " + row.Name + ".", Placeholder: "FILE", Group: row.Group, Hidden: true})
		}
	}
	return flags
}
