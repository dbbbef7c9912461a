package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestInstalled reads what dpkg says, and leaves out what was removed.
func TestInstalled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "status")
	text := "Package: libvips42t64\nStatus: install ok installed\nArchitecture: amd64\nVersion: " +
		"8.16.1-1+deb13u1\nDescription: one\n more: text\n\n" +
		"Package: gone\nStatus: deinstall ok config-files\nArchitecture: all\nVersion: 1\n\nPackage: held\nStatus: " +
		"hold ok installed\nArchitecture: all\nVersion: 1:2\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := installed(file)
	want := []component{{Type: "library", Name: "libvips42t64", Version: "8.16.1-1+deb13u1",
		PURL: "pkg:deb/debian/libvips42t64@8.16.1-1%2Bdeb13u1?arch=amd64"},
		{Type: "library", Name: "held", Version: "1:2", PURL: "pkg:deb/debian/held@1%3A2?arch=all"}}
	if err != nil || len(list) != 2 || list[0].PURL != want[0].PURL || list[1].PURL != want[1].PURL ||
		list[1].Version != want[1].Version {
		t.Errorf("%+v, %v, expected %+v", list, err, want)
	}
	if _, err := installed(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there was read")
	}
	if err := os.WriteFile(file, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := installed(file); err == nil {
		t.Error("a file without packages was read")
	}
}
