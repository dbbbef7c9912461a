//go:build !gs && !azblob

package storage_test

import (
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// TestAbsentDrivers asks for drivers that are behind build tags.
func TestAbsentDrivers(t *testing.T) {
	for address, tag := range map[string]string{"gs://bucket": "gs", "azblob://account/container": "azblob"} {
		_, err := storage.Open(t.Context(), address)
		if fault.CodeOf(err) != fault.Invalid || !strings.Contains(fault.Of(err).Message, "make build TAGS="+tag) {
			t.Errorf("Open(%s): %v, expected how to build it", address, err)
		}
		if err := storage.CheckAddress(address); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("CheckAddress(%s): %v", address, err)
		}
	}
	if forms := storage.Forms(); strings.Contains(forms, "gs:") {
		t.Errorf("the forms of addresses are %s", forms)
	}
}
