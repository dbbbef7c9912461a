package auth

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// ReplaceFile writes a file with mode 0600 atomically: after a crash it has either the old content or the new one. If
// root runs a command for a server of another user, the file belongs to the owner of its folder, so that the server can
// read it.
func ReplaceFile(name string, content []byte) error {
	temp, err := writeTemp(name, content)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, name); err != nil {
		os.Remove(temp)
		return err
	}
	return nil
}

// writeTemp writes a hidden file with mode 0600 beside name, for the caller to rename or remove.
func writeTemp(name string, content []byte) (temp string, err error) {
	folder := filepath.Dir(name)
	t, err := os.CreateTemp(folder, ".new-*")
	if err != nil {
		return "", err
	}
	_, err = t.Write(content)
	if err = errors.Join(err, giveToOwner(t, folder), t.Sync(), t.Close()); err != nil {
		os.Remove(t.Name())
		return "", err
	}
	return t.Name(), nil
}

// giveToOwner gives a new file to the owner of its folder, which only root can do; for other users it does nothing.
func giveToOwner(file *os.File, folder string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(folder)
	if err != nil {
		return err
	}
	owner, known := info.Sys().(*syscall.Stat_t)
	if !known || owner.Uid == 0 {
		return nil
	}
	return file.Chown(int(owner.Uid), int(owner.Gid))
}
