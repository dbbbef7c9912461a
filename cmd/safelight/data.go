package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// makeData creates the data folder if it is missing.
func makeData(s *Settings) error {
	if err := os.MkdirAll(s.Data, 0o700); err != nil {
		return explainData(s, fmt.Errorf("creating the data folder: %w", err))
	}
	return nil
}

// explainData says what to set if err means that this user may not write something in the data folder.
func explainData(s *Settings, err error) error {
	var failed *fs.PathError
	if !errors.As(err, &failed) || !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		return err
	}
	data, e := filepath.Abs(s.Data)
	name, e2 := filepath.Abs(failed.Path)
	if errors.Join(e, e2) != nil || !strings.HasPrefix(data+"/", name+"/") && !strings.HasPrefix(name, data+"/") {
		return err
	}
	return fmt.Errorf("%w. The data folder is %s (%s), and user %d has to be able to write there: give the folder to this user, "+
		"or name another one with --data or SAFELIGHT_DATA", err, data, s.origins["data"].where, os.Geteuid())
}
