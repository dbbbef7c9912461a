package server_test

import (
	"archive/zip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/safelight/safelight/ent/user"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/server"
)

const sharePassword = "granite-salt-38-lamp"

// share makes a link as an actor and returns its path and id. input are more fields of CreateShareInput.
func (s *stage) share(actor, paths, input string) (link, id string) {
	s.Helper()
	a := s.graphQL(actor, `mutation { createShare(input: {paths: `+paths+`, `+input+`}) `+
		`{ share { id url } userErrors { message } } }`, nil)
	link, _ = a.json("data", "createShare", "share", "url").(string)
	id, _ = a.json("data", "createShare", "share", "id").(string)
	if link == "" || id == "" {
		s.Fatalf("createShare: %s", a.body)
	}
	return link, id
}

// enter opens a link and returns the cookie of the visit.
func (s *stage) enter(link, password string) (cookie string, a answer) {
	s.Helper()
	body, err := json.Marshal(map[string]string{"password": password})
	s.must(err)
	a = s.do("POST", link, string(body), "Content-Type", "application/json")
	cookie, _, _ = strings.Cut(a.header.Get("Set-Cookie"), ";")
	return cookie, a
}

type listed struct {
	Files   []struct{ ID, Name string }
	Folders []struct{ Name, Path string }
	Next    *string
}

func (s *stage) listed(path string, headers ...string) (l listed) {
	s.Helper()
	a := s.do("GET", path, "", headers...)
	if a.status != 200 {
		s.Fatalf("%s: %d %s", path, a.status, a.body)
	}
	s.must(json.Unmarshal([]byte(a.body), &l))
	return l
}

// picture returns the path of a picture of a link by its name.
func (s *stage) picture(link, name string, headers ...string) string {
	s.Helper()
	for _, f := range s.listed(link+"/files", headers...).Files {
		if f.Name == name {
			return link + "/files/" + f.ID
		}
	}
	s.Fatalf("%s does not show %s", link, name)
	return ""
}

func (s *stage) wants(what string, a answer, status int) {
	s.Helper()
	if a.status != status {
		s.Errorf("%s: %d %s, expected %d", what, a.status, a.body, status)
	}
}

func TestShareOfAFolder(t *testing.T) {
	s := newRightsStage(t, true)
	s.store("seen/in/deep.png", png)
	s.must(os.WriteFile(filepath.Join(s.files, "seen", ".secret.png"), []byte(png), 0o600))
	link, id := s.share("editor", `["seen"]`, `downloads: RENDITIONS`)
	_, a := s.enter(link, "")
	s.wants("opened", a, 200)
	if a.json("name") != "seen" || a.json("downloads") != "renditions" || a.json("pictures") != 3.0 ||
		a.json("uploadBytes") != nil {
		t.Errorf("opened: %s", a.body)
	}
	l := s.listed(link + "/files")
	if len(l.Files) != 2 || l.Files[0].Name != "f.png" || l.Files[1].Name != "g.png" || l.Next != nil {
		t.Errorf("files: %+v, expected no templates, hidden files and trash", l)
	}
	if l := s.listed(link + "/folders"); len(l.Folders) != 1 || l.Folders[0].Path != "in" {
		t.Errorf("folders: %+v", l)
	}
	if l := s.listed(link + "/files?folder=in"); len(l.Files) != 1 || l.Files[0].Name != "deep.png" {
		t.Errorf("files of a folder: %+v", l)
	}
	picture := s.picture(link, "f.png")
	for size, status := range map[string]int{
		"small": 200, "medium": 200, "large": 200, "jpeg": 200, "original": 403, "huge": 404, "cover": 404, "": 404,
	} {
		a := s.do("GET", picture+"/"+size, "")
		s.wants(size, a, status)
		if status == 200 && (!strings.Contains(a.body, "strip_metadata()") ||
			a.header.Get("Cache-Control") != "private, no-cache") {
			t.Errorf("%s: %s, Cache-Control %s", size, a.body, a.header.Get("Cache-Control"))
		}
		if status == 200 {
			tag := a.header.Get("ETag")
			s.wants(size+" again", s.do("GET", picture+"/"+size, "", "If-None-Match", tag), 304)
			later := "Fri, 31 Dec 2100 23:59:59 GMT"
			s.wants(size+" if changed since", s.do("GET", picture+"/"+size, "", "If-Modified-Since", later), 200)
			if at := a.header.Get("Last-Modified"); at != "" {
				t.Errorf("%s: Last-Modified %s tells when the file was changed", size, at)
			}
		}
	}
	s.must(os.Chtimes(filepath.Join(s.files, "seen", "f.png"), time.Now(), time.Now().Add(-9000*time.Hour)))
	z := s.do("GET", link+"/archive", "")
	s.wants("the archive", z, 200)
	r, err := zip.NewReader(strings.NewReader(z.body), int64(len(z.body)))
	s.must(err)
	var names []string
	for _, f := range r.File {
		names = append(names, f.Name)
		if time.Since(f.Modified) > time.Hour {
			t.Errorf("%s is of %v, when the file was changed", f.Name, f.Modified)
		}
	}
	if got := strings.Join(names, " "); got != "seen/f.jpg seen/g.jpg seen/in/deep.jpg" {
		t.Errorf("the archive has %s", got)
	}
	// the owner sees one visit for each browser, and what was opened again is the same one
	cookie, _ := s.enter(link, "")
	s.do("POST", link, `{}`, "Content-Type", "application/json", "Cookie", cookie)
	if a := s.graphQL("editor", `{ shares { nodes { visits lastVisitAt visitsByDay { visits } isActive paths } } }`,
		nil); !strings.Contains(a.body, `"visits":2,"lastVisitAt":"2`) ||
		!strings.Contains(a.body, `"visitsByDay":[{"visits":2}],"isActive":true,"paths":["seen"]`) {
		t.Errorf("visits: %s", a.body)
	}
	for _, actor := range []string{"viewer", "manager", "stranger"} { // nobody but the owner knows of the link
		a := s.graphQL(actor, `{ shares { totalCount } node(id: "`+id+`") { id } }`, nil)
		if !strings.Contains(a.body, `"totalCount":0`) || strings.Contains(a.body, id) {
			t.Errorf("%s sees the link: %s", actor, a.body)
		}
		if a := s.graphQL(actor, `mutation { deleteShare(input: {id: "`+id+`"}) { deletedId } }`,
			nil); strings.Contains(a.body, id) {
			t.Errorf("%s revokes the link: %s", actor, a.body)
		}
	}
	a = s.graphQL("admin", `{ shares(all: true) { nodes { id owner { username } } } }`, nil)
	if !strings.Contains(a.body, id) {
		t.Errorf("an admin does not see the link: %s", a.body)
	}
}

// shareRequests are all that a visitor can ask, each with the status for a link that is open.
func shareRequests(link, picture string) map[string][3]string {
	return map[string][3]string{
		"open":     {"POST", link, `{}`},
		"files":    {"GET", link + "/files", ""},
		"folders":  {"GET", link + "/folders", ""},
		"small":    {"GET", picture + "/small", ""},
		"large":    {"GET", picture + "/large", ""},
		"jpeg":     {"GET", picture + "/jpeg", ""},
		"original": {"GET", picture + "/original", ""},
		"cover":    {"GET", link + "/cover", ""},
		"archive":  {"GET", link + "/archive", ""},
		"upload":   {"POST", link + "/uploads", ""},
	}
}

// TestShareEnds: whatever was reached through a link ends when it is revoked, when it expires, and when its owner loses
// the right or the account; also with the cookie and the URLs from before.
func TestShareEnds(t *testing.T) {
	for name, end := range map[string]struct {
		status int
		do     func(s *rightsStage, id string)
	}{
		"revoked": {404, func(s *rightsStage, id string) {
			a := s.graphQL("editor", `mutation { deleteShare(input: {id: "`+id+`"}) { deletedId } }`, nil)
			if !strings.Contains(a.body, id) {
				s.Fatal(a.body)
			}
		}},
		"revoked by an admin": {404, func(s *rightsStage, id string) {
			s.graphQL("admin", `mutation { deleteShare(input: {id: "`+id+`"}) { deletedId } }`, nil)
		}},
		"expired": {410, func(s *rightsStage, id string) {
			_, err := s.db.ExecContext(s.Context(), "UPDATE shares SET expires_at = '2020-01-01 00:00:00+00:00'")
			s.must(err)
		}},
		"no right any more": {404, func(s *rightsStage, _ string) {
			s.must(s.rules.SetGrants(s.admin(), "seen", nil))
		}},
		"deactivated": {404, func(s *rightsStage, _ string) {
			u, err := s.db.User.Query().Where(user.Username("editor")).Only(s.Context())
			s.must(err)
			s.must(s.rules.DeactivateAccount(s.admin(), &u.ID))
		}},
		"trashed": {404, func(s *rightsStage, _ string) {
			_, err := s.rules.TrashFile(s.admin(), "seen")
			s.must(err)
		}},
		"another folder of that name": {404, func(s *rightsStage, _ string) {
			s.must(s.rules.MoveFile(s.admin(), "seen", "elsewhere"))
			s.must(s.rules.Gallery.RemoveFile(s.admin(), "elsewhere"))
			s.store("seen/f.png", png)
		}},
		"another password": {401, func(s *rightsStage, id string) {
			s.graphQL("editor", `mutation { updateShare(input: {id: "`+id+`", password: "`+sharePassword+
				`-2"}) { userErrors { code } } }`, nil)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newRightsStage(t, false)
			link, id := s.share("editor", `["seen"]`,
				`downloads: ORIGINALS, uploadQuotaBytes: 1000, password: "`+sharePassword+`"`)
			cookie, a := s.enter(link, sharePassword)
			s.wants("opened", a, 200)
			requests := shareRequests(link, s.picture(link, "f.png", "Cookie", cookie))
			begun := s.announce(link, len(png), "begun.png", "Cookie", cookie).header.Get("Location")
			requests["progress"] = [3]string{"HEAD", begun, ""}
			headers := append(announces(len(png), "new.png"), "Content-Type", "application/json")
			with := append(headers[:len(headers):len(headers)], "Cookie", cookie)
			for what, r := range requests {
				a := s.do(r[0], r[1], r[2], with...)
				if a.status >= 300 {
					t.Errorf("%s before: %d %s", what, a.status, a.body)
				}
				s.wants(what+" without the password", s.do(r[0], r[1], r[2], headers...), 401)
			}
			end.do(s, id)
			s.wants("bytes after", s.patch(begun, 0, png, "Cookie", cookie), end.status)
			for what, r := range requests {
				a := s.do(r[0], r[1], r[2], with...)
				s.wants(what+" after", a, end.status)
				if strings.Contains(a.body, "seen") || strings.Contains(a.body, "editor") {
					t.Errorf("%s after tells: %s", what, a.body)
				}
			}
		})
	}
}

// TestShareTellsNoNumbers: ids and cursors tell a visitor neither how many files there are nor what pictures are sorted
// by, and no cursor but that of the page before is accepted: with others, visitors could find out when every picture
// was taken.
func TestShareTellsNoNumbers(t *testing.T) {
	s := newRightsStage(t, true)
	var paths []string
	for i := range 101 {
		paths = append(paths, fmt.Sprintf("many/%03d.png", i))
		s.store(paths[i], png)
	}
	names, err := json.Marshal(paths)
	s.must(err)
	a := s.graphQL("admin", `mutation { createAlbum(input: {title: "many"}) { album { id } } }`, nil)
	album, _ := a.json("data", "createAlbum", "album", "id").(string)
	s.graphQL("admin", `mutation { addToAlbum(input: {id: "`+album+`", paths: `+string(names)+`}) { album { id } } }`, nil)
	s.graphQL("admin", `mutation { updateAlbum(input: {id: "`+album+`", sort: TAKEN}) { album { id } } }`, nil)
	a = s.graphQL("admin", `mutation { createShare(input: {albumId: "`+album+`"}) { share { url } } }`, nil)
	link, _ := a.json("data", "createShare", "share", "url").(string)
	again, _ := s.share("admin", `["many"]`, `name: "again"`)

	first, other := s.listed(link+"/files"), s.listed(again+"/files")
	if len(first.Files) != 100 || first.Next == nil || other.Next == nil {
		t.Fatalf("%d files, next %v", len(first.Files), first.Next)
	}
	f, err := s.rules.File(s.admin(), "many/000.png")
	s.must(err)
	for _, l := range []listed{first, other} {
		for _, text := range append([]string{*l.Next}, l.Files[0].ID, l.Files[99].ID) {
			plain, err := base64.RawURLEncoding.DecodeString(text)
			if err != nil || strings.Contains(string(plain), "File:") || strings.Contains(string(plain), "TAKEN") ||
				text == f.ID() {
				t.Errorf("a visitor reads %q, %v", plain, err)
			}
		}
	}
	if first.Files[0].ID != s.listed(link + "/files").Files[0].ID {
		t.Error("the id of a picture changes")
	}
	if next := s.listed(link + "/files?after=" + url.QueryEscape(*first.Next)); len(next.Files) != 1 {
		t.Errorf("%d files after the first page, expected 1", len(next.Files))
	}
	own := fmt.Sprintf(`{"o":"TAKEN","r":true,"k":%d,"i":%d}`, f.ModifiedAt().UnixNano(), f.EntryID())
	for _, cursor := range []string{
		base64.RawURLEncoding.EncodeToString([]byte(own)), *other.Next, "1", (*first.Next)[1:],
	} {
		s.wants("the cursor "+cursor, s.do("GET", link+"/files?after="+url.QueryEscape(cursor), ""), 400)
	}
}

// TestShareReachesNothingElse: a visitor gets no other file, by no spelling, and no other part of the API.
func TestShareReachesNothingElse(t *testing.T) {
	s := newRightsStage(t, true)
	s.store("seen/in/deep.png", png)
	s.must(os.WriteFile(filepath.Join(s.files, "seen", ".secret.png"), []byte(png), 0o600))
	hidden, err := s.rules.File(s.admin(), "seen/.secret.png")
	s.must(err)
	template, err := s.rules.File(s.admin(), "seen/t.template.json")
	s.must(err)
	folder, _ := s.share("editor", `["seen/in"]`, `downloads: ORIGINALS, uploadQuotaBytes: 1000`)
	one, _ := s.share("editor", `["seen/f.png"]`, `downloads: ORIGINALS`)
	other, _ := s.share("editor", `["seen"]`, `downloads: ORIGINALS`)
	f := strings.TrimPrefix(s.picture(one, "f.png"), one+"/files/")
	seen, err := s.rules.File(s.admin(), "seen/f.png")
	s.must(err)
	not, err := s.rules.File(s.admin(), "seen/g.png")
	s.must(err)
	unseen, err := s.rules.File(s.admin(), "zq9hidden/f.png")
	s.must(err)
	ids := []string{
		s.ids["zq9hidden FILE"], s.ids["seen FOLDER"], s.ids["zq9hidden FOLDER"], s.ids["seen TRASH"],
		strings.TrimPrefix(s.picture(other, "g.png"), other+"/files/"), hidden.ID(), template.ID(), seen.ID(),
		"seen%2Ff.png", "..%2Ff.png", "%2e%2e", "..", "1", "0", "-1", "%00", "f.png", "RmlsZTox",
		strings.Repeat("A", 22), strings.Repeat("_", 22),
	}
	// what the ids of others would be, if a visitor could make them
	made := func(link string, files ...*gallery.File) (list []string) {
		_, v, err := s.rules.Shares.Visit(t.Context(), strings.TrimPrefix(link, "/s/"), "")
		s.must(err)
		for _, f := range files {
			list = append(list, v.ID(f))
		}
		return list
	}
	for _, link := range []string{folder, one} {
		for _, id := range append(append(ids, ""), made(link, hidden, template, not, unseen)...) {
			for _, size := range []string{"small", "original", "../small", "large/../original"} {
				if a := s.do("GET", link+"/files/"+id+"/"+size, ""); a.status != 404 {
					t.Errorf("%s of %s: %d %s", size, id, a.status, a.body)
				}
			}
		}
	}
	s.wants("a file of another link", s.do("GET", folder+"/files/"+f+"/small", ""), 404)
	for _, id := range made(other, hidden, template, unseen) {
		s.wants("a hidden file", s.do("GET", other+"/files/"+id+"/original", ""), 404)
	}
	s.wants("an id that is made like the others", s.do("GET", other+"/files/"+made(other, seen)[0]+"/original", ""), 200)
	for _, path := range []string{
		"..", "../zq9hidden", "in/../../zq9hidden", "/zq9hidden", "zq9hidden", "..%5Czq9hidden", ".", "in//deep",
		".safelight", ".trash", "%00", "%ff", strings.Repeat("a/", 600), "deep.png",
	} {
		for _, link := range []string{folder, one, other} {
			for _, of := range []string{"/files", "/folders", "/archive"} {
				a := s.do("GET", link+of+"?folder="+path, "")
				if a.status != 404 && a.status != 400 &&
					!(of == "/folders" && a.status == 200 && strings.Contains(a.body, `"folders":[]`)) {
					t.Errorf("%s of folder %q: %d %s", of, path, a.status, a.body)
				}
				if strings.Contains(a.body, "zq9") || strings.Contains(a.body, "seen") {
					t.Errorf("%s of folder %q tells a name: %s", of, path, a.body)
				}
			}
		}
	}
	for _, cursor := range []string{"x", "-1", "99999999999999999999", "eyJvIjoiU0laRSIsImkiOjF9", "%00"} {
		for _, link := range []string{folder, one} {
			s.wants("a forged cursor "+cursor, s.do("GET", link+"/files?after="+cursor, ""), 400)
		}
	}
	for _, path := range []string{
		"/meta" + folder, "/params" + folder, folder + "/meta", folder + "/params", folder + "/similar",
		folder + "/search?q=f", folder + "/files/" + f, folder + "/x", "/s/", folder + "/archive/x", folder + "//files",
	} {
		if a := s.do("GET", path, ""); a.status == 200 && !strings.HasPrefix(path, "/params") {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	// neither the key nor the cookie is a token of the API
	cookie, _ := s.enter(other, "")
	key := strings.TrimPrefix(other, "/s/")
	_, value, _ := strings.Cut(cookie, "=")
	for _, token := range []string{"", key, value} {
		a := s.do("POST", "/api/graphql", `{"query": "{ files { totalCount } }"}`,
			"Content-Type", "application/json", "Cookie", cookie, "Authorization", "Bearer "+token)
		s.wants("GraphQL as a visitor", a, 401)
		s.wants("an upload as a visitor", s.do("POST", "/api/uploads/", "", "Tus-Resumable", "1.0.0", "Cookie", cookie,
			"Authorization", "Bearer "+token), 401)
	}
	// a grant on a selected path that becomes a folder does not grow
	s.must(s.rules.Gallery.RemoveFile(s.admin(), "seen/f.png"))
	s.must(s.rules.CreateFolder(s.admin(), "seen/f.png"))
	s.store("seen/f.png/x.png", png)
	if a := s.do("GET", one+"/files", ""); strings.Contains(a.body, "x.png") {
		t.Errorf("a folder in place of the file: %s", a.body)
	}
	if strings.Contains(s.log.String(), key) {
		t.Error("the log has the key of a link")
	}
}

func TestSharePasswords(t *testing.T) {
	s := newRightsStage(t, false)
	link, _ := s.share("editor", `["seen"]`, `name: "Zq9 wedding", password: "`+sharePassword+`"`)
	page := s.do("GET", link, "", "Accept", "text/html")
	if strings.Contains(page.body, "Zq9") {
		t.Errorf("the page tells the name before the password: %s", page.body)
	}
	s.wants("without", s.do("POST", link, `{}`, "Content-Type", "application/json"), 401)
	for i := range 12 {
		_, a := s.enter(link, fmt.Sprint("guess number ", i))
		if want := 401; i >= 10 {
			s.wants("guess", a, 429)
		} else {
			s.wants("guess", a, want)
		}
		if strings.Contains(a.body, "Zq9") || a.header.Get("Set-Cookie") != "" {
			t.Errorf("a guess tells: %s", a.body)
		}
	}
	_, a := s.enter(link, sharePassword)
	s.wants("the right one after too many guesses", a, 429)
	second, _ := s.share("editor", `["seen"]`, `password: "`+sharePassword+`"`)
	cookie, a := s.enter(second, sharePassword)
	s.wants("another link", a, 200)
	s.wants("the cookie of another link", s.do("GET", link+"/files", "", "Cookie", cookie), 401)
	_, value, _ := strings.Cut(cookie, "=")
	until, mac, _ := strings.Cut(value, ".")
	for _, forged := range []string{"9999999999." + mac, until + ".", until + "." + mac + "A", mac, "." + mac,
		"9999999999.", ""} {
		s.wants("a forged cookie", s.do("GET", second+"/files", "", "Cookie", "safelight-visit="+forged), 401)
	}
	for _, weak := range []string{"short", "password1234", strings.Repeat("a", 2000)} {
		a := s.graphQL("editor", `mutation { createShare(input: {paths: ["seen"], password: "`+weak+
			`"}) { userErrors { code field } } }`, nil)
		if !strings.Contains(a.body, `"field":"password"`) {
			t.Errorf("a weak password: %s", a.body)
		}
	}
}

// TestShareKeys: keys are not guessed, and the database does not have them.
func TestShareKeys(t *testing.T) {
	s := newRightsStage(t, false)
	link, _ := s.share("editor", `["seen"]`, `name: "one"`)
	key := strings.TrimPrefix(link, "/s/")
	if len(key) < 26 {
		t.Errorf("the key %s has less than 128 bits", key)
	}
	rows, err := s.db.Share.Query().All(s.Context())
	s.must(err)
	if text := fmt.Sprintf("%#v", rows[0]) + rows[0].SealedKey; strings.Contains(text, key) {
		t.Errorf("the database has the key: %s", text)
	}
	other := "A"
	if key[:1] == other {
		other = "B"
	}
	for _, guess := range []string{
		key[:25], key + "A", strings.ToLower(key), other + key[1:], rows[0].KeyHash, rows[0].ID.String(), "%2e%2e",
		"..", "*",
		url.PathEscape(rows[0].SealedKey), strings.Repeat("A", 5000),
	} {
		for _, path := range []string{"", "/files", "/cover", "/archive"} {
			a := s.do("GET", "/s/"+guess+path, "")
			if a.status != 404 {
				t.Errorf("GET /s/%.40s%s: %d %s", guess, path, a.status, a.body)
			}
		}
	}
}

// TestShareOpens: links are opened only so many times a minute from one network.
func TestShareOpens(t *testing.T) {
	s := newRightsStage(t, false)
	link, _ := s.share("editor", `["seen"]`, `name: "x"`)
	opened := 0
	for ; opened < 1000; opened++ { // the limit grows by five a second meanwhile
		_, a := s.enter(link, "")
		if a.status == 200 {
			continue
		}
		s.wants("one more", a, 429)
		if a.header.Get("Retry-After") == "" {
			t.Errorf("headers: %v", a.header)
		}
		break
	}
	if opened < 300 || opened == 1000 {
		t.Errorf("opened %d times", opened)
	}
	s.wants("what is open already", s.do("GET", link+"/files", ""), 200)
}

// TestShareFollowsItsFiles: a link leads to its files wherever they move, in the order in which they were chosen.
func TestShareFollowsItsFiles(t *testing.T) {
	s := newRightsStage(t, true)
	link, _ := s.share("editor", `["seen/g.png", "seen/f.png"]`, `name: "two"`)
	names := func() (list []string) {
		for _, f := range s.listed(link + "/files").Files {
			list = append(list, f.Name)
		}
		return list
	}
	if got := fmt.Sprint(names()); got != "[g.png f.png]" {
		t.Errorf("files: %s", got)
	}
	s.must(s.rules.MoveFile(s.admin(), "seen/g.png", "seen/moved.png"))
	if got := fmt.Sprint(names()); got != "[moved.png f.png]" {
		t.Errorf("after a move: %s", got)
	}
	item, err := s.rules.TrashFile(s.admin(), "seen/f.png")
	s.must(err)
	if got := fmt.Sprint(names()); got != "[moved.png]" {
		t.Errorf("with one in the trash: %s", got)
	}
	s.store("seen/f.png", png)
	if got := fmt.Sprint(names()); got != "[moved.png]" {
		t.Errorf("with another file of that name: %s", got)
	}
	s.must(s.rules.Gallery.RemoveFile(s.admin(), "seen/f.png"))
	_, err = s.rules.RestoreFile(s.admin(), item.ID, gallery.ConflictError)
	s.must(err)
	if got := fmt.Sprint(names()); got != "[moved.png f.png]" {
		t.Errorf("restored: %s", got)
	}
	s.must(s.rules.MoveFile(s.admin(), "seen/moved.png", "zq9hidden/moved.png"))
	if got := fmt.Sprint(names()); got != "[f.png]" {
		t.Errorf("moved where the owner may not see it: %s", got)
	}
}

func TestShareWatermarks(t *testing.T) {
	s := newRightsStage(t, true)
	for name, operations := range map[string]string{
		"proof": "filters:watermark(zq9hidden/g.png,0,0,0)", "asis": "filters:raw()", "size": "10x10",
	} {
		a := s.graphQL("admin", `mutation { savePreset(input: {name: "`+name+`", operations: "`+operations+
			`"}) { userErrors { message } } }`, nil)
		if !strings.Contains(a.body, `"userErrors":[]`) {
			t.Fatal(a.body)
		}
	}
	for _, bad := range []string{"none", "asis", "size", "proof/../x", "proof)/filters:raw()/(", "", "proof@1"} {
		downloads := "RENDITIONS"
		if bad == "" {
			continue
		}
		a := s.graphQL("editor", `mutation { createShare(input: {paths: ["seen"], downloads: `+downloads+
			`, watermark: "`+bad+`"}) { userErrors { code field } } }`, nil)
		if !strings.Contains(a.body, `"field":"watermark"`) {
			t.Errorf("watermark %s: %s", bad, a.body)
		}
	}
	a := s.graphQL(
		"editor",
		`mutation { createShare(input: {paths: ["seen"], downloads: ORIGINALS, watermark: "proof"}) { userErrors { code field } } }`, nil)
	if !strings.Contains(a.body, `"field":"downloads"`) {
		t.Errorf("originals with a watermark: %s", a.body)
	}
	link, _ := s.share("editor", `["seen"]`, `downloads: RENDITIONS, watermark: "proof"`)
	picture := s.picture(link, "f.png")
	for _, path := range []string{picture + "/small", picture + "/medium", picture + "/large", picture + "/jpeg",
		link + "/cover"} {
		if a := s.do("GET", path, ""); a.status != 200 || !strings.Contains(a.body, "watermark(zq9hidden/g.png") {
			t.Errorf("%s: %d %s, expected a watermark", path, a.status, a.body)
		}
	}
	s.wants("an original", s.do("GET", picture+"/original", ""), 403)
	z := s.do("GET", link+"/archive", "")
	if strings.Count(z.body, "watermark(zq9hidden/g.png") != 2 {
		t.Errorf("the archive: %q", z.body)
	}
	a = s.graphQL("admin", `mutation { deletePreset(input: {name: "proof"}) { deletedName } }`, nil)
	if a = s.do("GET", picture+"/small", ""); a.status != 404 {
		t.Errorf("without the preset: %d %s, expected nothing rather than the picture", a.status, a.body)
	}
}

func TestSharePage(t *testing.T) {
	document := "<html><head><title>Safelight</title></head></html>"
	web := fstest.MapFS{"index.html": {Data: []byte(document)}, "app/worker.js": {Data: []byte("")}}
	s := newStageWith(t, nil, func(d *server.Deps) { d.Web = web })
	link, id := s.share("user", `["a"]`, `name: "<b>A & B</b>"`)
	a := s.do("GET", link, "", "Accept", "text/html")
	s.wants("the page", a, 200)
	for _, part := range []string{
		"<title>&lt;b&gt;A &amp; B&lt;/b&gt;</title>", `property="og:title"`, `content="` + link + `/cover"`,
	} {
		if !strings.Contains(a.body, part) {
			t.Errorf("the page lacks %s: %s", part, a.body)
		}
	}
	if a.header.Get("X-Robots-Tag") != "noindex" ||
		!strings.Contains(a.header.Get("Content-Security-Policy"), "script-src 'self'") {
		t.Errorf("headers: %v", a.header)
	}
	if a := s.do("GET", link, "", "Accept", "text/html", "Host", "evil.example"); strings.Contains(a.body, "evil") {
		t.Errorf("the page repeats the header Host: %s", a.body)
	}
	s.wants("the cover", s.do("GET", link+"/cover", ""), 200)
	s.graphQL("user", `mutation { updateShare(input: {id: "`+id+`", password: "`+sharePassword+
		`"}) { userErrors { code } } }`, nil)
	if a := s.do("GET", link, "", "Accept", "text/html"); a.status != 200 || strings.Contains(a.body, "A &amp; B") ||
		strings.Contains(a.body, "og:") {
		t.Errorf("with a password: %d %s", a.status, a.body)
	}
	s.wants("the cover with a password", s.do("GET", link+"/cover", ""), 401)
	a = s.do("GET", "/s/NONE", "", "Accept", "text/html")
	if a.status != 404 || !strings.Contains(a.body, "<title>Safelight</title>") {
		t.Errorf("an unknown link: %d %s", a.status, a.body)
	}
}
