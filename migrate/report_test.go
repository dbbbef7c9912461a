package migrate

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
)

// TestURLOf holds which URL a line has.
func TestURLOf(t *testing.T) {
	for line, want := range map[string]string{
		"/unsafe/a.jpg":                         "/unsafe/a.jpg",
		"  https://example.com/unsafe/a.jpg\r ": "https://example.com/unsafe/a.jpg",
		"":                                      "",
		"# a comment":                           "",
		"two words":                             "",
		`1.2.3.4 - - [22/Nov/2026:10:00:00 +0000] "GET /unsafe/a.jpg HTTP/1.1" 200 5120`:                           "/unsafe/a.jpg",
		`1.2.3.4 - bob [22/Nov/2026:10:00:00 +0000] "GET /unsafe/a.jpg?x=1 HTTP/2.0" 304 0 "https://x/" "Mozilla"`: "/unsafe/a.jpg?x=1",
		`1.2.3.4 - - [22/Nov/2026:10:00:00 +0000] "HEAD /unsafe/a.jpg HTTP/1.1" 200 0`:                             "/unsafe/a.jpg",
		`1.2.3.4 - - [22/Nov/2026:10:00:00 +0000] "POST /unsafe/a.jpg HTTP/1.1" 200 0`:                             "",
		`1.2.3.4 - - [22/Nov/2026:10:00:00 +0000] "GET /unsafe/a.jpg HTTP/1.1" 404 0`:                              "",
		`{"request_uri":"/unsafe/a.jpg","status":200,"request_method":"GET"}`:                                      "/unsafe/a.jpg",
		`{"uri":"/unsafe/a.jpg","args":"x=1","status":"200"}`:                                                      "/unsafe/a.jpg?x=1",
		`{"request":"GET /unsafe/a.jpg HTTP/1.1","status":200}`:                                                    "/unsafe/a.jpg",
		`{"request":{"method":"GET","uri":"/unsafe/a.jpg"},"status":200}`:                                          "/unsafe/a.jpg",
		`{"RequestMethod":"GET","RequestPath":"/unsafe/a.jpg","DownstreamStatus":200}`:                             "/unsafe/a.jpg",
		`{"uri":"/unsafe/a.jpg","status":500}`:                                                                     "",
		`{"uri":"/unsafe/a.jpg","method":"PUT"}`:                                                                   "",
		`{"message":"started"}`:                                                                                    "",
		`{"uri":`:                                                                                                  "",
	} {
		if got, ok := urlOf(line); ok != (want != "") || ok && got != want {
			t.Errorf("%s: %q, %v, expected %q", line, got, ok, want)
		}
	}
}

const sample = `# URLs of a page
/unsafe/300x200/a.jpg
/unsafe/300x200/a.jpg
https://old.example.com/unsafe/300x200/a.jpg
/unsafe/filters:own_plugin(1)/a.jpg
/unsafe/filters:redact()/a.jpg
/x/rs:fit:300:200/plain/local:///a.jpg
/favicon.ico
`

// TestRun holds the report as text and as JSON, and the counts.
func TestRun(t *testing.T) {
	var text strings.Builder
	s, err := Run(strings.NewReader(sample+strings.Repeat("x", 2*maxLine)+"\n/unsafe/200x100/a.jpg"), &text, Config{})
	if err != nil || s.Lines != 10 || s.Requests != 8 || s.URLs != 5 || s.Same != 3 || s.Differ != 1 ||
		s.Refused != 1 || s.Others != 1 || s.Code() != 3 {
		t.Errorf("%+v, %v", s, err)
	}
	for _, want := range []string{"same     /unsafe/300x200/a.jpg\n",
		"differs  /unsafe/filters:own_plugin(1)/a.jpg\n " +
			"        own_plugin: ", "refused  /unsafe/filters:redact()/a.jpg\n         filter redact",
		"same     /x/rs:fit:300:200/plain/local:///a.jpg\n         here: fit-in/300x200/a.jpg\n",
		"\n10 lines, 8 requests, 5 different image URLs: 3 same, 1 differ, 1 refused; 1 other URLs\n",
		"needs: unsafe: on"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing from\n%s", want, text.String())
		}
	}
	if n := strings.Count(text.String(), "/unsafe/300x200/a.jpg"); n != 1 {
		t.Errorf("a URL that comes three times is printed %d times", n)
	}
	var lines strings.Builder
	if _, err := Run(strings.NewReader(sample), &lines, Config{JSON: true}); err != nil {
		t.Fatal(err)
	}
	all := strings.Split(strings.TrimSpace(lines.String()), "\n")
	var last struct{ Summary Summary }
	var first Result
	if json.Unmarshal([]byte(all[len(all)-1]), &last) != nil || last.Summary.URLs != 4 ||
		json.Unmarshal([]byte(all[0]), &first) != nil || first.Verdict != Same || first.Path != "300x200/a.jpg" {
		t.Errorf("%d lines: %s", len(all), lines.String())
	}
	var short strings.Builder
	if _, err := Run(strings.NewReader(sample), &short, Config{Summary: true}); err != nil ||
		strings.Contains(short.String(), "a.jpg") {
		t.Errorf("%v %s", err, short.String())
	}
}

func TestPrefix(t *testing.T) {
	s, err := Run(strings.NewReader("/images/unsafe/a.jpg\n/unsafe/b.jpg\nhttps://h/images/unsafe/c.jpg?x=1\n"),
		io.Discard, Config{Prefix: "/images/"})
	if err != nil || s.URLs != 2 || s.Requests != 2 {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestCodes holds the exit codes, and what is an error.
func TestCodes(t *testing.T) {
	for input, want := range map[string]int{"/unsafe/a.jpg": 0, "/unsafe/filters:own()/a.jpg": 2,
		"/unsafe/filters:redact()/a.jpg\n/unsafe/filters:own()/a.jpg": 3} {
		code, err := Command{File: "-"}.Report(strings.NewReader(input), io.Discard)
		if err != nil || code != want {
			t.Errorf("%s: %d, %v, expected %d", input, code, err, want)
		}
	}
	file := filepath.Join(t.TempDir(), "urls")
	if err := os.WriteFile(file, []byte("/unsafe/a.jpg\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, err := (Command{File: file, From: "thumbor"}).Report(nil, io.Discard); code != 0 || err != nil {
		t.Errorf("a file: %d, %v", code, err)
	}
	for name, c := range map[string]Command{"no such file": {File: file + "x"},
		"another product": {File: file, From: "cloudinary"}, "no URL": {File: "-"}} {
		if _, err := c.Report(strings.NewReader("/index.html\n"), io.Discard); err == nil {
			t.Errorf("%s is no error", name)
		}
	}
	if _, err := ParseProduct("x"); fault.CodeOf(err) != fault.Invalid {
		t.Error(err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error)  { return 0, errors.New("broken") }
func (failing) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestErrors(t *testing.T) {
	if _, err := Run(failing{}, io.Discard, Config{}); err == nil {
		t.Error("a read that fails is no error")
	}
	for _, c := range []Config{{}, {JSON: true}} {
		if _, err := Run(strings.NewReader(sample), failing{}, c); err == nil {
			t.Error("a write that fails is no error")
		}
	}
}
