package main

import (
	"bytes"
	"net"
	"strings"
	"testing"
)

// TestSilentDatabase checks that a start ends with an error, naming the database, if it accepts connections and never
// answers.
func TestSilentDatabase(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	var errs bytes.Buffer
	address := "postgres://user:secret@" + listener.Addr().String() + "/name?sslmode=disable&connect_timeout=1"
	err = run(
		t.Context(), []string{"--listen", "127.0.0.1:0", "--data", t.TempDir(), "--database", address}, nil,
		strings.NewReader(""), &errs, &errs,
	)
	if err == nil || !strings.Contains(err.Error(), "does not answer") ||
		strings.Contains(err.Error()+errs.String(), "secret") {
		t.Errorf("the start ends with %v, expected that the database does not answer", err)
	}
}

func TestPostgresAddress(t *testing.T) {
	t.Setenv("PGCONNECT_TIMEOUT", "")
	for given, want := range map[string]string{
		"postgres://u:p%20w@h:1/name":             "postgres://u:p%20w@h:1/name?connect_timeout=10",
		"postgresql://h/n?sslmode=disable":        "postgresql://h/n?sslmode=disable&connect_timeout=10",
		"postgres://h/n?connect_timeout=3&host=a": "postgres://h/n?connect_timeout=3&host=a",
	} {
		if got, err := postgresAddress(given); err != nil || got != want {
			t.Errorf("%s: %s, %v, expected %s", given, got, err, want)
		}
	}
	t.Setenv("PGCONNECT_TIMEOUT", "7")
	if got, err := postgresAddress("postgres://h/n"); err != nil || got != "postgres://h/n" {
		t.Errorf("with PGCONNECT_TIMEOUT: %s, %v", got, err)
	}
}

func TestVersionFlag(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"--version"}, nil, strings.NewReader(""), &out, &out); err != nil ||
		!strings.HasPrefix(out.String(), "safelight "+version) {
		t.Errorf("--version: %q, %v", out.String(), err)
	}
}
