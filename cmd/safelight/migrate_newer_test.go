package main

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
)

// TestNewerMigrations: an older program names the migrations that only a newer one knows.
func TestNewerMigrations(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	mustRun(t, data, "", "migrate", "up")
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(data, "safelight.db"))
	must(t, err)
	_,
		err = db.ExecContext(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES "+
		"(99990101000000, TRUE)")
	must(t, err)
	must(t, db.Close())
	out := mustRun(t, data, "", "migrate", "status")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if !strings.HasPrefix(lines[len(lines)-1], "99990101000000") ||
		!strings.Contains(lines[len(lines)-1], "by a newer version of Safelight than this one") {
		t.Errorf("the status does not name it:\n%s", out)
	}
	out, _, err = inFolder(t, data, "", "doctor")
	if err == nil || !strings.Contains(out, "it has migrations of a newer version") {
		t.Errorf("doctor: %v\n%s", err, out)
	}
}
