package auth

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestReplaceFile replaces a file whose old content is still open under another name.
func TestReplaceFile(t *testing.T) {
	folder := t.TempDir()
	name, old := filepath.Join(folder, "database.json"), filepath.Join(folder, "old")
	if err := os.WriteFile(old, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(old, name); err != nil {
		t.Fatal(err)
	}
	if err := ReplaceFile(name, []byte("new")); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{name: "new", old: "old"} {
		if b, err := os.ReadFile(file); string(b) != want {
			t.Errorf("%s holds %q, %v, expected %q", file, b, err, want)
		}
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := ReplaceFile(filepath.Join(old, "none"), nil); err == nil {
		t.Error("a file was written below a file")
	}
	if entries, err := os.ReadDir(folder); len(entries) != 2 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}

// TestReplaceFileOfOthers holds that a file which root writes in the folder of another user belongs to that user.
func TestReplaceFileOfOthers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can write in a folder of another user")
	}
	folder := t.TempDir()
	if err := os.Chown(folder, 65534, 65533); err != nil {
		t.Fatal(err)
	}
	for _, when := range []string{"new", "replaced"} {
		name := filepath.Join(folder, "keys.json")
		if err := ReplaceFile(name, []byte(when)); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if owner := info.Sys().(*syscall.Stat_t); owner.Uid != 65534 || owner.Gid != 65533 {
			t.Errorf("the %s file belongs to %d:%d, expected the owner of the folder", when, owner.Uid, owner.Gid)
		}
	}
}
