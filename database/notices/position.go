package notices

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// Position reads the position that Keep has written to a file. A server continues there after a restart,
// because other servers may have purged files in the meantime that are still in its cache. If the file does
// not exist, it returns the end of the log.
func (b *Bus) Position(ctx context.Context, file string) (int64, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return b.End(ctx)
	}
	if err != nil {
		return 0, fmt.Errorf("reading the position in the log of notices: %w", err)
	}
	position, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0, nil // everything that is still in the log, or Missed
	}
	return position, nil
}

// Keep writes a position to a file, without syncing. If a crash damages the file, notices are merely repeated
// or missed.
func Keep(file string, position int64) error {
	if err := os.WriteFile(file+".new", []byte(strconv.FormatInt(position, 10)+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}
