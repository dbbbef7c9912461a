package main

import (
	"fmt"
	"strings"
)

const settingsPreamble = `# Settings

<!-- Made from cmd/safelight/settings_table.go: go test ./cmd/safelight -run TestSettingsDoc -update -->

A setting may be a flag, an environment variable, or a line of a file that ` + "`--config FILE`" + ` or
` + "`SAFELIGHT_CONFIG`" + ` names. The strongest wins: flag, environment, file, default. The file holds
` + "`name = value`" + ` lines with the names of the flags without their dashes; lines that start with ` + "`#`" + ` are
comments, quotes around a value are optional.

Secrets (🔑) can be read from a file instead: ` + "`NAME_FILE`" + ` in the environment, ` + "`--name-file`" + ` as a
flag, ` + "`name-file`" + ` in the file. ` + "`safelight config`" + ` prints what is in force and where it came from, with
secrets masked. An unknown name, or a value of a wrong form, stops the start and is named. An empty
environment variable counts as not set; variables that start with ` + "`SAFELIGHT_TEST_`" + ` belong to the tests.

Sizes are ` + "`512 KiB`, `100 MB`, `2GiB`" + ` or bytes; times are ` + "`500ms`, `20s`, `10m`, `168h`, `7d`" + ` or seconds;
switches are ` + "`true` or `false`" + `.
`

// settingsMarkdown writes docs/settings.md from the table.
func settingsMarkdown() string {
	var b strings.Builder
	b.WriteString(settingsPreamble)
	group := ""
	for _, row := range settingsTable {
		if row.Group != group {
			group = row.Group
			fmt.Fprintf(&b, "\n## %s\n\n| flag | environment | default | meaning |\n|---|---|---|---|\n", group)
		}
		env := "`" + row.Env() + "`"
		if row.AlsoEnv != "" {
			env += ", also `" + row.AlsoEnv + "`"
		}
		key := ""
		if row.Secret {
			key = " 🔑"
		}
		fmt.Fprintf(&b, "| `--%s`%s | %s | %s | %s Form: %s. |\n", row.Name, key, env, row.DefaultText(), row.Help, row.Kind.Form)
	}
	return b.String()
}
