package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
)

// A fenced block of a document: where it starts, the info string after the fence, and its text.
type docBlock struct {
	line       int
	kind, text string
}

// cook runs the blocks of a document in their order: what one learns, a later one may use.
type cook struct {
	*testing.T
	file, dir, url string
	vars           map[string]string
	answer         string // of the last sh or graphql block
}

var (
	docFence   = regexp.MustCompile("(?ms)^```([^\n]*)\n(.*?)^```$")
	docFile    = regexp.MustCompile(`^[a-z]+ ([a-z0-9-]+\.[a-z]+)$`)
	recipeName = regexp.MustCompile(`\$(\w+)`)

	// docShown are the kinds of blocks that nothing here runs. TestProxiesOfTheDocs runs the configurations of proxies,
	// and the tests of package graph read every graphql block.
	docShown = []string{
		"console", "text", "json", "js", "ts", "tsx", "html", "css", "http", "ini", "yaml", "python", "kotlin",
		"nginx", "nginx upstream", "vcl", "caddyfile", "haproxy",
	}
)

// TestDocuments runs the examples of README.md and docs against one server that starts in an empty folder.
//
// - `sh` is run in that folder, with $PASSWORD of the admin, $SAFELIGHT and the $TOKEN of a login; what it sets is
// there
//
//	  for later blocks of the document.
//	- `graphql` is sent with $TOKEN if a `json answer` follows, and a `json variables` before it.
//	- `json answer` is compared with the answer of the block before. "..." stands for any value, as the last of a list
//	  for any number of them, and "$name" for a value that later blocks use.
//	- `text output` is what the `sh` block before prints.
//	- `html page.html`, or any language and name, writes that file.
//	- `example` is a picture of the page at /docs, which TestDocsExport renders.
//
// Documents of docs/guides/migrate have a test in package migrate.
func TestDocuments(t *testing.T) {
	ran := 0
	dir, server := startInEmptyFolder(t)
	at := cook{dir: dir, url: server.field(bannerURL)}
	token := at.login(t, server.password())
	// The examples show what the server knows of its sample, which it analyzes in the background.
	at.T, at.vars = t, map[string]string{"TOKEN": token}
	waitFor(t, func() bool {
		at.ask(docBlock{text: `{ file(path: "samples/welcome.jpg") { width } }`}, "{}")
		return strings.Contains(at.answer, `"width":1500`)
	}, func() string { return at.answer })
	for _, file := range documentsWithExamples(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(file, "../../")
		blocks := docBlocks(string(text))
		t.Run(strings.TrimSuffix(filepath.Base(name), ".md"), func(t *testing.T) {
			if strings.Count(string(text), "```") != 2*len(blocks) {
				t.Errorf("%s has a fence that is indented or does not end", name)
			}
			c := &cook{
				T: t, file: name, dir: dir, url: at.url,
				vars: map[string]string{"PASSWORD": server.password(), "SAFELIGHT": at.url, "TOKEN": token},
			}
			for i := range blocks {
				ran += c.block(blocks, i)
			}
		})
	}
	if ran == 0 {
		t.Error("no document has an example that was run")
	}
}

// login returns a token of the admin.
func (c cook) login(t *testing.T, password string) string {
	t.Helper()
	body, err := json.Marshal(map[string]string{"username": "admin", "password": password})
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(c.url+"/api/auth/login", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct {
		Token string `json:"token"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || answer.Token == "" {
		t.Fatalf("the login answers %s, %v", response.Status, err)
	}
	return answer.Token
}

func documentsWithExamples(t *testing.T) []string {
	t.Helper()
	files := []string{"../../README.md"}
	err := filepath.WalkDir("../../docs", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "migrate" {
			return filepath.SkipDir
		}
		if filepath.Ext(file) == ".md" {
			files = append(files, file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// block runs the block at i, and returns 1 if it did.
func (c *cook) block(blocks []docBlock, i int) int {
	b := blocks[i]
	follows := func(at int, kind string) bool { return at < len(blocks) && blocks[at].kind == kind }
	switch name := docFile.FindStringSubmatch(b.kind); {
	case b.kind == "sh":
		c.shell(b)
	case b.kind == "graphql" && follows(i+1, "json variables") && follows(i+2, "json answer"):
		c.ask(b, blocks[i+1].text)
	case b.kind == "graphql" && follows(i+1, "json answer"):
		c.ask(b, "{}")
	case b.kind == "json answer":
		c.compare(b)
	case b.kind == "text output":
		if strings.TrimRight(c.answer, "\n") != strings.TrimRight(b.text, "\n") {
			c.Errorf("%s:%d: the example prints\n%s", c.file, b.line, c.answer)
		}
	case name != nil:
		if err := os.WriteFile(filepath.Join(c.dir, name[1]), []byte(b.text), 0o600); err != nil {
			c.Fatal(err)
		}
	case b.kind == "graphql", b.kind == "json variables", b.kind == "example", slices.Contains(docShown, b.kind):
		return 0
	default:
		c.Errorf("%s:%d: nothing runs a block of kind %q", c.file, b.line, b.kind)
	}
	return 1
}

func docBlocks(text string) (blocks []docBlock) {
	for _, m := range docFence.FindAllStringSubmatchIndex(text, -1) {
		blocks = append(
			blocks,
			docBlock{line: 1 + strings.Count(text[:m[0]], "\n"), kind: text[m[2]:m[3]], text: text[m[4]:m[5]]},
		)
	}
	return blocks
}

// shell runs a block with the variables, and keeps those that it sets.
func (c *cook) shell(b docBlock) {
	c.Helper()
	kept := filepath.Join(c.T.TempDir(), "env")
	script := strings.ReplaceAll(b.text, "http://127.0.0.1:8000", c.url)
	command := exec.Command("bash", "-c", "set -eua -o pipefail\n"+script+"\nenv -0 >"+kept)
	command.Dir, command.Env = c.dir, cleanEnv()
	for name, value := range c.vars {
		command.Env = append(command.Env, name+"="+value)
	}
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		c.Fatalf("%s:%d: %v\n%s%s", c.file, b.line, err, out, stderr.String())
	}
	c.answer = string(out)
	env, err := os.ReadFile(kept)
	if err != nil {
		c.Fatal(err)
	}
	for pair := range strings.SplitSeq(string(env), "\x00") {
		name, value, _ := strings.Cut(pair, "=")
		if !slices.Contains(command.Env, pair) && name != "" && name != "_" && name != "PWD" && name != "SHLVL" {
			c.vars[name] = value
		}
	}
}

// ask sends a document with the variables.
func (c *cook) ask(b docBlock, variables string) {
	c.Helper()
	variables = recipeName.ReplaceAllStringFunc(variables, func(name string) string {
		value, known := c.vars[name[1:]]
		if !known {
			c.Fatalf("%s:%d: nothing has set %s", c.file, b.line, name)
		}
		return value
	})
	body, err := json.Marshal(map[string]any{"query": b.text, "variables": json.RawMessage(variables)})
	if err != nil {
		c.Fatalf("%s:%d: the variables: %v", c.file, b.line, err)
	}
	request, err := http.NewRequestWithContext(
		c.Context(), http.MethodPost, c.url+"/api/graphql", bytes.NewReader(body),
	)
	if err != nil {
		c.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+c.vars["TOKEN"])
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		c.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		c.Fatal(err)
	}
	c.answer = string(answer)
}

func (c *cook) compare(b docBlock) {
	c.Helper()
	var want, have any
	if err := json.Unmarshal([]byte(b.text), &want); err != nil {
		c.Fatalf("%s:%d: %v", c.file, b.line, err)
	}
	if err := json.Unmarshal([]byte(c.answer), &have); err != nil {
		c.Fatalf("%s:%d: the answer is no JSON: %v\n%s", c.file, b.line, err, c.answer)
	}
	if difference := recipeDiffers("answer", want, have, c.vars); difference != "" {
		c.Errorf("%s:%d: %s\n%s", c.file, b.line, difference, c.answer)
	}
}

// recipeDiffers tells the first place where have is not what want stands for; empty when there is none.
func recipeDiffers(at string, want, have any, vars map[string]string) string {
	switch w := want.(type) {
	case string:
		if w == "..." && have != nil {
			return ""
		}
		if name, learn := strings.CutPrefix(w, "$"); learn && have != nil {
			vars[name] = fmt.Sprint(have)
			return ""
		}
	case map[string]any:
		h, same := have.(map[string]any)
		if !same || len(h) != len(w) {
			return fmt.Sprintf("%s: want %v, have %v", at, want, have)
		}
		for name := range w {
			if difference := recipeDiffers(at+"."+name, w[name], h[name], vars); difference != "" {
				return difference
			}
		}
		return ""
	case []any:
		h, same := have.([]any)
		if n := len(w) - 1; same && n >= 0 && w[n] == "..." && len(h) >= n {
			w, h = w[:n], h[:n]
		}
		if !same || len(h) != len(w) {
			return fmt.Sprintf("%s: want %v, have %v", at, want, have)
		}
		for i := range w {
			if difference := recipeDiffers(fmt.Sprintf("%s[%d]", at, i), w[i], h[i], vars); difference != "" {
				return difference
			}
		}
		return ""
	}
	if want != have {
		return fmt.Sprintf("%s: want %v, have %v", at, want, have)
	}
	return ""
}

// TestDocumentsCanFail holds the comparison itself.
func TestDocumentsCanFail(t *testing.T) {
	for _, c := range []struct {
		want, have string
		same       bool
	}{
		{`{"a": 1}`, `{"a": 1}`, true}, {`{"a": 1}`, `{"a": 2}`, false}, {`{"a": 1}`, `{"a": 1, "b": 2}`, false},
		{`{"a": "..."}`, `{"b": 1}`, false},
		{`"..."`, `[1]`, true}, {`"..."`, `null`, false}, {`"$x"`, `null`, false}, {`[1, "..."]`, `[1]`, true},
		{`[1, "..."]`, `[2]`, false}, {`[]`, `[1]`, false}, {`[1]`, `{}`, false},
	} {
		var want, have any
		if json.Unmarshal([]byte(c.want), &want) != nil || json.Unmarshal([]byte(c.have), &have) != nil {
			t.Fatal(c)
		}
		if got := recipeDiffers("", want, have, map[string]string{}); (got == "") != c.same {
			t.Errorf("%s and %s: %q", c.want, c.have, got)
		}
	}
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

// TestTroubleshootingHasEveryCode holds that the guide says what to do about each error.
func TestTroubleshootingHasEveryCode(t *testing.T) {
	text, err := os.ReadFile("../../docs/guides/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range fault.Codes() {
		if !strings.Contains(string(text), "\n| `"+string(code)+"` |") {
			t.Errorf("docs/guides/troubleshooting.md has no row for %s", code)
		}
	}
}
