package server_test

import (
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/server"
)

// begin creates an upload as a user and returns its id.
func (s *stage) begin(path string, size int) string {
	s.Helper()
	a := s.graphQL(
		"user",
		`mutation ($i: CreateUploadInput!) { createUpload(input: $i) { upload { id url headers { name value } receivedBytes } userErrors { code } } }`,
		map[string]any{"i": map[string]any{"path": path, "sizeBytes": size, "contentType": "image/png"}},
	)
	id, _ := a.json("data", "createUpload", "upload", "id").(string)
	if id == "" || a.json("data", "createUpload", "upload", "url") != "/api/uploads/"+id {
		s.Fatalf("createUpload: %d %s", a.status, a.body)
	}
	return id
}

func (s *stage) finish(id string) answer {
	s.Helper()
	return s.graphQL(
		"user",
		`mutation ($id: ID!) { finishUpload(input: {id: $id}) { file { path size } userErrors { code message } } }`,
		map[string]any{"id": id},
	)
}

// TestUploadByRanges sends a file in chunks with PUT.
func TestUploadByRanges(t *testing.T) {
	s := newStage(t, nil)
	data := png + strings.Repeat("x", 100_000)
	id := s.begin("r/a.png", len(data))
	url, total := "/api/uploads/"+id, "/"+strconv.Itoa(len(data))
	for _, c := range []struct {
		method, body string
		headers      []string
		status       int
		offset       string
	}{
		{"HEAD", "", nil, 200, "0"},
		{"PUT", data[:1000], []string{"Content-Range", "bytes 0-999" + total}, 204, "1000"},
		{"PUT", data[:1000], []string{"Content-Range", "bytes 0-999" + total}, 409, "1000"},
		{"PUT", data[2000:], []string{"Content-Range", "bytes 2000-" + total}, 409, "1000"},
		{"PUT", data, []string{"Content-Range", "bytes 1000-*" + total}, 413, "1000"},
		{"PUT", "x", []string{"Content-Range", "some"}, 400, ""},
		{"PATCH", "x", []string{"Upload-Offset", "1000"}, 412, ""},
		{"PATCH", "x", []string{"Tus-Resumable", "1.0.0", "Upload-Offset", "1000"}, 415, ""},
		{"PATCH", data[1000:2000], []string{"Tus-Resumable", "1.0.0", "Upload-Offset", "1000", "Content-Type",
			"application/offset+octet-stream"}, 204, "2000"},
		{"PUT", data[2000:], []string{"Content-Range", "bytes 2000-*" + total}, 204, strconv.Itoa(len(data))},
		{"HEAD", "", nil, 200, strconv.Itoa(len(data))},
		{"GET", "", nil, 405, ""},
		{"OPTIONS", "", nil, 204, ""},
	} {
		a := s.do(c.method, url, c.body, c.headers...)
		if a.status != c.status || a.header.Get("Upload-Offset") != c.offset {
			t.Errorf("%s %v: %d %q %s, expected %d %q", c.method, c.headers, a.status, a.header.Get("Upload-Offset"),
				a.body, c.status, c.offset)
		}
	}
	for range 2 {
		if a := s.finish(id); a.json("data", "finishUpload", "file", "path") != "r/a.png" {
			t.Errorf("finishUpload: %s", a.body)
		}
	}
	if a := s.do("PUT", url, data); a.status != 409 || a.code() != "CONFLICT" {
		t.Errorf("sending to a finished upload: %d %s", a.status, a.body)
	}
	if strings.Contains(s.log.String(), id) {
		t.Error("the log holds the id of an upload")
	}
}

// TestCreateUpload uploads a file through the mutations and one PUT.
func TestCreateUpload(t *testing.T) {
	s := newStage(t, func(_ *server.Config, c *gallerytest.Config) { c.Uploads.BaseURL = "https://pictures.example" })
	const create = `mutation { createUpload(input: {path: "q/a.png", contentType: "image/png", sizeBytes: 13}) {
		upload { id url headers { name value } expiresAt } userErrors { code } } }`
	a := s.graphQL("user", create, nil)
	id, _ := a.json("data", "createUpload", "upload", "id").(string)
	url, _ := a.json("data", "createUpload", "upload", "url").(string)
	path, ok := strings.CutPrefix(url, "https://pictures.example")
	if !ok || !strings.Contains(a.body, `"userErrors":[]`) {
		t.Fatalf("createUpload: %s", a.body)
	}
	finish := func() answer {
		return s.graphQL(
			"user",
			`mutation ($id: ID!) { finishUpload(input: {id: $id}) { file { path } userErrors { code } } }`,
			map[string]any{"id": id},
		)
	}
	if a := finish(); !strings.Contains(a.body, `{"file":null,"userErrors":[{"code":"CONFLICT"}]}`) {
		t.Errorf("finishing before the bytes have arrived: %s", a.body)
	}
	if a := s.do("PUT", path, png, "Content-Type", "image/png"); a.status != 204 {
		t.Errorf("PUT: %d %s", a.status, a.body)
	}
	for range 2 { // finishing is idempotent
		if a := finish(); a.json("data", "finishUpload", "file", "path") != "q/a.png" {
			t.Errorf("finishUpload: %s", a.body)
		}
	}
	if a := s.graphQL("guest", `{ file(path: "q/a.png") { size } }`, nil); a.json("data", "file", "size") != 13.0 {
		t.Errorf("file: %s", a.body)
	}
	if a := s.graphQL("user", create, nil); !strings.Contains(a.body,
		`{"upload":null,"userErrors":[{"code":"CONFLICT"}]}`) {
		t.Errorf("a path that exists: %s", a.body)
	}
}

// TestUploadSurvivesDisconnect sends part of a body and disconnects: the bytes that arrived count.
func TestUploadSurvivesDisconnect(t *testing.T) {
	s := newStage(t, nil)
	data := png + strings.Repeat("y", 1<<20)
	id := s.begin("h/a.png", len(data))
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	s.must(err)
	_, err = conn.Write([]byte("PUT /api/uploads/" + id + " HTTP/1.1\r\nHost: x\r\nContent-Length: " +
		strconv.Itoa(len(data)) + "\r\n\r\n" + data[:700_000]))
	s.must(err)
	s.must(conn.(*net.TCPConn).CloseWrite())
	_, _ = conn.Read(make([]byte, 1000)) // the response, or the end of the connection
	conn.Close()
	a := s.do("HEAD", "/api/uploads/"+id, "")
	offset, err := strconv.Atoi(a.header.Get("Upload-Offset"))
	if err != nil || offset != 700_000 {
		t.Fatalf("%d bytes arrived, %v", offset, err)
	}
	if a := s.do("PUT", "/api/uploads/"+id, data[offset:], "Content-Range",
		"bytes "+strconv.Itoa(offset)+"-*/*"); a.status != 204 {
		t.Errorf("going on: %d %s", a.status, a.body)
	}
	if a := s.finish(id); a.json("data", "finishUpload", "file", "size") != float64(len(data)) {
		t.Errorf("finishUpload: %s", a.body)
	}
}

func TestUploadStrangers(t *testing.T) {
	s := newStage(t, nil)
	id := s.begin("s/a.png", 5)
	if a := s.graphQL("guest", `query ($id: ID!) { upload(id: $id) { path } }`,
		map[string]any{"id": id}); a.code() != "FORBIDDEN" {
		t.Errorf("a guest: %s", a.body)
	}
	for _, method := range []string{"HEAD", "PUT", "DELETE"} {
		if a := s.do(method, "/api/uploads/"+strings.ToLower(id)+"x", ""); a.status != http.StatusNotFound {
			t.Errorf("%s with a wrong id: %d %s", method, a.status, a.body)
		}
	}
	if a := s.do("DELETE", "/api/uploads/"+id, ""); a.status != http.StatusNoContent {
		t.Errorf("DELETE: %d %s", a.status, a.body)
	}
	if a := s.finish(id); !strings.Contains(a.body, `"NOT_FOUND"`) || a.json("errors") != nil {
		t.Errorf("finishing what is gone: %s", a.body)
	}
	a := s.upload(
		"user",
		`mutation ($f: Upload!) { addFile(input: {path: "a/b.png", content: $f, onConflict: RENAME}) { file { path } userErrors { code } } }`,
		"f", png,
	)
	if a.json("data", "addFile", "file", "path") != "a/b-1.png" {
		t.Errorf("addFile: %s", a.body)
	}
}
