package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A fenced block of docs/graphql.md: where it starts, the info string after the fence, and its text.
type recipeBlock struct {
	line       int
	kind, text string
}

// cook runs the blocks of docs/graphql.md in their order: what one learns, a later one may use.
type cook struct {
	*testing.T
	dir, url string
	vars     map[string]string
	answer   string // of the last sh or graphql block
}

var (
	recipeFence = regexp.MustCompile("(?ms)^```([a-z ]*)\n(.*?)^```$")
	recipeName  = regexp.MustCompile(`\$(\w+)`)
)

// TestRecipes holds docs/graphql.md to the real server: every block is run, every answer compared.
// In an answer, "..." stands for any value, as the last of a list for any number of them, and
// "$name" for a value that later blocks use.
func TestRecipes(t *testing.T) {
	text, err := os.ReadFile("../../docs/graphql.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := recipeBlocks(string(text))
	dir, server := startInEmptyFolder(t)
	c := &cook{T: t, dir: dir, url: server.field(bannerURL), vars: map[string]string{"PASSWORD": server.password()}}
	answers, recipes := 0, strings.Count(string(text), "\n## ")
	for i := 0; i < len(blocks); i++ {
		b := blocks[i]
		switch b.kind {
		case "sh":
			c.shell(b)
		case "graphql":
			variables := "{}"
			if i+1 < len(blocks) && blocks[i+1].kind == "json variables" {
				i++
				variables = blocks[i].text
			}
			c.ask(b, variables)
		case "json answer":
			answers++
			c.compare(b)
		default:
			t.Errorf("docs/graphql.md:%d: nobody runs a block of kind %q", b.line, b.kind)
		}
	}
	if recipes < 10 || answers < recipes {
		t.Errorf(
			"docs/graphql.md has %d recipes with %d answers, want ten or more and an answer in each", recipes,
			answers,
		)
	}
}

func recipeBlocks(text string) (blocks []recipeBlock) {
	for _, m := range recipeFence.FindAllStringSubmatchIndex(text, -1) {
		blocks = append(
			blocks,
			recipeBlock{line: 1 + strings.Count(text[:m[0]], "\n"), kind: text[m[2]:m[3]], text: text[m[4]:m[5]]},
		)
	}
	return blocks
}

// shell runs a block with the variables, and keeps those that it sets.
func (c *cook) shell(b recipeBlock) {
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
		c.Fatalf("docs/graphql.md:%d: %v\n%s%s", b.line, err, out, stderr.String())
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
func (c *cook) ask(b recipeBlock, variables string) {
	c.Helper()
	variables = recipeName.ReplaceAllStringFunc(variables, func(name string) string {
		value, known := c.vars[name[1:]]
		if !known {
			c.Fatalf("docs/graphql.md:%d: nothing has set %s", b.line, name)
		}
		return value
	})
	body, err := json.Marshal(map[string]any{"query": b.text, "variables": json.RawMessage(variables)})
	if err != nil {
		c.Fatalf("docs/graphql.md:%d: the variables: %v", b.line, err)
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

func (c *cook) compare(b recipeBlock) {
	c.Helper()
	var want, have any
	if err := json.Unmarshal([]byte(b.text), &want); err != nil {
		c.Fatalf("docs/graphql.md:%d: %v", b.line, err)
	}
	if err := json.Unmarshal([]byte(c.answer), &have); err != nil {
		c.Fatalf("docs/graphql.md:%d: the answer is no JSON: %v\n%s", b.line, err, c.answer)
	}
	if difference := recipeDiffers("answer", want, have, c.vars); difference != "" {
		c.Errorf("docs/graphql.md:%d: %s\n%s", b.line, difference, c.answer)
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

// TestRecipesCanFail holds the comparison itself.
func TestRecipesCanFail(t *testing.T) {
	for _, c := range []struct {
		want, have string
		same       bool
	}{
		{`{"a": 1}`, `{"a": 1}`, true}, {`{"a": 1}`, `{"a": 2}`, false}, {`{"a": 1}`, `{"a": 1, "b": 2}`, false}, {`{"a": "..."}`, `{"b": 1}`, false},
		{`"..."`, `[1]`, true}, {`"..."`, `null`, false}, {`"$x"`, `null`, false}, {`[1, "..."]`, `[1]`, true}, {`[1, "..."]`, `[2]`, false}, {`[]`, `[1]`, false}, {`[1]`, `{}`, false},
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
