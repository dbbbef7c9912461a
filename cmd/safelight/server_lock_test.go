package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/safelight/safelight/database/databasetest"
)

// TestSecondServer: a second server on a SQLite database is refused with an error that names the first. Commands can
// run while a server runs, and a killed server leaves nothing to clean up.
func TestSecondServer(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	first := launchIn(t, data, nil)
	_, err := tryLaunchIn(t, data, nil)
	if err == nil {
		t.Fatal("a second server started")
	}
	address := strings.TrimPrefix(first.url, "http://")
	for _, want := range []string{data + "/safelight.db", fmt.Sprintf("process %d ", first.command.Process.Pid),
		address, "--data", "PostgreSQL"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("it does not say %q: %v", want, err)
		}
	}
	if r := first.get("/readyz"); r.status != http.StatusOK {
		t.Errorf("the first server afterwards: %d %s", r.status, r.body)
	}
	for _, args := range [][]string{{"user", "list"}, {"doctor"}, {"migrate", "status"}, {"keys", "rotate"},
		{"backup", t.TempDir() + "/backup.tar"}} {
		out := runCommand(t, programLink(t), data, 0, []string{"SAFELIGHT_DATA=" + data}, args...)
		if strings.Contains(out, "another server") || strings.Contains(out, "BAD ") {
			t.Errorf("%v beside the server: %s", args, out)
		}
	}
	elsewhere := "sqlite://" + t.TempDir() + "/safelight.db"
	if _, err := tryLaunchIn(t, data, nil, "--database", elsewhere, "--allow-new-database"); err == nil ||
		!strings.Contains(err.Error(), "another server uses the data folder "+data+": process ") {
		t.Errorf("a second server on the data folder, with another database: %v", err)
	}
	must(t, first.command.Process.Kill())
	<-first.done
	next := launchIn(t, data, nil)
	must(t, next.stop())
}

// TestSecondServerOnPostgres: servers on PostgreSQL share a database, but not a data folder.
func TestSecondServerOnPostgres(t *testing.T) {
	needsPostgres(t)
	flags := []string{"--database", databasetest.EmptyPostgres(t), "--storage", "file://" + t.TempDir()}
	data := ""
	for range 2 {
		data = t.TempDir()
		s := launchIn(t, data, nil, flags...)
		t.Cleanup(func() { must(t, s.stop()) })
	}
	_, err := tryLaunchIn(t, data, nil, flags...)
	if err == nil || !strings.Contains(err.Error(), "another server uses the data folder "+data+": process ") {
		t.Errorf("a second server on a data folder: %v", err)
	}
}
