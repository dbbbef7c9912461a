package main

import (
	"os"
	"strings"
	"testing"
)

// TestDockerfile reads the repository's Dockerfile: every instruction is known here, and the versions are those of
// go.mod and the Makefile.
func TestDockerfile(t *testing.T) {
	text, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	stages, values, err := parse(string(text), map[string]string{"SUITE": "forky"})
	if err != nil {
		t.Fatal(err)
	}
	if len(stages) != 5 || named(stages, "build") != 1 || named(stages, "run") != 2 || stages[4].base != "run" {
		t.Errorf("stages: %+v", stages)
	}
	if stages[1].base != "debian:forky-slim" || values["BASE"] != stages[1].base ||
		!strings.HasPrefix(stages[0].base, "golang:"+values["GO"]+"-") {
		t.Errorf("bases: %v, %s", values, stages[0].base)
	}
	last := stages[4].steps
	if op := last[len(last)-1]; op != (step{"ENTRYPOINT", `["safelight"]`}) {
		t.Errorf("the last instruction is %v", op)
	}
	module, err := os.ReadFile("../../go.mod")
	if err != nil || !strings.Contains(string(module), "\ntoolchain go"+values["GO"]+"\n") {
		t.Errorf("the Dockerfile takes Go %s, go.mod another: %v", values["GO"], err)
	}
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil || !strings.Contains(string(makefile), "-suite trixie -vips 8.16 ") ||
		!strings.Contains(string(text), "\nARG SUITE=trixie\n") || !strings.Contains(string(text),
		"\nARG VIPS=8.16\n") {
		t.Errorf("make test-roots tries another release than the Dockerfile's: %v", err)
	}
}

// TestParse reads what is joined, replaced and refused.
func TestParse(t *testing.T) {
	stages, values, err := parse("# one\nARG A=1\nARG B=x${A}$A\nFROM $B AS b\nRUN one \\\n # no\n  && two\n",
		map[string]string{"A": "2"})
	if err != nil || values["B"] != "x22" || len(stages) != 1 || stages[0].base != "x22" || stages[0].name != "b" ||
		len(stages[0].steps) != 1 || stages[0].steps[0].args != "one && two" {
		t.Errorf("%+v %v %v", stages, values, err)
	}
	for _, text := range []string{"FROM a\nADD x /", "RUN x", "FROM a\nONBUILD RUN x"} {
		if _, _, err := parse(text, nil); err == nil {
			t.Errorf("%q was read", text)
		}
	}
	if words, err := list(`["a", "b"]`); err != nil || strings.Join(words, "+") != "a+b" {
		t.Error(words, err)
	}
	if _, err := list("a b"); err == nil {
		t.Error("a shell's form was read")
	}
}
