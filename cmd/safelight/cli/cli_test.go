package cli

import (
	"errors"
	"strings"
	"testing"
)

type paths struct {
	In  string `arg:"" help:"Input file."`
	Out string `arg:"" help:"Output file."`
}

type copyCommand struct {
	paths
	Workers int    `help:"Files at a time."`
	Kind    string `enum:"all,new" default:"new" help:"Which files."`
	DryRun  bool   `help:"Change nothing."`
}

type shellCommand struct {
	Name string `arg:"" enum:"bash,fish"`
}

type keyCommand struct {
	Rotate struct{} `cmd:"" help:"Make a new key."`
}

type userCommand struct {
	Create shellCommand `cmd:""`
	List   struct{}     `cmd:""`
}

type line struct {
	Config string       `placeholder:"FILE" help:"Settings file."`
	Serve  struct{}     `cmd:"" default:"withargs" help:"Run the server."`
	Copy   copyCommand  `cmd:"" help:"Copy a file."`
	User   userCommand  `cmd:"" help:"Accounts."`
	Keys   keyCommand   `cmd:""`
	Shell  shellCommand `cmd:"" name:"sh"`
}

// program returns the program of the tests and what is set of it.
func program() (*Command, *line, map[string]string) {
	into, given := &line{}, map[string]string{}
	keep := func(name string) func(string) error {
		return func(text string) error { given[name] = text; return nil }
	}
	return New("program", "It copies.", into, []*Flag{
		{Name: "workers", Placeholder: "N", Group: "Limits", Help: "Threads.", Set: keep("workers")},
		{Name: "safe", Switch: true, Group: "Limits", Help: "No risks.", Set: keep("safe")},
		{Name: "secret-file", Hidden: true, Group: "Limits", Help: "Not for help.", Set: keep("secret-file")},
	}), into, given
}

func TestParse(t *testing.T) {
	cases := []struct {
		args  string
		path  string
		check func(l *line, given map[string]string) bool
	}{
		{"", "program serve", nil},
		{"--safe --config=x", "program serve", func(l *line, given map[string]string) bool { return given["safe"] == "true" && l.Config == "x" }},
		{"--safe=maybe", "program serve", func(_ *line, given map[string]string) bool { return given["safe"] == "maybe" }},
		{"user list --config f", "program user list", func(l *line, _ map[string]string) bool { return l.Config == "f" }},
		{"copy a b", "program copy", func(l *line, _ map[string]string) bool {
			return l.Copy.In == "a" && l.Copy.Out == "b" && l.Copy.Kind == "new" && !l.Copy.DryRun
		}},
		{"copy - --dry-run b --kind all", "program copy", func(l *line, _ map[string]string) bool {
			return l.Copy.In == "-" && l.Copy.Out == "b" && l.Copy.Kind == "all" && l.Copy.DryRun
		}},
		{"copy a b --dry-run --dry-run=no", "program copy", func(l *line, _ map[string]string) bool { return !l.Copy.DryRun }},
		{"copy -- -a --b", "program copy", func(l *line, _ map[string]string) bool { return l.Copy.In == "-a" && l.Copy.Out == "--b" }},
		{"--config=a=b --config - sh bash", "program sh", func(l *line, _ map[string]string) bool { return l.Config == "-" && l.Shell.Name == "bash" }},
		// the flag of a command hides the program's of the same name, after the command
		{"--workers 1 copy a b --workers 2", "program copy", func(l *line, given map[string]string) bool {
			return given["workers"] == "1" && l.Copy.Workers == 2
		}},
	}
	for _, c := range cases {
		root, into, given := program()
		command, err := root.Parse(strings.Fields(c.args))
		if err != nil || command.Path() != c.path || c.check != nil && !c.check(into, given) {
			t.Errorf("%s: %v %+v %v, error %v", c.args, command, into, given, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	cases := map[string]string{
		"usr":                  "unexpected argument usr, did you mean user?",
		"user lst":             "unexpected argument lst, did you mean list?",
		"serve x":              "unexpected argument x",
		"copy a b c":           "unexpected argument c",
		"user":                 "expected one of the commands create, list",
		"keys":                 "expected the command rotate",
		"copy":                 "expected <in> <out>",
		"copy a":               "expected <out>",
		"--confg=x":            "unknown flag --confg, did you mean --config?",
		"--dry-run copy a b":   "unknown flag --dry-run",
		"copy a b -x":          "unknown flag -x",
		"copy a b -config=x":   "unknown flag -config, did you mean --config?",
		"--config":             "--config needs a value",
		"--config --safe=x":    "--config needs a value; write --config=VALUE if it begins with -",
		"copy a b --workers x": `--workers: "x" is not a whole number`,
		"copy a b --dry-run=x": `--dry-run: "x" is not true or false`,
		"copy a b --kind=x":    `--kind: "x" is not one of all, new`,
		"sh tcsh":              `<name>: "tcsh" is not one of bash, fish`,
		"--help --frobnicate":  "unknown flag --frobnicate",
	}
	for args, want := range cases {
		root, _, _ := program()
		if _, err := root.Parse(strings.Fields(args)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, expected %s", args, err, want)
		}
	}
	root, _, _ := program()
	if _, err := root.Parse([]string{""}); err == nil || err.Error() != `unexpected argument ""` {
		t.Error(err)
	}
}

func TestHelp(t *testing.T) {
	cases := map[string]string{
		"-h": `Usage: program <command> [flags]

It copies.

Flags:
  -h, --help           Show this help.
      --config=FILE    Settings file.

Limits
  --workers=N    Threads.
  --safe         No risks.

Commands:
  serve    Run the server.
  copy     Copy a file.
  user     Accounts.
  keys
  sh

Run "program <command> --help" for more information on a command.
`,
		"copy --help": `Usage: program copy <in> <out> [flags]

Copy a file.

Arguments:
  <in>     Input file.
  <out>    Output file.

Flags:
  -h, --help               Show this help.
      --config=FILE        Settings file.

      --workers=WORKERS    Files at a time.
      --kind=new           Which files.
      --dry-run            Change nothing.

Limits
  --safe    No risks.
`,
		"keys -h x": "unexpected argument x",
	}
	for args, want := range cases {
		root, _, _ := program()
		var text strings.Builder
		command, err := root.Parse(strings.Fields(args))
		switch {
		case errors.Is(err, ErrHelp):
			err = command.WriteHelp(&text, 80, func(f *Flag) bool { return f.Name != "workers" })
		case err != nil:
			text.WriteString(err.Error())
			err = nil
		}
		if err != nil || text.String() != want {
			t.Errorf("%s: %v\n%s\nexpected\n%s", args, err, text.String(), want)
		}
	}
}

func TestHelpIsAsWideAsItMay(t *testing.T) {
	root, _, _ := program()
	root.Flags = append(root.Flags, &Flag{Name: "a-flag-with-a-name-that-is-too-long", Placeholder: "VALUE", Help: strings.Repeat("word ", 40)})
	for _, width := range []int{1, 40, 80, 200} {
		var text strings.Builder
		if err := root.WriteHelp(&text, width, nil); err != nil {
			t.Fatal(err)
		}
		for _, written := range strings.Split(text.String(), "\n") {
			if width >= 80 && len(written) > width {
				t.Errorf("%d characters in a line, expected %d: %s", len(written), width, written)
			}
		}
		if strings.Count(text.String(), "word") != 40 {
			t.Errorf("width %d: words are missing", width)
		}
	}
	for columns, want := range map[string]int{"": 80, "x": 80, "0": 80, "-5": 80, "120": 120} {
		if got := Width(&strings.Builder{}, columns); got != want {
			t.Errorf("COLUMNS=%s: %d, expected %d", columns, got, want)
		}
	}
}
