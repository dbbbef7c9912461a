package main

import (
	"errors"
	"strings"
	"testing"
)

// TestWarnings: a warning is shown as one, and does not fail the command.
func TestWarnings(t *testing.T) {
	var out strings.Builder
	d := &diagnosis{out: &out}
	d.report("keys", "are there", nil)
	d.warn("fonts", "none installed\ninstall some")
	d.report("storage", "", errors.New("gone"))
	if want := "ok   keys      are there\nWARN fonts     none installed; install some\nBAD  storage   gone\n"; out.String() != want {
		t.Errorf("%q, expected %q", out.String(), want)
	}
	if d.bad != 1 || !d.findings[1].ok || !d.findings[1].warning || d.findings[2].ok {
		t.Errorf("%d bad: %+v", d.bad, d.findings)
	}
}
