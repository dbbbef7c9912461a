package server

import (
	"testing"

	"github.com/safelight/safelight/fault"
)

func TestEveryCodeHasAStatus(t *testing.T) {
	for _, c := range fault.Codes() {
		if statusOf[c] < 400 {
			t.Errorf("code %s has status %d", c, statusOf[c])
		}
	}
	if len(statusOf) != len(fault.Codes()) {
		t.Errorf("%d statuses for %d codes", len(statusOf), len(fault.Codes()))
	}
}
