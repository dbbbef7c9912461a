package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var readmeExample = regexp.MustCompile("(?s)<!-- example -->\n```sh\n(.*?)```")

// TestReadmeExamples runs the examples of README.md in one shell, against a server that starts
// in an empty folder.
func TestReadmeExamples(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := readmeExample.FindAllStringSubmatch(string(readme), -1)
	if len(examples) != 5 {
		t.Fatalf("README.md has %d examples, want 5", len(examples))
	}
	dir, server := startInEmptyFolder(t)
	script := "set -eu -o pipefail\n"
	for _, e := range examples {
		script += strings.ReplaceAll(e[1], "http://127.0.0.1:8000", server.field(bannerURL)) + "\necho\n"
	}
	shell := exec.Command("bash", "-c", script+"echo TOKEN=$TOKEN")
	shell.Dir = dir
	shell.Env = append(cleanEnv(), "PASSWORD="+server.password())
	out, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, server.stderr.String())
	}
	for _, want := range []string{`"blurhash":"`, `"width":1500`, `"totalCount":1`, `"grid":"/`, "TOKEN=ey"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the examples print no %s:\n%s", want, out)
		}
	}
	checkStart(t, filepath.Join(dir, "small.jpg"), "\xff\xd8", 1<<20)
	checkStart(t, filepath.Join(dir, "card.webp"), "RIFF", 20000)
}

// startInEmptyFolder starts the server as the README says and stops it when the test ends.
func startInEmptyFolder(t *testing.T, args ...string) (dir string, server *runningServer) {
	t.Helper()
	dir = t.TempDir()
	binary, err := exec.LookPath("safelight") // TestMain put it there
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(binary, filepath.Join(dir, "bin", "safelight")); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("./bin/safelight", append([]string{"--listen", "127.0.0.1:0"}, args...)...)
	command.Dir = dir
	command.Env = cleanEnv()
	if server, err = startServer(command); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.stop(); err != nil {
			t.Error(err)
		}
	})
	return dir, server
}

// cleanEnv is this process's environment without our settings.
func cleanEnv() []string {
	var env []string
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, envPrefix) && !strings.HasPrefix(pair, "DATABASE_URL=") {
			env = append(env, pair)
		}
	}
	return env
}

func checkStart(t *testing.T, file, magic string, most int) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
	} else if !strings.HasPrefix(string(content), magic) || len(content) > most {
		t.Errorf("%s starts with % x and has %d bytes, want % x and at most %d", filepath.Base(file), content[:4], len(content), magic, most)
	}
}
