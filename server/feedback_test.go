package server_test

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/server"
)

// named gives the visitor of a link a name and returns the cookie.
func (s *stage) named(link, name string) string {
	s.Helper()
	body, err := json.Marshal(map[string]string{"name": name})
	s.must(err)
	a := s.do("PUT", link+"/reviewer", string(body), "Content-Type", "application/json")
	s.wants("a name", a, 200)
	cookie, rest, _ := strings.Cut(a.header.Get("Set-Cookie"), ";")
	if !strings.Contains(rest, "HttpOnly") || !strings.Contains(rest, "SameSite=Strict") {
		s.Errorf("the cookie is %s", rest)
	}
	return cookie
}

// TestFeedbackAbuse: a visitor with a name reaches neither the picks of others nor other links, and nothing is written
// when feedback is off, the link has another password, or it was revoked.
func TestFeedbackAbuse(t *testing.T) {
	s := newRightsStage(t, false)
	link, id := s.share("editor", `["seen"]`, `allowFeedback: true`)
	other, _ := s.share("editor", `["seen/f.png"]`, `allowFeedback: true`)
	closed, _ := s.share("editor", `["seen"]`, `downloads: NONE`)
	ann, ben := s.named(link, "Ann"), s.named(link, "<script>alert(1)</script>")
	f, g := s.picture(link, "f.png"), s.picture(link, "g.png")
	send := func(method, path, body, cookie string) answer {
		t.Helper()
		return s.do(method, path, body, "Content-Type", "application/json", "Cookie", cookie)
	}
	s.wants("a pick", send("PUT", f+"/mark", `{"choice":"picked","rating":5}`, ann), 204)
	a := send("POST", f+"/comments", `{"text":"<img src=x onerror=alert(1)>","x":0.5,"y":0.25}`, ben)
	s.wants("a comment", a, 201)
	comment, _ := a.json("id").(string)

	// what others picked is in no answer
	for _, path := range []string{link + "/files", f + "/comments"} {
		if a := send("GET", path, "", ben); a.status != 200 || strings.Contains(a.body, "picked") ||
			strings.Contains(a.body, "Ann") {
			t.Errorf("%s tells what Ann picked: %s", path, a.body)
		}
	}
	a = send("GET", link+"/files", "", ann)
	if !strings.Contains(a.body, `"choice":"picked","rating":5,"comments":1`) {
		t.Errorf("Ann does not see her pick: %s", a.body)
	}
	a = send("GET", f+"/comments", "", ann)
	if a.header.Get("Content-Type") != "application/json" &&
		!strings.HasPrefix(a.header.Get("Content-Type"), "application/json") {
		t.Errorf("comments are %s", a.header.Get("Content-Type"))
	}
	for what, r := range map[string]struct {
		method, path, body, cookie string
		status                     int
	}{
		"no name": {"PUT", f + "/mark", `{"choice":"picked"}`, "", 409},
		"a made-up token": {"PUT", f + "/mark", `{"choice":"picked"}`,
			"safelight-reviewer=AAAAAAAAAAAAAAAAAAAAAAAAAA", 409},
		"the token of another link": {"PUT", s.picture(other, "f.png") + "/mark", `{"choice":"picked"}`, ann, 409},
		"a picture of another link": {"PUT", strings.Replace(g, link, other, 1) + "/mark", `{"choice":"picked"}`, ann,
			404},
		"comments of another link": {"GET", strings.Replace(g, link, other, 1) + "/comments", "", ann, 404},
		"a picture outside": {"POST", link + "/files/" + s.ids["zq9hidden FILE"] + "/comments", `{"text":"x"}`,
			ann, 404},
		"somebody else's comment": {"DELETE", f + "/comments/" + comment, "", ann, 404},
		"a made-up comment":       {"DELETE", f + "/comments/1", "", ann, 404},
		"feedback off: a name":    {"PUT", closed + "/reviewer", `{"name":"x"}`, "", 403},
		"feedback off: comments":  {"GET", s.picture(closed, "f.png") + "/comments", "", ann, 403},
		"feedback off: a comment": {"POST", s.picture(closed, "f.png") + "/comments", `{"text":"x"}`, ann, 403},
		"feedback off: a pick":    {"PUT", s.picture(closed, "f.png") + "/mark", `{"rating":1}`, ann, 403},
		"a long text": {"POST", f + "/comments", `{"text":"` + strings.Repeat("x", 2001) + `"}`, ann,
			400},
		"a text that is a number":    {"POST", f + "/comments", `{"text":1}`, ann, 400},
		"a point outside":            {"POST", f + "/comments", `{"text":"x","x":2,"y":0}`, ann, 400},
		"a form of another site":     {"POST", f + "/comments", `text=x`, ann, 400},
		"a rating beyond":            {"PUT", f + "/mark", `{"rating":1e9}`, ann, 400},
		"a list of picks of all":     {"GET", f + "/mark", "", ann, 405},
		"a list of reviewers of all": {"GET", link + "/reviewer", "", ann, 405},
	} {
		s.wants(what, send(r.method, r.path, r.body, r.cookie), r.status)
	}

	// the owner sees everything, other accounts nothing
	const query = `{ node(id: "%s") { ... on Share { newFeedback reviewers { name } comments { nodes { text file { path } } } ` +
		`feedback(filter: PICKED) { totalCount nodes { picked rating comments file { path } picks { choice reviewer { name } } } } } } }`
	for actor, sees := range map[string]bool{"editor": true, "admin": true, "viewer": false, "stranger": false} {
		a := s.graphQL(actor, fmt.Sprintf(query, id), nil)
		if strings.Contains(a.body, `"picks":[{"choice":"PICKED","reviewer":{"name":"Ann"}}]`) != sees {
			t.Errorf("%s: %s", actor, a.body)
		}
		a = s.graphQL(actor, `{ node(id: "`+comment+`") { id } }`, nil)
		if strings.Contains(a.body, comment+`"}`) != sees {
			t.Errorf("%s: %s", actor, a.body)
		}
	}

	// ten thousand comments
	limited := 0
	for range 1000 {
		if a := send("POST", f+"/comments", `{"text":"again"}`, ann); a.status == 429 {
			limited++
		}
	}
	if limited < 980 {
		t.Errorf("%d of 1000 comments at once were refused", limited)
	}

	// a new password and a revoked link end it
	s.graphQL("editor", `mutation { updateShare(input: {id: "`+id+`", password: "`+sharePassword+
		`"}) { userErrors { code } } }`, nil)
	s.wants("after a new password", send("PUT", f+"/mark", `{"rating":1}`, ann), 401)
	s.graphQL("editor", `mutation { deleteShare(input: {id: "`+id+`"}) { deletedId } }`, nil)
	s.wants("after it was revoked", send("POST", f+"/comments", `{"text":"x"}`, ann), 404)
}

// TestFeedbackFlood: from one network come at most 20 new names and 300 changes a minute, and no body is read beyond
// its limit. Reading goes on, and so do other networks.
func TestFeedbackFlood(t *testing.T) {
	s := newStageWith(t, func(c *server.Config, _ *gallerytest.Config) {
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	}, func(*server.Deps) {})
	s.store("seen/f.png", png)
	link, _ := s.share("admin", `["seen"]`, `allowFeedback: true`)
	f := s.picture(link, "f.png")
	send := func(network, method, path, body string) answer {
		t.Helper()
		return s.do(method, path, body, "Content-Type", "application/json", "X-Forwarded-For", network)
	}
	large := strings.Repeat("x", 10<<20)
	s.wants("10 MB of a name", send("192.0.2.1", "PUT", link+"/reviewer", `{"name":"`+large+`"}`), 413)
	s.wants("10 MB of text", send("192.0.2.1", "POST", f+"/comments", `{"text":"`+large+`"}`), 413)
	s.wants("10 MB of a mark", send("192.0.2.1", "PUT", f+"/mark", large), 413)

	until := func(what string, least int, do func() answer) {
		t.Helper()
		n := 0
		for ; n < 10*least && do().status != 429; n++ { // the limits grow meanwhile
		}
		if n < least || n == 10*least {
			t.Errorf("%d %s from one network were accepted", n, what)
		}
	}
	until("names", 20, func() answer { return send("192.0.2.1", "PUT", link+"/reviewer", `{"name":"x"}`) })
	until("changes", 300-40, func() answer { return send("192.0.2.1", "PUT", f+"/mark", `{}`) })
	s.wants("reading", send("192.0.2.1", "GET", f+"/comments", ""), 200)
	s.wants("another network", send("192.0.2.2", "PUT", link+"/reviewer", `{"name":"x"}`), 200)
}
