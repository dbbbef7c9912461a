package server_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/server"
)

// nestedLists returns the query that once took all memory: pages of files in the folders of files.
func nestedLists(lists int) string {
	query := "id path"
	for range lists - 1 {
		query = "folder{files(first:100){nodes{" + query + "}}}"
	}
	return "{files(first:100,recursive:true){nodes{" + query + "}}}"
}

// TestNestedListsAreRefused: before execution, with the number and the limit, in each way to send them.
func TestNestedListsAreRefused(t *testing.T) {
	s := newStage(t, func(c *server.Config, _ *gallerytest.Config) { c.GraphQLBatch = 10 })
	const limit = " values, expected at most 100000"
	for lists, values := range map[int]string{4: "221212111", 3: "2212111"} {
		a := s.graphQL("guest", nestedLists(lists), nil)
		if a.code() != "TOO_LARGE" || !strings.Contains(a.body, values+limit) || strings.Contains(a.body, `"data"`) {
			t.Errorf("%d lists: %d %.300s", lists, a.status, a.body)
		}
	}
	if a := s.graphQL("guest", nestedLists(2), nil); a.code() != "" {
		t.Errorf("2 lists: %d %.300s", a.status, a.body)
	}
	files := "files(first:100,recursive:true){nodes{folder{files(first:100){nodes{id}}}}}"
	for name, query := range map[string]string{
		"aliases": "{" + times(20, "a#:"+files) + "}",
		"fragments": "{" + times(20, "a#:files(first:100){...C}") +
			"} fragment C on FileConnection{nodes{folder{...D}}} fragment D on Folder{files(first:100){nodes{id}}}",
		"the same list in one": "{files(first:100){nodes{" + times(1000, "a#:tags") + "}}}",
		"edges":                "{files(first:100){edges{node{folder{files(first:100){edges{node{folder{files(first:100){edges{node{id}}}}}}}}}}}}",
		"a subscription": "subscription{folderChanges(recursive:true){file{" +
			nestedLists(4)[len("{files(first:100,recursive:true){nodes{"):len(nestedLists(4))-2] + "}}",
		"a mutation": "mutation{tagFiles(input:{paths:[" + times(1000, `"a"`) +
			"],add:[]}){results{file{folder{files(first:100){nodes{id}}}}}}}",
		"interfaces": `{node(id:"a"){... on Folder{folders(first:100){nodes{folders(first:100){nodes{folders(first:100){nodes{id}}}}}}}}}`,
	} {
		if a := s.graphQL("admin", query, nil); a.code() != "TOO_LARGE" || !strings.Contains(a.body, limit) {
			t.Errorf("%s: %d %.300s", name, a.status, a.body)
		}
	}
	if a := s.graphQL(
		"guest",
		"query($n:Int){files(first:$n){nodes{folder{files(first:$n){nodes{folder{files(first:$n){nodes{id}}}}}}}}}",
		map[string]any{"n": 100}); a.code() != "TOO_LARGE" {
		t.Errorf("by variables: %d %.300s", a.status, a.body)
	}
	if a := s.graphQL("guest", "{files(first:100){... @defer{nodes{id}}}}", nil); a.code() != refusedByRules {
		t.Errorf("@defer: %d %.300s", a.status, a.body)
	}
	b, err := json.Marshal([]any{map[string]string{"query": nestedLists(4)}, map[string]string{"query": "{me{role}}"}})
	s.must(err)
	a := s.do("POST", "/api/graphql", string(b), "Content-Type", "application/json", "Authorization",
		"Bearer "+s.tokens["guest"])
	if !strings.Contains(a.body, "221212111"+limit) || !strings.Contains(a.body, `"role":"GUEST"`) {
		t.Errorf("in a batch: %d %.300s", a.status, a.body)
	}
	if e := s.open("guest", "GET", "/api/graphql?query="+url.QueryEscape(nestedLists(4)),
		""); !strings.Contains(e.until("errors"), "TOO_LARGE") {
		t.Error("as a stream: no error")
	}
}

// describe gives a/b.png a description of 10,000 bytes.
func (s *stage) describe() {
	s.Helper()
	a := s.graphQL(
		"user",
		"mutation($d:String){updateFile(input:{path:\"a/b.png\",description:$d}){userErrors{message}}}",
		map[string]any{"d": strings.Repeat("x", 10_000)},
	)
	if a.code() != "" || strings.Contains(a.body, "message") {
		s.Fatal(a.body)
	}
}

// TestAnswersAreBounded: an answer that grows beyond the limit of bytes ends the operation with one error.
func TestAnswersAreBounded(t *testing.T) {
	s := newStage(t, nil)
	s.describe()
	if a := s.graphQL("guest", `{file(path:"a/b.png"){`+times(500, "a#:description")+"}}", nil); a.status != 200 ||
		len(a.body) < 5_000_000 || a.code() != "" {
		t.Errorf("5 MB: %d %.300s", a.status, a.body)
	}
	big := `{file(path:"a/b.png"){` + times(900, "a#:description") + "}}"
	check := func(name string, a answer) {
		t.Helper()
		list, _ := a.json("errors").([]any)
		if a.code() != "TOO_LARGE" || len(list) != 1 || !strings.Contains(a.body, "larger than 8388608 bytes") ||
			len(a.body) > 1000 {
			t.Errorf("%s: %d %d errors %.300s", name, a.status, len(list), a.body)
		}
	}
	check("a query", s.graphQL("guest", big, nil))
	change := s.graphQL("user", `mutation{updateFile(input:{path:"a/b.png",rating:3}){file{`+times(900,
		"a#:description")+"}} second:updateFile(input:{path:\"a/b.png\",rating:4}){file{id}}}", nil)
	check("a mutation", change)
	if !strings.Contains(change.body, "Changes that the operation made before stay") {
		t.Errorf("%.300s", change.body)
	}
	if a := s.graphQL("guest", `{file(path:"a/b.png"){rating}}`, nil); !strings.Contains(a.body, `"rating":3`) {
		t.Errorf("after the mutation: %s", a.body)
	}
	e := s.subscribe("guest", `subscription{folderChanges(folder:"a"){kind file{`+times(900, "a#:description")+"}}}")
	if name, data := e.next(); name != "next" || !strings.Contains(data, "RELOAD") {
		t.Fatal(name, data)
	}
	s.store("a/c.png", png) // has no description
	if data := e.until("CHANGED"); strings.Contains(data, "errors") {
		t.Errorf("a small event: %.300s", data)
	}
	if a := s.graphQL("user", `mutation{updateFile(input:{path:"a/b.png",rating:5}){userErrors{message}}}`,
		nil); a.code() != "" {
		t.Fatal(a.body)
	}
	e.until("TOO_LARGE")
	s.store("a/d.png", png)
	e.until("CHANGED") // an event that is too large does not end the subscription
}

// workMemory returns what the budget of pictures has lent.
func (s *stage) workMemory() (bytes float64) {
	s.Helper()
	for line := range strings.Lines(s.do("GET", "/metrics", "").body) {
		if n, err := fmt.Sscanf(line, "safelight_work_memory_bytes %g", &bytes); n == 1 && err == nil {
			return bytes
		}
	}
	s.Fatal("/metrics has no safelight_work_memory_bytes")
	return 0
}

// TestAnswersTakeMemoryOfPictures: from the budget of pictures, until the client has read them; others wait, and are
// refused in time.
func TestAnswersTakeMemoryOfPictures(t *testing.T) {
	s := newStage(t, func(c *server.Config, _ *gallerytest.Config) { c.Memory, c.QueueTimeout = 64<<20, 100e6 })
	s.describe()
	// 8 MB, which takes more than a quarter of 64 MiB
	query := `{file(path:"a/b.png"){` + times(800, "a#:description") + "}}"
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	s.must(err)
	defer conn.Close()
	s.must(conn.(*net.TCPConn).SetReadBuffer(4096))
	b, err := json.Marshal(map[string]string{"query": query})
	s.must(err)
	fmt.Fprintf(conn, "POST /api/graphql HTTP/1.1\r\nHost: h\r\nConnection: close\r\nAuthorization: Bearer "+
		"%s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", s.tokens["guest"], len(b), b)
	r := bufio.NewReader(conn)
	status, err := r.ReadString('\n')
	if err != nil || !strings.Contains(status, "200") {
		t.Fatal(status, err)
	}
	if lent := s.workMemory(); lent < 16<<20 {
		t.Errorf("%g bytes are lent while the client reads slowly", lent)
	}
	a := s.do("POST", "/api/graphql", string(b), "Content-Type", "application/json", "Accept",
		"application/graphql-response+json", "Authorization", "Bearer "+s.tokens["guest"])
	if a.code() != "OVERLOADED" || a.status != 503 || a.header.Get("Retry-After") == "" {
		t.Errorf("a second one: %d %.300s", a.status, a.body)
	}
	conn.Close()
	for s.workMemory() > 0 { // the server notices that the client has left
	}
	if a := s.graphQL("guest", query, nil); a.status != 200 || len(a.body) < 8_000_000 {
		t.Errorf("after the first: %d %.300s", a.status, a.body)
	}
	for s.workMemory() > 0 {
	}
}
