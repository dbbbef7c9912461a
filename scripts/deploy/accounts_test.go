package deploy

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestAccounts checks that the files which cannot read project.env name the accounts that it has.
func TestAccounts(t *testing.T) {
	accounts := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^([A-Z_]+)="?([^"\n]*)"?$`).
		FindAllStringSubmatch(read(t, "project.env"), -1) {
		accounts[m[1]] = m[2]
	}
	for _, c := range []struct{ file, text string }{
		{".github/CODEOWNERS", "* " + accounts["OWNERS"] + "\n"},
		{".github/ISSUE_TEMPLATE/config.yml", accounts["REPOSITORY"] + "/security/advisories/new"},
		{"clients/client/package.json", `"name": "` + accounts["NPM"] + `"`},
		{"clients/client/package.json", `"url": "git+` + accounts["REPOSITORY"] + `.git"`},
		{"deploy/safelight.1", accounts["REPOSITORY"]},
		{"docs/start/install.md", accounts["REPOSITORY"]},
		{"docs/start/install.md", "releases " + accounts["PUBLIC_KEY"] + "'"},
		{"README.md", accounts["REPOSITORY"]},
		{"SECURITY.md", accounts["REPOSITORY"] + "/security/advisories/new"},
	} {
		if !strings.Contains(read(t, c.file), c.text) {
			t.Errorf("%s lacks %q, which follows from project.env", c.file, c.text)
		}
	}
	if len(accounts) == 0 {
		t.Error("project.env has no accounts")
	}
}

// TestWorkflow checks that the workflow of GitHub makes the targets of .ci/run, each once.
func TestWorkflow(t *testing.T) {
	_, matrix, _ := strings.Cut(read(t, ".github/workflows/ci.yml"), "targets:\n")
	matrix, _, _ = strings.Cut(matrix, "env:")
	got := strings.Fields(strings.ReplaceAll(matrix, "- ", ""))
	var want []string
	named := regexp.MustCompile(`(?m)^(?:step|beside|for target in) ([a-z -]+)`)
	for _, line := range named.FindAllStringSubmatch(read(t, ".ci/run"), -1) {
		want = append(want, strings.Fields(line[1])...)
	}
	// other targets of the workflow build the server by themselves
	want = slices.DeleteFunc(want, func(target string) bool { return target == "build" })
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the workflow makes %q, expected %q", got, want)
	}
}

// TestManual checks that the manual page names every command of the reference.
func TestManual(t *testing.T) {
	manual := strings.NewReplacer(`\-`, "-", `"`, "").Replace(read(t, "deploy/safelight.1"))
	commands := 0
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*`) \\|").
		FindAllStringSubmatch(read(t, "docs/reference/commands.md"), -1) {
		for _, m := range regexp.MustCompile("`([a-z-]+)").FindAllStringSubmatch(row[1], -1) {
			commands++
			if !strings.Contains(manual, m[1]) {
				t.Errorf("deploy/safelight.1 lacks %s", m[1])
			}
		}
	}
	if commands == 0 {
		t.Error("docs/reference/commands.md names no command")
	}
}
