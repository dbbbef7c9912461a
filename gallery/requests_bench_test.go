package gallery_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
)

// requests measures whole requests to bin/safelight with the queries of the application. An account that sees
// 200 of 20,000 folders takes turns with an admin. It leaves out queries for a single picture, because that
// would have to exist.
func (m measured) requests() {
	viewer := m.Person("viewer", auth.RoleUser)
	m.Person("chief", auth.RoleAdmin)
	m.Must(m.SetGrants(m.Context(), "", nil))
	to := access.Grantee{Kind: access.Account, ID: viewer.User.ID.String()}
	for i := range 200 {
		m.Must(m.Access.SetGrants(m.Context(), granted(i), []*access.Grant{{To: to, Right: access.View}}))
	}
	_, err := m.Pool.Exec("INSERT INTO taggings (entry_id, key, name) SELECT id, 't' || id % 199, 't' || id % 199 FROM " +
		"entries WHERE kind = 1 AND id % 3 = 0")
	m.Must(err)
	// Otherwise these pictures would not be on the map.
	_, err = m.Pool.Exec("UPDATE entries SET map_x = id % 1000 * 1073741, map_y = id % 997 * 1073741 WHERE has_gps")
	m.Must(err)
	_, err = m.Pool.Exec("ANALYZE")
	m.Must(err)
	rounds := 200
	if n, err := strconv.Atoi(os.Getenv("SAFELIGHT_BENCH_ROUNDS")); err == nil {
		rounds = n
	}
	p := m.startProgram()
	tokens := [2]string{p.login("chief"), p.login("viewer")}
	for _, one := range p.asked() {
		var times, cpu [2][]float64
		for i := range rounds {
			for who, token := range tokens {
				backends := m.backends()
				began, used := time.Now(), p.used(backends)
				p.ask(token, one.document, one.variables(i))
				times[who] = append(times[who], float64(time.Since(began).Microseconds())/1000)
				cpu[who] = append(cpu[who], p.used(backends)-used)
			}
		}
		for who := range tokens {
			slices.Sort(times[who])
			slices.Sort(cpu[who])
		}
		admin, viewer := cpu[0][rounds/2], cpu[1][rounds/2]
		m.Logf("%-34s CPU of an admin %7.2f ms, of the viewer %7.2f, ratio %.2f; time %7.2f, %7.2f",
			one.what, admin, viewer, viewer/admin, times[0][rounds/2], times[1][rounds/2])
	}
}

// granted returns one of the 200 folders that the viewer sees.
func granted(i int) string {
	return fmt.Sprintf("f%04d", i%200*100+i%100)
}

// program is a running bin/safelight.
type program struct {
	measured
	url       string
	pid       int
	documents map[string]string // queries of the application by name, fragments by "fragment NAME"
}

// startProgram starts bin/safelight on the database. Its storage is a bucket, because it would notice that
// the files do not exist in a local folder.
func (m measured) startProgram() program {
	bucket, query, _ := strings.Cut(os.Getenv(gallerytest.S3Variable), "?")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	m.Must(err)
	listen := listener.Addr().String()
	m.Must(listener.Close())
	command := exec.Command(
		"../bin/safelight", "--listen", listen, "--data", m.T.TempDir(), "--database", m.database(),
		"--storage", bucket+"/requests?"+query, "--scan-interval", "0", "--allow-new-storage",
	)
	command.Env = append(os.Environ(), "SAFELIGHT_PROCESSOR_SECRET="+strings.Repeat("s", 32))
	log, err := os.Create(filepath.Join(m.T.TempDir(), "log"))
	m.Must(err)
	command.Stdout, command.Stderr = log, log
	m.Must(command.Start())
	p := program{m, "http://" + listen, command.Process.Pid, documents(m)}
	m.T.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		_ = command.Wait()
	})
	for range 100 {
		if r, err := http.Get(p.url + "/readyz"); err == nil {
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				m.keepFolders()
				return p
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	text, _ := os.ReadFile(log.Name())
	m.T.Fatalf("the program is not ready: %s", text[max(0, len(text)-1000):])
	return p
}

// keepFolders waits until the program has marked the folders of the bucket to be read again after its start,
// and undoes that, because the folders do not exist.
func (m measured) keepFolders() {
	for known := 1; known > 0; time.Sleep(100 * time.Millisecond) {
		m.Must(m.Pool.QueryRow("SELECT count(*) FROM entries WHERE kind = 0 AND synced > 0").Scan(&known))
	}
	_, err := m.Pool.Exec("UPDATE entries SET synced = 1 WHERE kind = 0")
	m.Must(err)
}

// database returns the address of the database of the test.
func (m measured) database() string {
	if m.onPostgres {
		u, err := url.Parse(os.Getenv(databasetest.PostgresVariable))
		m.Must(err)
		var name string
		m.Must(m.Pool.QueryRow("SELECT current_database()").Scan(&name))
		u.Path = "/" + name
		return u.String()
	}
	var file string
	m.Must(m.Pool.QueryRow("SELECT file FROM pragma_database_list WHERE name = 'main'").Scan(&file))
	return "sqlite://" + (&url.URL{Path: file}).EscapedPath()
}

// documents returns the documents in web/src.
func documents(m measured) map[string]string {
	all := map[string]string{}
	files, err := filepath.Glob("../web/src/*/*.ts")
	m.Must(err)
	inCode := regexp.MustCompile("(?s)graphql\\(\\s*`(.*?)`")
	name := regexp.MustCompile(`(fragment|query|mutation) (\w+)`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		m.Must(err)
		for _, found := range inCode.FindAllStringSubmatch(string(text), -1) {
			named := name.FindStringSubmatch(found[1])
			if named == nil {
				continue
			}
			key := named[2]
			if named[1] == "fragment" {
				key = "fragment " + key
			}
			all[key] = found[1]
		}
	}
	return all
}

// document returns a document with the fragments that it uses.
func (p program) document(name string) string {
	text := p.documents[name]
	if text == "" {
		p.T.Fatalf("the application has no document %s", name)
	}
	for _, spread := range regexp.MustCompile(`\.\.\.(\w+)`).FindAllStringSubmatch(text, -1) {
		text += p.document("fragment " + spread[1])
	}
	return text
}

// login returns a token.
func (p program) login(name string) string {
	answer := p.post("/api/auth/login", "", map[string]any{"username": name, "password": gallerytest.Password})
	var session struct {
		Token string `json:"token"`
	}
	p.Must(json.Unmarshal(answer, &session))
	if session.Token == "" {
		p.T.Fatalf("the login answers %s", answer)
	}
	return session.Token
}

// ask sends a document. Errors in the response stop the test.
func (p program) ask(token, name string, variables map[string]any) []byte {
	answer := p.post("/api/graphql", token, map[string]any{"query": p.document(name), "variables": variables})
	if bytes.Contains(answer[:min(len(answer), 200)], []byte(`"errors"`)) {
		p.T.Fatalf("%s %v answers %s", name, variables, answer)
	}
	return answer
}

func (p program) post(path, token string, body any) []byte {
	data, err := json.Marshal(body)
	p.Must(err)
	r, err := http.NewRequestWithContext(p.T.Context(), http.MethodPost, p.url+path, bytes.NewReader(data))
	p.Must(err)
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(r)
	p.Must(err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	p.Must(err)
	return text
}

// used returns the CPU time in milliseconds of all threads of the program and its children, and of some
// processes of the database.
func (p program) used(backends []int) (ms float64) {
	return cpuOf(append(p.family(p.pid), backends...))
}

// family returns a process and all its descendants.
func (p program) family(pid int) []int {
	all := []int{pid}
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, field := range strings.Fields(string(text)) {
			child, _ := strconv.Atoi(field)
			all = append(all, p.family(child)...)
		}
	}
	return all
}

type asking struct {
	what, document string
	variables      func(i int) map[string]any
}

// asked returns the queries of the pages of the application.
func (p program) asked() []asking {
	type variables = map[string]any
	noTemplates := variables{"isTemplate": false}
	page := func(change func(i int, v variables)) func(int) variables {
		return func(i int) variables {
			v := variables{
				"folder": "", "recursive": true, "filter": noTemplates, "search": nil, "sort": "NAME", "order": "ASC",
				"first": 100, "after": nil, "skip": 0, "count": true, "calm": false,
			}
			change(i, v)
			return v
		}
	}
	words := func(v variables, text string) { v["search"] = text }
	sorted := func(v variables, sort string) { v["sort"], v["order"] = sort, "DESC" }
	counted := func(search string) func(int) variables {
		return func(int) variables {
			return variables{"folder": "", "filter": noTemplates, "search": search, "each": choices()}
		}
	}
	values := func(search any, filter any) func(int) variables {
		return func(int) variables {
			return variables{
				"text": "", "most": 30, "folder": "", "search": search,
				"ofTags": filter, "ofCameras": filter, "ofLenses": filter,
			}
		}
	}
	return []asking{
		{"the smallest request", "CheckSession", func(int) variables { return variables{} }},
		{"a folder", "Files", page(func(i int, v variables) { v["folder"], v["recursive"] = granted(i), false })},
		{"the root, by name", "Files", page(func(int, variables) {})},
		{"by date", "Files", page(func(_ int, v variables) { sorted(v, "TAKEN") })},
		{"by size", "Files", page(func(_ int, v variables) { sorted(v, "SIZE") })},
		{"by rating", "Files", page(func(_ int, v variables) { sorted(v, "RATING") })},
		{"by name, further down", "Files", page(func(i int, v variables) { v["skip"], v["count"] = 100+40*(i%20), false })},
		{"the timeline by month", "TimelineMonths", func(int) variables {
			return variables{"filter": noTemplates, "search": nil}
		}},
		{"a word of a hundredth", "Files", page(func(i int, v variables) { words(v, oneOfHundred(i)) })},
		{"a word of all", "Files", page(func(i int, v variables) { words(v, "img") })},
		{"the exact count of a hundredth", "CountFiles", page(func(i int, v variables) { words(v, oneOfHundred(i)) })},
		{"filter: four stars", "Files", page(func(_ int, v variables) {
			v["filter"] = variables{"isTemplate": false, "minRating": 4}
		})},
		{"filter: favorites by date", "Files", page(func(_ int, v variables) {
			v["filter"] = variables{"isTemplate": false, "favorite": true}
			sorted(v, "TAKEN")
		})},
		{"the folders of the root", "Folders", func(int) variables { return variables{"folder": "", "after": nil} }},
		{"suggestions", "Suggest", func(i int) variables {
			return variables{"text": fmt.Sprint("t", i%9), "limit": 8, "tags": true, "folders": true, "cameras": true,
				"lenses": true, "places": false, "cities": false}
		}},
		{"counts: no filter", "FileCounts", counted("")},
		{"counts: a word of a hundredth", "FileCounts", func(i int) variables { return counted(oneOfHundred(i))(i) }},
		{"counts: a word of all", "FileCounts", counted("img")},
		{"values: no filter", "FacetValues", values(nil, nil)},
		{"values: a word of a hundredth", "FacetValues", func(i int) variables {
			return values(oneOfHundred(i), noTemplates)(i)
		}},
		{"values: a word of all", "FacetValues", values("img", noTemplates)},
	}
}

// oneOfHundred returns a word that occurs in about one of a hundred files.
func oneOfHundred(i int) string { return fmt.Sprint("w", 10+i%90) }

// choices returns the choices of the filter panel.
func choices() (all []map[string]any) {
	add := func(name string, values ...any) {
		for _, v := range values {
			all = append(all, map[string]any{name: v})
		}
	}
	for _, color := range []string{"cc2a2a", "e07b20", "edc92f", "3f8f3a", "1f8f8a", "2f6fc0", "8a3fa8", "e58fb1",
		"7a5236", "000000", "808080", "ffffff"} {
		add("color", map[string]any{"color": color})
	}
	add("minRating", 5, 4, 3, 2, 1)
	add("maxRating", 0)
	add("orientation", "LANDSCAPE", "PORTRAIT", "SQUARE")
	add("favorite", true)
	add("hasGps", true)
	for _, format := range []string{
		"JPEG", "PNG", "WEBP", "AVIF", "HEIF", "GIF", "TIFF", "SVG", "JXL", "JP2", "BMP", "PDF",
	} {
		add("formats", []string{format})
	}
	return all
}
