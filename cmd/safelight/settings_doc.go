package main

import (
	"fmt"
	"strings"
)

const settingsPreamble = `# Settings

<!-- Made from cmd/safelight/settings_table.go: go test ./cmd/safelight -run TestSettingsDoc -update -->

Set a value by flag, by environment variable, or in the file given by ` + "`--config FILE`" + ` or
` + "`SAFELIGHT_CONFIG`" + `. Precedence: flag, environment, file, default. The file has one ` + "`name = value`" + ` per
line, where the name is that of the flag without dashes. Lines that start with ` + "`#`" + ` are comments; quotes
around a value are optional. A value of several lines stands between ` + "`name = <<END`" + ` and a line ` + "`END`" + `.

Secrets (🔑) can be read from a file instead: ` + "`NAME_FILE`" + ` in the environment, ` + "`--name-file`" + ` as a
flag, ` + "`name-file`" + ` in the file. ` + "`safelight config`" + ` prints the effective settings and their origin, with
secrets masked. The server does not start with an unknown flag, an unknown name in the file or an invalid value, and the
error names it. An unknown environment variable that starts with ` + "`SAFELIGHT_`" + ` is ignored with a warning. An empty
environment variable counts as unset; variables that start with ` + "`SAFELIGHT_TEST_`" + ` are reserved
for tests.

Sizes: ` + "`512 KiB`, `100 MB`, `2GiB`" + `, or bytes. Durations: ` + "`500ms`, `20s`, `10m`, `168h`, `7d`" + `, or seconds.
Booleans: ` + "`true` or `false`" + `.
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
