package server_test

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/server"
)

// announces returns the headers that start an upload of a visitor.
func announces(size int, name string, more ...string) []string {
	return []string{
		"Tus-Resumable", "1.0.0", "Upload-Length", strconv.Itoa(size),
		"Upload-Metadata", encoded(append([]string{"filename", name}, more...)...),
	}
}

// announce starts an upload through a link.
func (s *stage) announce(link string, size int, name string, headers ...string) answer {
	s.Helper()
	return s.do("POST", link+"/uploads", "", append(announces(size, name), headers...)...)
}

// add uploads a file through a link. It returns the answer to the bytes, or that which refuses them.
func (s *stage) add(link, name, body string) answer {
	s.Helper()
	a := s.announce(link, len(body), name)
	if a.status != 201 {
		return a
	}
	return s.patch(a.header.Get("Location"), 0, body)
}

// left returns how many bytes visitors may still add.
func (s *stage) left(link string) int {
	s.Helper()
	_, a := s.enter(link, "")
	n, ok := a.json("uploadBytes").(float64)
	if !ok {
		s.Fatalf("%s: %s", link, a.body)
	}
	return int(n)
}

func TestShareUploads(t *testing.T) {
	s := newRightsStage(t, true)
	size := len(png)
	link, id := s.share("editor", `["seen"]`, fmt.Sprintf(`uploadQuotaBytes: %d`, 3*size))
	s.wants("an upload", s.add(link, "new.png", png), 204)
	a := s.add(link, "f.png", png)
	s.wants("a taken name", a, 204)
	if path := a.header.Get("Upload-Path"); path != "" {
		t.Errorf("a visitor learns of the path %s", path)
	}
	for _, c := range []struct {
		name, folder string
		status       int
	}{
		{"../zq9hidden/x.png", "", 400}, {"..", "", 400}, {"", "", 400}, {".hidden.png", "", 400}, {"a/b.png", "", 400},
		{"/x.png", "", 400}, {"x.png/", "", 400}, {"x.png", "..", 400}, {"x.png", "../zq9hidden", 400},
		{"x.png", "/zq9hidden", 400}, {"x.png", "a/../../zq9hidden", 400}, {"x.png", ".safelight", 404},
		{"x.template.json", "", 415}, {"x.html", "", 415}, {"x", "", 415}, {"x.template.preview.webp", "", 415},
		{"x\x00.png", "", 400},
	} {
		a := s.do("POST", link+"/uploads", "", announces(
			size, c.name, "folder", c.folder, "path", "zq9hidden/x.png")...)
		s.wants(fmt.Sprintf("upload %q to %q", c.name, c.folder), a, c.status)
	}
	if _, err := s.rules.File(s.admin(), "zq9hidden/x.png"); err == nil {
		t.Error("a visitor has added a file to another folder")
	}
	s.wants("what is no picture", s.add(link, "y.png", "<html>"), 415)
	if left := s.left(link); left != size {
		t.Errorf("%d bytes are left, expected those of one file", left)
	}

	// the quota holds for uploads at once
	var done sync.WaitGroup
	var mutex sync.Mutex
	var begun []string
	for i := range 12 {
		done.Go(func() {
			if a := s.announce(link, size, fmt.Sprintf("race%d.png", i)); a.status == 201 {
				mutex.Lock()
				begun = append(begun, a.header.Get("Location"))
				mutex.Unlock()
			}
		})
	}
	done.Wait()
	if len(begun) != 1 || s.left(link) != 0 {
		t.Fatalf("%d uploads at once were started, expected the one that the quota still takes", len(begun))
	}
	s.wants("what was given up", s.do("DELETE", begun[0], "", "Tus-Resumable", "1.0.0"), 204)
	s.wants("its room", s.add(link, "race.png", png), 204)
	q := s.graphQL("editor", `{ node(id: "`+id+`") { ... on Share { uploadedBytes } } }`, nil)
	if got := q.json("data", "node", "uploadedBytes"); got != float64(3*size) {
		t.Errorf("%v bytes count, expected %d: %s", got, 3*size, q.body)
	}
	s.wants("beyond the quota", s.add(link, "more.png", png), 413)
	if a := s.graphQL("admin", `{ auditEvents(filter: {action: "share.upload"}) { nodes { action } } }`,
		nil); strings.Count(a.body, "share.upload") != 3 {
		t.Errorf("the audit log: %s", a.body)
	}
	for actor, paths := range map[string]string{"viewer": `["seen"]`, "editor": `["seen/f.png"]`} {
		a := s.graphQL(actor, `mutation { createShare(input: {paths: `+paths+
			`, uploadQuotaBytes: 5}) { share { id } userErrors { code } } }`, nil)
		if strings.Contains(a.body, `"id"`) {
			t.Errorf("uploads of a link of %s to %s: %s", actor, paths, a.body)
		}
	}
}

// TestShareUploadResumes: the bytes before a connection breaks are kept, and an announcement that is repeated finds the
// same upload.
func TestShareUploadResumes(t *testing.T) {
	s := newRightsStage(t, false)
	link, _ := s.share("editor", `["seen"]`, `uploadQuotaBytes: 100000`)
	data := png + strings.Repeat("x", 5000)
	headers := announces(len(data), "long.png", "clientKey", "k1")
	url := s.do("POST", link+"/uploads", "", headers...).header.Get("Location")
	if again := s.do("POST", link+"/uploads", "", headers...).header.Get("Location"); again != url || url == "" {
		t.Errorf("%s and %s, expected one upload", url, again)
	}
	if left := s.left(link); left != 100000-len(data) {
		t.Errorf("%d bytes are left", left)
	}
	conn := dialSilent(t, strings.TrimPrefix(s.url, "http://"))
	_, err := fmt.Fprintf(conn, "PATCH %s HTTP/1.1\r\nHost: x\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n"+
		"Content-Type: application/offset+octet-stream\r\nContent-Length: %d\r\n\r\n%s", url, len(data), data[:3000])
	s.must(err)
	s.must(conn.Close())
	offset := ""
	for offset != "3000" {
		a := s.do("HEAD", url, "", "Tus-Resumable", "1.0.0")
		s.wants("the offset", a, 200)
		offset = a.header.Get("Upload-Offset")
		time.Sleep(10 * time.Millisecond)
	}
	s.wants("another offset", s.patch(url, 2000, data[2000:]), 409)
	s.wants("the rest", s.patch(url, 3000, data[3000:]), 204)
	if f, err := s.rules.File(s.admin(), "seen/long.png"); err != nil || f.Size() != int64(len(data)) {
		t.Errorf("%+v, %v", f, err)
	}
	s.wants("after the end", s.do("HEAD", url, "", "Tus-Resumable", "1.0.0"), 200)
}

// TestShareUploadsApart: an upload is reached through its own link only, by its visitors only.
func TestShareUploadsApart(t *testing.T) {
	s := newRightsStage(t, false)
	first, _ := s.share("editor", `["seen"]`, `uploadQuotaBytes: 100000`)
	second, _ := s.share("editor", `["seen"]`, `uploadQuotaBytes: 100000`)
	locked, _ := s.share("editor", `["seen"]`, `uploadQuotaBytes: 100000, password: "`+sharePassword+`"`)
	headers := announces(len(png), "one.png", "clientKey", "k1")
	url := s.do("POST", first+"/uploads", "", headers...).header.Get("Location")
	id := url[strings.LastIndexByte(url, '/')+1:]
	cookie, _ := s.enter(locked, sharePassword)
	private := s.announce(locked, len(png), "two.png", "Cookie", cookie).header.Get("Location")
	account := s.create("editor", strconv.Itoa(len(png)), "path", "seen/three.png").header.Get("Location")
	for what, c := range map[string]struct {
		url    string
		status int
	}{
		"another link":          {second + "/uploads/" + id, 404},
		"the API of accounts":   {"/api/uploads/" + id, 404},
		"an account's, by link": {first + account[strings.LastIndexByte(account, '/'):], 404},
		"without the password":  {private, 401},
	} {
		s.wants(what+", HEAD", s.do("HEAD", c.url, "", "Tus-Resumable", "1.0.0"), c.status)
		s.wants(what+", PATCH", s.patch(c.url, 0, png), c.status)
		s.wants(what+", DELETE", s.do("DELETE", c.url, "", "Tus-Resumable", "1.0.0"), c.status)
	}
	s.wants("PUT", s.do("PUT", "/api/uploads/"+id, png), 404)
	for _, ask := range []string{
		`{ upload(id: "` + id + `") { id } }`,
		`mutation { finishUpload(input: {id: "` + id + `"}) { userErrors { code } } }`,
		`mutation { cancelUpload(input: {id: "` + id + `"}) { userErrors { code } } }`,
	} {
		if a := s.graphQL("editor", ask, nil); !strings.Contains(a.body, "NOT_FOUND") {
			t.Errorf("%s: %s", ask, a.body)
		}
	}
	other := s.do("POST", second+"/uploads", "", headers...).header.Get("Location")
	if other == "" || strings.HasSuffix(other, id) {
		t.Errorf("the key of one link finds %s through another one", other)
	}
	a := s.graphQL("editor", `mutation { createUpload(input: {path: "seen/one.png", sizeBytes: `+strconv.Itoa(len(png))+
		`, clientKey: "k1"}) { upload { id } userErrors { code } } }`, nil)
	if strings.Contains(a.body, id) || !strings.Contains(a.body, `"id"`) {
		t.Errorf("an account with the key of a visitor: %s", a.body)
	}
	s.wants("its own link", s.patch(url, 0, png), 204)
}

// TestShareUploadEnds: what changes about a link applies to uploads that have begun, with their next request.
func TestShareUploadEnds(t *testing.T) {
	s := newRightsStage(t, false)
	size := len(png)
	quota := func(id string, files int) {
		s.Helper()
		a := s.graphQL(
			"editor", fmt.Sprintf(
				`mutation { updateShare(input: {id: %q, uploadQuotaBytes: %d}) { userErrors { code } } }`,
				id, files*size), nil)
		if strings.Contains(a.body, "code") {
			t.Fatal(a.body)
		}
	}
	link, id := s.share("editor", `["seen"]`, fmt.Sprintf(`uploadQuotaBytes: %d`, 3*size))
	var urls []string
	for i := range 3 {
		urls = append(urls, s.announce(link, size, fmt.Sprintf("q%d.png", i)).header.Get("Location"))
		s.wants("a part", s.patch(urls[i], 0, png[:10]), 204)
	}
	quota(id, 1)
	s.wants("the second one", s.patch(urls[1], 10, png[10:]), 413)
	s.wants("the first one", s.patch(urls[0], 10, png[10:]), 204)
	s.wants("the last one", s.do("HEAD", urls[2], "", "Tus-Resumable", "1.0.0"), 413)
	quota(id, 0)
	s.wants("none", s.patch(urls[1], 10, png[10:]), 403)

	// the folder that the link leads to has moved: the path of the upload is not in it any more
	link, _ = s.share("editor", `["seen"]`, `uploadQuotaBytes: 100000`)
	url := s.announce(link, size, "moved.png").header.Get("Location")
	s.must(s.rules.MoveFile(s.admin(), "seen", "elsewhere"))
	s.must(s.rules.CreateFolder(s.admin(), "seen"))
	s.must(
		s.rules.SetGrants(s.admin(), "", []*access.Grant{
			{To: access.Grantee{Kind: access.Everyone}, Right: access.Edit}}))
	if a := s.patch(url, 0, png); a.status < 400 {
		t.Errorf("a moved folder: %d %s", a.status, a.body)
	}
	for _, path := range []string{"seen/moved.png", "seen/q1.png", "elsewhere/q1.png", "elsewhere/q2.png"} {
		if _, err := s.rules.File(s.admin(), path); err == nil {
			t.Errorf("%s was added", path)
		}
	}
}

// TestShareUploadEndsMeanwhile: a link that is revoked ends requests that are sending bytes.
func TestShareUploadEndsMeanwhile(t *testing.T) {
	s := newStage(t, func(_ *server.Config, r *gallerytest.Config) { r.Uploads.MaxFileBytes = 64 << 20 })
	s.store("trip/a.png", png)
	const size, first = 40 << 20, 10 << 20
	link, id := s.share("admin", `["trip"]`, `uploadQuotaBytes: 100000000`)
	url := s.announce(link, size, "long.png").header.Get("Location")
	parts := make(chan string, 2)
	body, sends := io.Pipe()
	go func() {
		for part := range parts {
			if _, err := io.WriteString(sends, part); err != nil {
				return
			}
		}
		sends.Close()
	}()
	answered := make(chan int)
	go func() {
		r, _ := http.NewRequestWithContext(t.Context(), "PATCH", s.url+url, body)
		r.ContentLength = size
		for name, value := range map[string]string{"Tus-Resumable": "1.0.0", "Upload-Offset": "0",
			"Content-Type": "application/offset+octet-stream"} {
			r.Header.Set(name, value)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil { // the server closed the connection while bytes were sent
			answered <- 0
			return
		}
		response.Body.Close()
		answered <- response.StatusCode
	}()
	parts <- png + strings.Repeat("x", first-len(png))
	for s.do("HEAD", url, "", "Tus-Resumable", "1.0.0").header.Get("Upload-Offset") == "0" {
		time.Sleep(10 * time.Millisecond)
	}
	s.graphQL("admin", `mutation { deleteShare(input: {id: "`+id+`"}) { deletedId } }`, nil)
	parts <- strings.Repeat("x", size-first)
	close(parts)
	if status := <-answered; status != 0 && status != 404 {
		t.Errorf("%d", status)
	}
	received, err := s.db.PendingUpload.Query().Only(s.Context())
	s.must(err)
	if received.Received >= size/2 {
		t.Errorf("%d bytes were taken", received.Received)
	}
}

// TestShareUploadsWait: so many requests with bytes of visitors run at once.
func TestShareUploadsWait(t *testing.T) {
	s := newRightsStage(t, false)
	link, _ := s.share("editor", `["seen"]`, `uploadQuotaBytes: 100000`)
	for i := range 8 { // all places of one network
		url := s.announce(link, 10, fmt.Sprintf("%d.png", i)).header.Get("Location")
		conn := dialSilent(t, strings.TrimPrefix(s.url, "http://"))
		defer conn.Close()
		_, err := fmt.Fprintf(conn, "PATCH %s HTTP/1.1\r\nHost: x\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n"+
			"Content-Type: application/offset+octet-stream\r\nContent-Length: 10\r\n\r\n12345", url)
		s.must(err)
	}
	url := s.announce(link, 50000, "x.png").header.Get("Location")
	for sent := 0; ; sent++ {
		a := s.patch(url, sent, "1")
		if a.status == 429 {
			break
		}
		if a.status != 204 {
			t.Fatalf("%d %s", a.status, a.body)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestShareUploadRights: bytes that will not be added are refused before they are read.
func TestShareUploadRights(t *testing.T) {
	s := newRightsStage(t, false)
	link, _ := s.share("editor", `["seen"]`, `uploadQuotaBytes: 100`)
	url := s.announce(link, 10, "x.png").header.Get("Location")
	s.must(
		s.rules.SetGrants(s.admin(), "seen", []*access.Grant{
			{To: access.Grantee{Kind: access.Everyone}, Right: access.View}}))
	s.wants("a new one", s.announce(link, 10, "y.png"), 403)
	conn := dialSilent(t, strings.TrimPrefix(s.url, "http://"))
	defer conn.Close()
	s.must(conn.SetDeadline(time.Now().Add(time.Minute)))
	_, err := fmt.Fprintf(conn, "PATCH %s HTTP/1.1\r\nHost: x\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n"+
		"Content-Type: application/offset+octet-stream\r\nContent-Length: 10\r\n\r\n12345", url)
	s.must(err)
	head := make([]byte, 12)
	if _, err := io.ReadFull(conn, head); err != nil || string(head) != "HTTP/1.1 403" {
		t.Errorf("%q, %v, expected 403", head, err)
	}
}

// TestShareUploadFlood: from one network, visitors send so many requests a minute that write something.
func TestShareUploadFlood(t *testing.T) {
	s := newRightsStage(t, false)
	link, _ := s.share("editor", `["seen"]`, `uploadQuotaBytes: 100`)
	url := s.announce(link, 10, "x.png").header.Get("Location")
	sent := 0
	for ; sent < 3000; sent++ { // the limit grows by ten a second meanwhile
		a := s.do("DELETE", link+"/uploads/none", "", "Tus-Resumable", "1.0.0")
		if a.status == 404 {
			continue
		}
		s.wants("one more", a, 429)
		if a.header.Get("Retry-After") == "" {
			t.Errorf("headers: %v", a.header)
		}
		break
	}
	if sent < 599 || sent == 3000 {
		t.Errorf("%d requests were taken", sent)
	}
	s.wants("the offset", s.do("HEAD", url, "", "Tus-Resumable", "1.0.0"), 200)
}
