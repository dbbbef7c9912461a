package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var namedTests = regexp.MustCompile("`([a-z/]+): (Test[A-Za-z]+)`")

// TestSecurityDoc holds docs/reference/security.md to the code: each test that is named there for a limit exists in
// that package.
func TestSecurityDoc(t *testing.T) {
	text, err := os.ReadFile("../../docs/reference/security.md")
	if err != nil {
		t.Fatal(err)
	}
	named := namedTests.FindAllStringSubmatch(string(text), -1)
	if len(named) < 15 {
		t.Fatalf("%d tests are named, expected more", len(named))
	}
	for _, n := range named {
		files, _ := filepath.Glob(filepath.Join("../..", n[1], "*_test.go"))
		found := false
		for _, name := range files {
			code, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			found = found || strings.Contains(string(code), "\nfunc "+n[2]+"(")
		}
		if !found {
			t.Errorf("%s has no test %s", n[1], n[2])
		}
	}
}
