package main

import (
	"bytes"
	"strings"
	"testing"
)

// parse returns the program after it has read a command line and run nothing, and the error of one that is wrong.
func parse(t *testing.T, line string) (*program, string, error) {
	t.Helper()
	var out bytes.Buffer
	p := &program{ctx: t.Context(), stdout: &out, stderr: &out, given: map[string]string{}}
	root := p.commandLine()
	command, rest, err := root.Find(strings.Fields(line))
	if err != nil {
		return p, "", err
	}
	if err := command.ParseFlags(rest); err != nil {
		return p, "", command.FlagErrorFunc()(command, err)
	}
	operands := command.Flags().Args()
	return p, command.CommandPath() + " " + strings.Join(operands, " "), command.ValidateArgs(operands)
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		args, command string
		given         map[string]string
	}{
		{"", "safelight ", nil},
		{"serve --strict", "safelight serve ", map[string]string{"strict": "true"}},
		{"--strict --config=x", "safelight ", map[string]string{"strict": "true"}},
		{"--strict=maybe", "safelight ", map[string]string{"strict": "maybe"}},
		{"--listen :1 --strict user list --config f",
			"safelight user list ", map[string]string{"listen": ":1", "strict": "true"}},
		{"process a b c --max-frames 2", "safelight process a b c", map[string]string{"max-frames": "2"}},
		{"process - -- -a --b", "safelight process - -a --b", nil},
		{"--base-url=a=b --data - demo --force", "safelight demo ", map[string]string{"base-url": "a=b", "data": "-"}},
		{"demo --token-secret-file f", "safelight demo ", map[string]string{"token-secret-file": "f"}},
		{"demo --token-secret=--strict-", "safelight demo ", map[string]string{"token-secret": "--strict-"}},
		// the flag of the command hides the setting of the same name
		{"move-storage --workers 2", "safelight move-storage ", nil},
	} {
		p, command, err := parse(t, c.args)
		if err != nil || command != c.command || len(p.given) != len(c.given) {
			t.Errorf("%s: %q, %v, %v", c.args, command, p.given, err)
		}
		for name, want := range c.given {
			if p.given[name] != want {
				t.Errorf("%s: %s is %q, expected %q", c.args, name, p.given[name], want)
			}
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"usr":             "unexpected argument usr, did you mean user?",
		"user lst":        "unexpected argument lst, did you mean list?",
		"serve x":         "unexpected argument x",
		"completion tcsh": "unexpected argument tcsh",
		"process a b c d": "unexpected argument d",
		"user": "expected one of the commands create, deactivate, emergency-password, list, " +
			"reset-password, reset-second-factor, unlink",
		"process":                    "expected <operations> <in> <out>",
		"process a":                  "expected <in> <out>",
		"--confg=x":                  "unknown flag --confg, did you mean --config?",
		"demo --forze":               "unknown flag --forze, did you mean --force?",
		"--force demo":               "unknown flag --force",
		"demo -x":                    "unknown flag -x",
		"--config":                   "--config needs a value",
		"--token-secret --strict":    "--token-secret: a value is missing before --strict",
		"move-storage --workers x":   `--workers: "x" is not a whole number`,
		"demo --force=x":             `--force: "x" is not true or false`,
		"user create a --role=x":     `--role: "x" is not one of admin, user`,
		"config --listen :1 --mrkdn": "unknown flag --mrkdn",
	} {
		var out bytes.Buffer
		err := run(t.Context(), strings.Fields(args), nil, strings.NewReader(""), &out, &out)
		if err == nil || !strings.HasPrefix(err.Error(), want+" (see safelight") || out.Len() != 0 {
			t.Errorf("%s: %v, expected %s\n%s", args, err, want, out.String())
		}
	}
	var out bytes.Buffer
	err := run(t.Context(), []string{"health", "--url", "localhost:8000"}, nil, strings.NewReader(""), &out, &out)
	if err == nil || !strings.HasPrefix(err.Error(), `--url: "localhost:8000" is not a URL`) {
		t.Error(err)
	}
	err = run(t.Context(), []string{""}, nil, strings.NewReader(""), &out, &out)
	if err == nil || !strings.HasPrefix(err.Error(), `unexpected argument ""`) {
		t.Error(err)
	}
}

// TestHelp holds what the help of the program and that of a command show, in lines that fit.
func TestHelp(t *testing.T) {
	for _, c := range []struct {
		args        string
		has, hasNot []string
	}{
		{"--help", []string{"Usage: safelight <command> [flags]", "Commands:\n", "\n  user ", "--config FILE",
			"\nLimits:\n", "--max-frames N",
			"Environment: SAFELIGHT_MAX_FRAMES", "--strict  "}, []string{"token-secret-file"}},
		{"process -h", []string{"Usage: safelight process <operations> <in> <out> [flags]",
			"input file, or - for stdin", "--data FOLDER",
			"Every setting: safelight --help"}, []string{"--max-frames", "Commands:"}},
		{"user create --help", []string{"--role ROLE", `(default user)`, "--password-stdin"}, []string{"--max-frames"}},
		{"serve --help", []string{"--max-frames"}, nil},
		{"user --help", []string{"\n  reset-password       Reset"}, nil},
	} {
		var out bytes.Buffer
		if err := run(t.Context(), strings.Fields(c.args), []string{"COLUMNS=120"}, strings.NewReader(""), &out,
			&out); err != nil {
			t.Fatal(err)
		}
		for _, text := range c.has {
			if !strings.Contains(out.String(), text) {
				t.Errorf("%s does not show %q:\n%s", c.args, text, out.String())
			}
		}
		for _, text := range c.hasNot {
			if strings.Contains(out.String(), text) {
				t.Errorf("%s shows %q", c.args, text)
			}
		}
		for line := range strings.Lines(out.String()) {
			if len([]rune(line)) > 121 {
				t.Errorf("%s: a line of %d characters: %s", c.args, len([]rune(line)), line)
			}
		}
	}
}

// TestCompletion checks that a shell is offered commands, flags and the words of a setting.
func TestCompletion(t *testing.T) {
	for args, want := range map[string]string{
		"us":                   "user\t",
		"user re":              "reset-password\t",
		"--max-fr":             "--max-frames\t",
		"demo --fo":            "--force\t",
		"--isolation ":         "all\n",
		"user create --role a": "admin\n",
	} {
		var out, errs bytes.Buffer
		words := append([]string{"__complete"}, strings.Split(args, " ")...)
		if err := run(t.Context(), words, nil, strings.NewReader(""), &out, &errs); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains("\n"+out.String(), "\n"+want) {
			t.Errorf("%q is completed by %q, expected %q", args, out.String(), want)
		}
	}
}
