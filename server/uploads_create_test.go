package server_test

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/server"
)

// create starts an upload as a tus client does.
func (s *stage) create(actor string, size string, metadata ...string) answer {
	s.Helper()
	return s.do("POST", "/api/uploads/", "", "Authorization", "Bearer "+s.tokens[actor], "Tus-Resumable", "1.0.0",
		"Upload-Length", size, "Upload-Metadata", encoded(metadata...))
}

// encoded returns pairs of a key and a value as the header Upload-Metadata.
func encoded(metadata ...string) string {
	var pairs []string
	for i := 0; i < len(metadata); i += 2 {
		pairs = append(pairs, metadata[i]+" "+base64.StdEncoding.EncodeToString([]byte(metadata[i+1])))
	}
	return strings.Join(pairs, ",")
}

func (s *stage) patch(url string, from int, data string, headers ...string) answer {
	s.Helper()
	return s.do("PATCH", url, data, append([]string{"Tus-Resumable", "1.0.0", "Upload-Offset", strconv.Itoa(from),
		"Content-Type", "application/offset+octet-stream"}, headers...)...)
}

// TestTusCreation uploads as tus-js-client does with an endpoint: create, chunks, and no other call. The file is there
// after the last byte, and the audit log names the account.
func TestTusCreation(t *testing.T) {
	s := newStage(t, nil)
	data := png + strings.Repeat("x", 5000)
	a := s.create("user", strconv.Itoa(len(data)), "filename", "sea.png", "filetype", "image/png", "folder", "trip")
	url := a.header.Get("Location")
	if a.status != 201 || !strings.HasPrefix(url, "/api/uploads/") || a.header.Get("Tus-Resumable") != "1.0.0" {
		t.Fatalf("%d %v %s", a.status, a.header, a.body)
	}
	if a := s.patch(url, 0, data[:2000]); a.status != 204 || a.header.Get("Upload-Offset") != "2000" {
		t.Fatalf("%d %s", a.status, a.body)
	}
	stat := func() answer { return s.graphQL("user", `{ file(path: "trip/sea.png") { size } }`, nil) }
	if a := stat(); a.code() != "NOT_FOUND" {
		t.Errorf("the file is there before its last byte: %s", a.body)
	}
	if a := s.patch(url, 2000, data[2000:]); a.status != 204 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if a := stat(); a.json("data", "file", "size") != float64(len(data)) {
		t.Errorf("%s", a.body)
	}
	if a := s.do("HEAD", url, ""); a.status != 200 || a.header.Get("Upload-Offset") != strconv.Itoa(len(data)) {
		t.Errorf("HEAD afterwards: %d %v", a.status, a.header)
	}
	if a := s.graphQL("admin", `{ auditEvents(filter: {target: "file:trip/sea.png"}) { nodes { action actorName } } }`,
		nil); !strings.Contains(a.body, `{"action":"file.upload","actorName":"user"}`) {
		t.Errorf("%s", a.body)
	}
}

// TestTusFinalPath: the answer to the last byte names the path of the file, which RENAME and Unicode normalization
// change; so does HEAD, for clients that lost that answer. Pages of other origins may read it.
func TestTusFinalPath(t *testing.T) {
	s := newStage(t, func(c *server.Config, _ *gallerytest.Config) { c.Origins = []string{"*"} })
	for _, c := range []struct{ path, want string }{
		{"trip/sea.png", "trip/sea.png"},
		{"trip/sea.png", "trip/sea-1.png"},
		{"50% off/Cafe\u0301 #1, ?.png", "50%25%20off/Caf%C3%A9%20%231,%20%3F.png"},
	} {
		at := s.create("user", strconv.Itoa(len(png)), "path", c.path, "onConflict", "RENAME").header.Get("Location")
		if a := s.patch(at, 0, png[:5]); a.status != 204 || a.header.Get("Upload-Path") != "" {
			t.Errorf("%s is named before its last byte: %d %v", c.path, a.status, a.header)
		}
		last := s.patch(at, 5, png[5:])
		head := s.do("HEAD", at, "", "Origin", "https://a.example")
		for _, a := range []answer{last, head} {
			if got := a.header.Get("Upload-Path"); got != c.want {
				t.Errorf("%s: %d %q, expected %q", c.path, a.status, got, c.want)
			}
		}
		if exposed := head.header.Get("Access-Control-Expose-Headers"); !strings.Contains(exposed, "Upload-Path") {
			t.Errorf("%s", exposed)
		}
	}
}

// TestTusCreationRefuses: what cannot be published is said at creation or with the last byte, never taken silently.
func TestTusCreationRefuses(t *testing.T) {
	s := newStage(t, nil)
	for name, c := range map[string]struct {
		actor, size string
		metadata    []string
		status      int
		code        string
	}{
		"no token":       {"", "5", []string{"path", "x.png"}, 401, "UNAUTHENTICATED"},
		"scope read":     {"guest", "5", []string{"path", "x.png"}, 403, "FORBIDDEN"},
		"no length":      {"user", "", []string{"path", "x.png"}, 400, "INVALID_REQUEST"},
		"no name":        {"user", "5", nil, 400, "INVALID"},
		"leaves root":    {"user", "5", []string{"folder", "..", "filename", "x.png"}, 400, "INVALID"},
		"a taken path":   {"user", "5", []string{"path", "a/b.png"}, 409, "CONFLICT"},
		"unknown policy": {"user", "5", []string{"path", "x.png", "onConflict", "MERGE"}, 400, "INVALID"},
		"too large":      {"user", "99999999", []string{"path", "x.png"}, 413, "TOO_LARGE"},
		"another type":   {"user", "5", []string{"path", "x.png", "filetype", "text/html"}, 415, "UNSUPPORTED_TYPE"},
	} {
		if a := s.create(c.actor, c.size, c.metadata...); a.status != c.status || a.code() != c.code ||
			a.header.Get("Location") != "" {
			t.Errorf("%s: %d %s %s, expected %d %s", name, a.status, a.code(), a.body, c.status, c.code)
		}
	}
	if a := s.do("POST", "/api/uploads/", "", "Authorization", "Bearer "+s.tokens["user"]); a.status != 412 {
		t.Errorf("without Tus-Resumable: %d", a.status)
	}
	if a := s.do("OPTIONS", "/api/uploads/", ""); a.status != 204 || !strings.Contains(a.header.Get("Tus-Extension"),
		"creation") || a.header.Get("Tus-Max-Size") == "" {
		t.Errorf("OPTIONS: %d %v", a.status, a.header)
	}
	text := s.create("user", "5", "path", "t.png").header.Get("Location")
	if a := s.patch(text, 0, "hello"); a.status != 415 || a.code() != "UNSUPPORTED_TYPE" {
		t.Errorf("no image: %d %s", a.status, a.body)
	}
	if a := s.do("HEAD", text, ""); a.status != 415 {
		t.Errorf("HEAD of bytes that could not be published: %d", a.status)
	}
	gone := s.create("user", strconv.Itoa(len(png)), "path", "g.png").header.Get("Location")
	if a := s.graphQL("user", `mutation { deactivateAccount }`, nil); a.code() != "" {
		t.Fatal(a.body)
	}
	if a := s.patch(gone, 0, png); a.status != 403 {
		t.Errorf("the account is deactivated: %d %s", a.status, a.body)
	}
}

// TestQuotaBeforeBytes: what the length of a request or of an upload shows to exceed a quota is refused before its
// bytes are read.
func TestQuotaBeforeBytes(t *testing.T) {
	s := newStage(t, func(_ *server.Config, r *gallerytest.Config) { r.Gallery.Stored.Bytes = 1 << 20 })
	form := "POST /api/graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + s.tokens["user"] +
		"\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: %d\r\n\r\n"
	// the second one may fit, and ends early
	for length, code := range map[int]string{4 << 20: "RATE_LIMITED", 2 << 20: "INVALID_REQUEST"} {
		a := s.raw(fmt.Sprintf(form, length) + strings.Repeat("x", 64<<10))
		if len(a) != 1 || a[0].code() != code || a[0].header.Get("Connection") != "close" {
			t.Errorf("a form of %d bytes: %v, expected %s", length, a, code)
		}
	}
	if a := s.create("user", strconv.Itoa(1<<20+1), "path", "big.png"); a.status != 429 || a.code() != "RATE_LIMITED" {
		t.Errorf("by tus: %d %s", a.status, a.body)
	}
	if a := s.create("user", strconv.Itoa(1<<20), "path", "fits.png"); a.status != 201 {
		t.Errorf("by tus, with room: %d %s", a.status, a.body)
	}
}
