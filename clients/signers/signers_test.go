// Package signers_test holds the signers of all languages to testdata/vectors.
package signers_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	safelight "github.com/safelight/safelight/clients/signers/go"
)

type vectors struct {
	HMAC []struct {
		Name, Secret, Algorithm, Path, Signature, URL string
		Truncate                                      int
	}
	Families []struct {
		Name, Secret, Algorithm, Policy, Path, Signature string
		Truncate                                         int
		Choices                                          []struct {
			Width                        int
			Density                      float64
			Format, Quality, Choice, URL string
		}
	}
	Encrypted []struct{ Name, KeyID, Key, Path, Image string }
	Images    []struct{ Image, Encoded string }
}

// question is a call of a signer as a line of tab-separated fields, and the answer.
type question struct{ name, line, want string }

// encrypt begins the lines that need AES.
const encrypt = "encrypt"

func questions(t *testing.T) (list []question) {
	var v vectors
	for _, file := range []string{"urls.json", "paths.json"} {
		data, err := os.ReadFile("../../testdata/vectors/" + file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(name, want string, fields ...string) {
		list = append(list, question{name, strings.Join(fields, "\t"), want})
	}
	for _, h := range v.HMAC {
		ask(h.Name, h.Signature, "sign", h.Secret, h.Algorithm, strconv.Itoa(h.Truncate), h.Path)
		ask(h.Name, h.URL, "url", h.Secret, h.Algorithm, strconv.Itoa(h.Truncate), h.Path)
	}
	for _, f := range v.Families {
		template := "/" + f.Signature + "/family(" + f.Policy + ")/{choice}/" + f.Path
		ask(f.Name, template, "family", f.Secret, f.Algorithm, strconv.Itoa(f.Truncate), f.Policy, f.Path)
		for _, c := range f.Choices {
			ask(
				f.Name+", "+c.Choice, c.URL, "choice", template, number(float64(c.Width)), number(c.Density),
				c.Format, c.Quality,
			)
		}
	}
	for _, e := range v.Encrypted {
		ask(e.Name, e.Image, encrypt, e.KeyID, e.Key, e.Path)
	}
	for _, i := range v.Images {
		ask(i.Image, i.Encoded, "image", i.Image)
	}
	if len(v.HMAC) == 0 || len(v.Families) == 0 || len(v.Encrypted) == 0 || len(v.Images) == 0 {
		t.Fatal("the vectors are empty")
	}
	return list
}

func number(n float64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

func TestGo(t *testing.T) {
	for _, q := range questions(t) {
		if got := answer(t, strings.Split(q.line, "\t")); got != q.want {
			t.Errorf("%s: %s\n got %s\nwant %s", q.name, q.line, got, q.want)
		}
	}
	if _, err := (safelight.Signer{Secret: "1", Algorithm: "MD5"}).Sign("a.jpg"); err == nil {
		t.Error("signs by MD5")
	}
	if _, err := safelight.EncryptPath("a.jpg", "k", make([]byte, 32)); err == nil {
		t.Error("takes a key of 32 bytes")
	}
}

func answer(t *testing.T, f []string) (got string) {
	var err error
	switch f[0] {
	case "image":
		return safelight.EncodeImage(f[1])
	case "choice":
		width, _ := strconv.Atoi(f[2])
		density, _ := strconv.ParseFloat(f[3], 64)
		return safelight.FamilyURL(f[1], safelight.Choice{Width: width, Density: density, Format: f[4], Quality: f[5]})
	case encrypt:
		key, bad := hex.DecodeString(f[2])
		if bad != nil {
			t.Fatal(bad)
		}
		got, err = safelight.EncryptPath(f[3], f[1], key)
	default:
		n, _ := strconv.Atoi(f[3])
		s := safelight.Signer{Secret: f[1], Algorithm: f[2], Truncate: n}
		switch f[0] {
		case "sign":
			got, err = s.Sign(f[4])
		case "url":
			got, err = s.URL(f[4])
		case "family":
			got, err = s.Family(f[4], f[5])
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestLanguages runs each signer that the machine has the tools for. `make signers` installs them. With -short it
// leaves out those that have to be compiled; `make clients` runs that of TypeScript.
func TestLanguages(t *testing.T) {
	modules := os.Getenv("SAFELIGHT_TEST_NODE_MODULES") // with TypeScript and the types of Node.js
	if modules == "" {
		modules = abs(t, "../client/node_modules")
	}
	for _, l := range []struct {
		name  string
		needs string     // a program, or files of a library
		build [][]string // in a copy of the folder
		run   []string
		noAES string // answers with an error where the language has no AES
	}{
		{name: "typescript", needs: modules + "/typescript/bin/tsc",
			build: [][]string{{"node", modules + "/typescript/bin/tsc", "--strict", "--target", "es2022",
				"--module", "nodenext", "--typeRoots", modules + "/@types", "--types", "node", "safelight.ts"}},
			run: []string{"node", "vectors.mjs", "./safelight.js"}},
		{name: "python", needs: "python3", run: []string{"python3", "vectors.py"}, noAES: "import cryptography"},
		{name: "ruby", needs: "ruby", run: []string{"ruby", "vectors.rb"}},
		{name: "php", needs: "php", run: []string{"php", "vectors.php"}},
		{name: "java", needs: "javac", build: [][]string{
			{"javac", "-encoding", "UTF-8", "Safelight.java", "Vectors.java"}},
			run: []string{"java", "-Xmx128m", "Vectors"}},
		{name: "csharp", needs: "mcs", build: [][]string{{"mcs", "-out:vectors.exe", "Safelight.cs", "Vectors.cs"}},
			run: []string{"mono", "vectors.exe"}},
		{name: "rust", needs: "/usr/share/cargo/registry/hmac-*",
			build: [][]string{{"cargo", "build", "--quiet", "--offline", "--example", "vectors",
				"--config", `source.crates-io.replace-with="debian"`, "--config",
				`source.debian.directory="/usr/share/cargo/registry"`, "--target-dir", "target"}},
			run: []string{"./target/debug/examples/vectors"}},
	} {
		t.Run(l.name, func(t *testing.T) {
			if testing.Short() && len(l.build) > 0 {
				t.Skip("make signers compiles it")
			}
			if !installed(l.needs) || !installed(l.run[0]) && l.run[0][0] != '.' {
				t.Skipf("%s is not installed; make signers does that", l.needs)
			}
			list := questions(t)
			if l.noAES != "" && exec.Command(l.run[0], "-c", l.noAES).Run() != nil {
				t.Logf("%s fails: encryption is not covered", l.noAES)
				list = withoutEncryption(list)
			}
			folder := t.TempDir()
			if err := os.CopyFS(folder, os.DirFS(l.name)); err != nil {
				t.Fatal(err)
			}
			for _, command := range l.build {
				if out, err := in(folder, "", command); err != nil {
					t.Fatalf("%v: %v\n%s", command, err, out)
				}
			}
			ask(t, folder, l.run, list)
		})
	}
}

func ask(t *testing.T, folder string, run []string, list []question) {
	var lines strings.Builder
	for _, q := range list {
		lines.WriteString(q.line + "\n")
	}
	out, err := in(folder, lines.String(), run)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	answers := strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(out), "\r\n", "\n"), "\n"), "\n")
	if len(answers) != len(list) {
		t.Fatalf("%d answers to %d questions:\n%s", len(answers), len(list), out)
	}
	for i, q := range list {
		if answers[i] != q.want {
			t.Errorf("%s: %s\n got %s\nwant %s", q.name, q.line, answers[i], q.want)
		}
	}
}

func in(folder, input string, command []string) ([]byte, error) {
	c := exec.Command(command[0], command[1:]...) //nolint:gosec // commands of the table
	c.Dir, c.Stdin = folder, strings.NewReader(input)
	var out, problems bytes.Buffer
	c.Stdout, c.Stderr = &out, &problems
	if err := c.Run(); err != nil {
		return append(out.Bytes(), problems.Bytes()...), err
	}
	return out.Bytes(), nil
}

// installed reports whether a program runs, or whether files of that pattern are there.
func installed(program string) bool {
	if strings.Contains(program, "/") {
		found, err := filepath.Glob(program)
		return err == nil && len(found) > 0
	}
	// a shim of a version manager may be there without the program behind it
	return exec.Command(program, "--version").Run() == nil
}

func withoutEncryption(list []question) (rest []question) {
	for _, q := range list {
		if !strings.HasPrefix(q.line, encrypt) {
			rest = append(rest, q)
		}
	}
	return rest
}

func abs(t *testing.T, path string) string {
	full, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return full
}
