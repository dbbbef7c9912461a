package main

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/safelight/safelight/schema"
)

func (p *program) config() *cobra.Command {
	markdown := false
	command := newCommand("config", "Print the effective settings, with secrets masked.",
		func() error { return p.printConfig(markdown) })
	command.Flags().BoolVar(&markdown, "markdown", false,
		"Print the documentation of all settings (docs/reference/settings.md) instead.")
	return command
}

// printConfig prints the effective settings and their sources, with secrets masked, or the documentation of settings.
func (p *program) printConfig(markdown bool) error {
	if markdown {
		_, err := fmt.Fprint(p.stdout, settingsMarkdown())
		return err
	}
	s, err := p.settings()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	for _, row := range settingsTable {
		fmt.Fprintf(w, "%s\t= %s\t# %s\n", row.Name, shownValue(row, s), s.origins[row.Name].where)
	}
	return w.Flush()
}

// shownValue returns the value that `safelight config` prints, with secrets masked.
func shownValue(row Setting, s *Settings) string {
	if !s.IsSet(row.Name) {
		if row.Shown != "" {
			return "(" + row.Shown + ")"
		}
		return row.Default
	}
	text := s.texts[row.Name]
	if row.Kind.isSize {
		text = formatBytes(reflect.ValueOf(row.field(s)).Elem().Int())
	}
	if !row.Secret || text == "" {
		return text
	}
	if row.Kind.Placeholder == kindURL.Placeholder {
		return maskURL(text)
	}
	return "********"
}

// maskURL hides the password of a URL, and the values of its query because they may contain keys.
func maskURL(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "********"
	}
	query := u.Query()
	for key := range query {
		switch key {
		case "region", "endpoint", "use_path_style", "sslmode":
		default:
			query.Set(key, "********")
		}
	}
	u.RawQuery = query.Encode()
	return u.Redacted()
}

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

// settingsMarkdown returns the content of docs/reference/settings.md, which is generated from the table.
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
		fmt.Fprintf(&b, "| `--%s`%s | %s | %s | %s Form: %s. |\n",
			row.Name, key, env, row.DefaultText(), row.Help, row.Kind.Form)
	}
	return b.String()
}

// printSchema prints the GraphQL schema.
func (p *program) printSchema() error {
	_, err := fmt.Fprint(p.stdout, schema.SDL())
	return err
}
