package deploy

import (
	"strings"
	"testing"
)

// TestRestarts checks that what restarts a crashed server never gives up, and never waits for long: systemd by its
// unit, the image by the program itself.
func TestRestarts(t *testing.T) {
	unit := read(t, "deploy/safelight.service")
	for _, line := range []string{"Restart=always", "RestartSec=500ms", "StartLimitIntervalSec=0"} {
		if !strings.Contains(unit, "\n"+line+"\n") {
			t.Errorf("the unit has no line %s", line)
		}
	}
	if !strings.Contains(read(t, "Dockerfile"), "SAFELIGHT_SUPERVISE=true") {
		t.Error("the image does not set SAFELIGHT_SUPERVISE, and container runtimes wait for minutes after a series " +
			"of crashes")
	}
}
