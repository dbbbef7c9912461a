package main

import (
	"fmt"
	"net/url"
	"reflect"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

type configCommand struct {
	Markdown bool
}

func (p *program) printConfig() *cobra.Command {
	var c configCommand
	command := newCommand("config", "Print the effective settings, with secrets masked.", func() error { return c.run(p) })
	command.Flags().BoolVar(&c.Markdown, "markdown", false,
		"Print the documentation of all settings (docs/settings.md) instead.")
	return command
}

// run prints the effective settings and their sources, with secrets masked.
func (c configCommand) run(p *program) error {
	if c.Markdown {
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

// shownValue returns the value that `safelight config` prints: never a secret.
func shownValue(row Setting, s *Settings) string {
	if !s.IsSet(row.Name) {
		if row.Shown != "" {
			return "(" + row.Shown + ")"
		}
		return row.Default
	}
	text := s.texts[row.Name]
	if row.Kind.isSize {
		text = formatBytes(reflect.ValueOf(row.into(s)).Elem().Int())
	}
	if !row.Secret || text == "" {
		return text
	}
	if row.Kind.Placeholder == kindURL.Placeholder {
		return maskURL(text)
	}
	return "********"
}

// maskURL hides the password of a URL and the values of its query, which may contain keys.
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
