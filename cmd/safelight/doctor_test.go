package main

import (
	"errors"
	"os"
	"path/filepath"
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

// TestKeysFromSettings: a missing key file is a finding only if a secret comes from it.
func TestKeysFromSettings(t *testing.T) {
	t.Parallel()
	data := filled(t)
	must(t, os.Remove(filepath.Join(data, "keys.json")))
	env := []string{"SAFELIGHT_DATA=" + data}
	const lost = "keys.json is missing although there is a database"
	if out := runCommand(t, programLink(t), t.TempDir(), 0, env, "doctor"); !strings.Contains(out, lost) {
		t.Errorf("without secrets in the settings, doctor does not say %q:\n%s", lost, out)
	}
	env = append(env, "SAFELIGHT_TOKEN_SECRET="+strings.Repeat("t", 64),
		"SAFELIGHT_PROCESSOR_SECRET="+strings.Repeat("p", 64), "SAFELIGHT_STORAGE=file://"+data+"/files")
	if out := runCommand(t, programLink(t), t.TempDir(), 0, env, "doctor"); strings.Contains(out, lost) {
		t.Errorf("with all secrets in the settings: %s", out)
	}
}
