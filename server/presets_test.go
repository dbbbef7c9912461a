package server_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/server"
	"github.com/safelight/safelight/signing"
	"github.com/safelight/safelight/signing/presets"
)

const saveCard = `mutation { savePreset(input: {name: "card", operations: "fit-in/{width}x0/filters:quality({q})", parameters: [
	{name: "width", default: "320", values: ["320", "640"]}, {name: "q", default: "80", min: 1, max: 100}]}) { preset { name version } userErrors { code message field } } }`

// presetStage is a server with the preset card and unsafe URLs for everyone. Its processor secret is familySecret.
func presetStage(t *testing.T, only bool) *stage {
	t.Helper()
	file := filepath.Join(t.TempDir(), "presets.json")
	if err := os.WriteFile(file, []byte(`[{"name": "plain"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newStage(t, func(c *server.Config, rules *gallerytest.Config) {
		c.Unsafe, c.ClientHints = true, true
		rules.Signing = signing.Config{Processor: &imaging.SignerConfig{Secret: familySecret}, PresetsOnly: only}
		rules.Presets = presets.Config{File: file}
	})
	old := time.Now().Add(-time.Hour)
	s.store("a/b.png", png)
	s.must(os.Chtimes(filepath.Join(s.files, "a/b.png"), old, old))
	if a := s.graphQL("admin", saveCard, nil); a.json("data", "savePreset", "preset", "version") == nil {
		t.Fatalf("savePreset: %s", a.body)
	}
	return s
}

// signedBySecret is a URL that somebody with the processor secret makes.
func signedBySecret(t *testing.T, path string) string {
	t.Helper()
	signer, err := imaging.NewSigner(imaging.SignerConfig{Secret: familySecret})
	if err != nil {
		t.Fatal(err)
	}
	return "/" + signer.Sign(path) + "/" + path
}

// TestPreset: a URL with presets is answered as the ordinary URL, in every way.
func TestPreset(t *testing.T) {
	s := presetStage(t, false)
	for path, ordinary := range map[string]string{
		"preset(card)/a/b.png":                            "fit-in/320x0/filters:quality(80)/a/b.png",
		"preset(card@1,640)/a/b.png":                      "fit-in/640x0/filters:quality(80)/a/b.png",
		"300x200/preset(card,,7)/filters:blur(2)/a/b.png": "fit-in/300x200/filters:quality(7):blur(2)/a/b.png",
		"preset(plain)/a/b.png":                           "a/b.png",
		"meta/preset(card)/a/b.png":                       "meta/fit-in/320x0/filters:quality(80)/a/b.png",
		"filters:image(preset(card)/a/b.png)/color:red":   "filters:image(fit-in/320x0/filters:quality(80)/a/b.png)/color:red",
	} {
		for _, url := range []func(string) string{func(p string) string { return "/unsafe/" + p }, s.signed} {
			a, b := s.do("GET", url(path), ""), s.do("GET", url(ordinary), "")
			if a.status != http.StatusOK || a.body != b.body || a.header.Get("ETag") == "" ||
				a.header.Get("ETag") != b.header.Get("ETag") ||
				a.header.Get("Cache-Control") != b.header.Get("Cache-Control") ||
				strings.Join(a.header.Values("Vary"), ",") != strings.Join(b.header.Values("Vary"), ",") {
				t.Errorf("%s: %d %s\nordinary: %d %s", path, a.status, a.body, b.status, b.body)
			}
			if c := s.do("HEAD", url(path), ""); c.status != http.StatusOK ||
				c.header.Get("ETag") != a.header.Get("ETag") {
				t.Errorf("HEAD of %s: %d", path, c.status)
			}
			if c := s.do("GET", url(path), "", "If-None-Match",
				b.header.Get("ETag")); c.status != http.StatusNotModified {
				t.Errorf("%s with If-None-Match: %d", path, c.status)
			}
		}
	}
	st, err := s.rules.StatImage(access.All(t.Context()), "a/b.png")
	s.must(err)
	for path, want := range map[string]bool{"preset(card)/a/b.png": false, "preset(card@1)/a/b.png": true,
		"preset(card@1)/preset(card)/a/b.png": false, "fit-in/320x0/a/b.png": true} {
		if c := s.do("GET", s.signed(path)+"?v="+url.QueryEscape(st.ETag),
			"").header.Get("Cache-Control"); strings.Contains(c, "immutable") != want {
			t.Errorf("%s with ?v=: Cache-Control is %s, immutable expected: %v", path, c, want)
		}
	}
	family := relatives(t, s, "640w,2x", "preset(card)/a/b.png")
	if a, b := s.do("GET", family("640w"), ""), s.do("GET", s.signed("fit-in/640x0/filters:quality(80)/a/b.png"),
		""); a.status != http.StatusOK || a.header.Get("ETag") != b.header.Get("ETag") {
		t.Errorf("a family of a preset: %d %s", a.status, a.body)
	}
	for path, status := range map[string]int{
		"/unsafe/preset(card,321)/a/b.png":      http.StatusBadRequest,
		"/unsafe/preset(card,320,80,1)/a/b.png": http.StatusBadRequest,
		"/unsafe/preset(none)/a/b.png":          http.StatusNotFound,
		"/unsafe/preset(card@2)/a/b.png":        http.StatusNotFound,
		"/unsafe/preset%28card%29/a/b.png":      http.StatusNotFound, // a folder
		"/unsafe/preset(card%2C320)/a/b.png":    http.StatusBadRequest,
		"/unsafe/preset(card%252C320)/a/b.png":  http.StatusBadRequest,
		"/unsafe/preset(c\u00e4rd)/a/b.png":     http.StatusBadRequest,
		s.signed("preset(card)/a/b.png")[1:]:    http.StatusOK,
		// the text is signed
		strings.Replace(s.signed("preset(card)/a/b.png"), "card", "plain", 1)[1:]:  http.StatusForbidden,
		strings.Replace(s.signed("preset(card,320)/a/b.png"), "320", "640", 1)[1:]: http.StatusForbidden,
		strings.Replace(s.signed("fit-in/320x0/filters:quality(80)/a/b.png"), "fit-in/320x0/filters:quality(80)",
			"preset(card)", 1)[1:]: http.StatusForbidden,
		"/unsafe/preset(card" + strings.Repeat(",", 10_000) +
			")/a/b.png": http.StatusBadRequest,
	} {
		if a := s.do("GET", "/"+strings.TrimPrefix(path, "/"), ""); a.status != status {
			t.Errorf("%.80s: %d %.200s, expected %d", path, a.status, a.body, status)
		}
	}
	s.store("preset(card)/c.png", png) // a folder of that name is written in another way
	if a := s.graphQL("guest", `{ file(path: "preset(card)/c.png") { url } }`, nil); !strings.Contains(a.body,
		"preset%28card") {
		t.Errorf("the URL of a folder: %s", a.body)
	} else if b := s.do("GET", a.json("data", "file", "url").(string), ""); b.status != http.StatusOK {
		t.Errorf("the image of a folder: %d %s", b.status, b.body)
	}
}

// TestPresetParams: /params names the preset, its version and the ordinary URL.
func TestPresetParams(t *testing.T) {
	s := presetStage(t, false)
	a := s.do("GET", "/params/unsafe/preset(card,640)/300x0/a/b.png", "")
	if a.status != http.StatusOK || a.json("path") != "preset(card,640)/300x0/a/b.png" ||
		a.json("expanded") != "fit-in/300x0/filters:quality(80)/a/b.png" || a.json("width") != 300.0 {
		t.Errorf("params: %s", a.body)
	}
	list, _ := a.json("presets").([]any)
	if len(list) != 1 {
		t.Fatalf("presets: %s", a.body)
	}
	use := list[0].(map[string]any)
	if use["name"] != "card" || use["version"] != 1.0 || use["operations"] != "fit-in/640x0/filters:quality(80)" ||
		use["arguments"].(map[string]any)["q"] != "80" {
		t.Errorf("the preset is %v", use)
	}
	if b := s.do("GET", "/params/unsafe/300x0/a/b.png", ""); strings.Contains(b.body, "presets") ||
		strings.Contains(b.body, "expanded") {
		t.Errorf("params of an ordinary URL: %s", b.body)
	}
	family := relatives(t, s, "640w", "preset(card)/a/b.png")
	if a := s.do("GET", "/params"+family("640w"),
		""); a.json("expanded") != "fit-in/640x0/filters:quality(80)/a/b.png" || a.json("family") == nil {
		t.Errorf("params of a family: %s", a.body)
	}
}

// TestPresetsOnly: whoever signs with the processor secret, or does not sign, gets presets and nothing else.
func TestPresetsOnly(t *testing.T) {
	s := presetStage(t, true)
	for path, allowed := range map[string]bool{
		"preset(card)/a/b.png":                                true,
		"preset(card,640)/preset(plain)/a/b.png":              false,
		"preset(card)/preset(card)/a/b.png":                   false,
		"preset(card)/filters:expire(soon)/a/b.png":           false,
		"meta/preset(card)/a/b.png":                           true,
		"preset(card)/filters:expire(99999999999999)/a/b.png": true,
		"a/b.png":                                false,
		"meta/a/b.png":                           false,
		"300x0/a/b.png":                          false,
		"300x0/preset(card)/a/b.png":             false,
		"preset(card)/300x0/a/b.png":             false,
		"preset(card)/-0x0/a/b.png":              false,
		"preset(card)/smart/a/b.png":             false,
		"preset(card)/left/a/b.png":              false,
		"preset(card)/trim/a/b.png":              false,
		"preset(card)/filters:raw()/a/b.png":     false,
		"preset(card)/filters:preview()/a/b.png": false,
		"preset(card)/filters:expire(99999999999999):blur(1)/a/b.png": false,
		"preset(card)/filters:EXPIRE(99999999999999)/a/b.png":         false,
		"filters:raw()/a/b.png":                                       false,
		"filters:image(preset(card)/a/b.png)/a/b.png":                 false,
		"preset%28card%29/a/b.png":                                    false,
		"folder/preset(card)/a/b.png":                                 false,
		"preset(card/a/b.png":                                         false,
		"color:red":                                                   false,
		"preset(@0123456789abcdef)/preset(card)/a/b.png":              false,
	} {
		for _, url := range []string{"/unsafe/" + path, signedBySecret(t, path)} {
			a := s.do("GET", url, "")
			if ok := a.status == http.StatusOK; ok != allowed || !ok &&
				(a.status != http.StatusForbidden || a.json("error") != "FORBIDDEN" ||
					!strings.Contains(a.body, "presets-only")) {
				t.Errorf("%s: %d %s, expected allowed: %v", url, a.status, a.body, allowed)
			}
		}
		if a := s.do("GET", "/unsafe/"+path, "", "Authorization",
			"Bearer "+s.tokens["guest"]); (a.status == http.StatusOK) != allowed {
			t.Errorf("%s for a guest: %d", path, a.status)
		}
	}
	for _, url := range []string{relatives(t, s, "640w", "preset(card)/a/b.png")("640w"),
		relatives(t, s, "640w", "preset(card)/a/b.png")("-"), relatives(t, s, "640w", "300x0/a/b.png")("640w")} {
		if a := s.do("GET", url, ""); a.status != http.StatusForbidden {
			t.Errorf("a family: %d %s", a.status, a.body)
		}
	}
	plain, expiring := s.do("GET", "/unsafe/preset(card)/a/b.png", ""),
		s.do("GET", "/unsafe/preset(card)/filters:expire(99999999999999)/a/b.png", "")
	if plain.header.Get("ETag") != expiring.header.Get("ETag") {
		t.Error("the expiry of a URL multiplies the results")
	}
	if a := s.do("GET", "/unsafe/preset(card)/filters:expire(1000)/a/b.png", ""); a.status != http.StatusGone {
		t.Errorf("an expired URL: %d %s", a.status, a.body)
	}
	hinted := s.do("GET", "/unsafe/preset(plain)/a/b.png", "", "Sec-CH-Width", "77")
	if plain := s.do("GET", "/unsafe/preset(plain)/a/b.png",
		""); hinted.header.Get("ETag") != plain.header.Get("ETag") {
		t.Error("a client hint changes the size of a preset")
	}
	if a := s.graphQL("user", `{ file(path: "a/b.png") { srcFamily(vary: [WIDTH]) { template } } }`,
		nil); a.code() != "FORBIDDEN" {
		t.Errorf("srcFamily: %s", a.body)
	}
	if a := s.do("GET", "/unsafe/300x0/filters:preview()/a/b.png", "", "Authorization",
		"Bearer "+s.tokens["user"]); a.status != http.StatusOK || !strings.HasPrefix(a.header.Get("Cache-Control"),
		"private") {
		t.Errorf("the editor's preview: %d %s", a.status, a.body)
	}
}

// TestGalleryWithPresetsOnly: the application shows its pictures while only presets are allowed, and nobody can make
// such URLs from the processor secret.
func TestGalleryWithPresetsOnly(t *testing.T) {
	s := presetStage(t, true)
	a := s.graphQL(
		"user",
		`{ file(path: "a/b.png") { small: url(operations: {height: 240}) original: url(operations: {filters: [{name: "raw"}]}) srcset(widths: [300])
		presetUrl(name: "card", arguments: ["640"]) } files(folder: "a") { nodes { thumbnailUrls { grid preview full original meta } } } }`,
		nil,
	)
	file, _ := a.json("data", "file").(map[string]any)
	items, _ := a.json("data", "files", "nodes").([]any)
	if file == nil || len(items) != 1 {
		t.Fatalf("the gallery: %s", a.body)
	}
	urls := map[string]string{}
	for name, url := range file {
		if url == nil {
			t.Fatalf("no %s: %s", name, a.body)
		}
		urls[name] = strings.Fields(url.(string))[0]
	}
	for name, url := range items[0].(map[string]any)["thumbnailUrls"].(map[string]any) {
		urls[name] = url.(string)
	}
	for name, url := range urls {
		b := s.do("GET", url, "")
		if b.status != http.StatusOK {
			t.Errorf("%s: %d %s", name, b.status, b.body)
		}
		if temporary := strings.HasPrefix(url, "/app-"); temporary == (name == "presetUrl") {
			t.Errorf("%s is %s", name, url)
		}
		if name == "presetUrl" {
			continue
		}
		if !strings.Contains(b.header.Get("Cache-Control"), "max-age=") {
			t.Errorf("%s: Cache-Control is %s", name, b.header.Get("Cache-Control"))
		}
		_, path, _ := strings.Cut(url[1:], "/")
		hash := strings.TrimPrefix(url[1:], "app-")
		until, _, _ := strings.Cut(hash, "-")
		for _, forged := range []string{
			strings.Replace(url, "-"+until+"-", "-9"+until+"-", 1), strings.Replace(url, "app-", "apx-", 1), "/app-" +
				until + signedBySecret(t, path)[1:],
			strings.Replace(url, "a/b.png", "a/c.png", 1), signedBySecret(t, path), "/unsafe/" + path,
		} {
			if b := s.do("GET", forged, ""); b.status != http.StatusForbidden {
				t.Errorf("%s: %d %s", forged, b.status, b.body)
			}
		}
	}
	if !strings.Contains(urls["presetUrl"], "/preset(card,640)/a/b.png?v=") {
		t.Errorf("presetUrl is %s", urls["presetUrl"])
	}
	// the same database without presets-only knows no such signatures
	free := presetStage(t, false)
	if b := free.do("GET", urls["small"], ""); b.status != http.StatusForbidden {
		t.Errorf("without presets-only: %d", b.status)
	}
}

// TestPresetAPI: what admins and others see and do.
func TestPresetAPI(t *testing.T) {
	s := presetStage(t, false)
	for _, c := range []struct{ who, query, want string }{
		{
			"guest",
			`{ preset(name: "card") { version operations source updatedAt parameters { name default values min max } } }`, `"parameters":[{"name":"width","default":"320","values":["320","640"],"min":null,"max":null},{"name":"q","default":"80","values":null,"min":1,"max":100}]`},
		{"guest", `{ presets { nodes { name source updatedAt } } }`,
			`{"name":"plain","source":"FILE","updatedAt":null}`},
		{"guest", `{ preset(name: "card") { name versions { number } } }`, `"FORBIDDEN"`},
		{"guest", `{ preset(name: "none") { name } }`, `"NOT_FOUND"`},
		{"admin", `{ preset(name: "card") { versions { number createdBy } } }`, `{"number":1,"createdBy":"admin"}`},
		{
			"admin",
			`mutation { savePreset(input: {name: "card", operations: "1x1", basedOn: 7}) { preset { name } userErrors { code field } } }`, `{"code":"CONFLICT","field":"basedOn"}`},
		{
			"admin",
			`mutation { savePreset(input: {name: "card", operations: "x.jpg/1x1"}) { preset { name } userErrors { code field } } }`, `{"code":"INVALID","field":"operations"}`},
		{
			"admin",
			`mutation { savePreset(input: {name: "plain", operations: "1x1"}) { preset { name } userErrors { code field } } }`, `{"code":"CONFLICT","field":"name"}`},
		{"admin", `mutation { deletePreset(input: {name: "plain"}) { deletedName userErrors { code field } } }`,
			`{"code":"CONFLICT","field":"name"}`},
		{"guest", `{ file(path: "a/b.png") { presetUrl(name: "card", arguments: ["321"]) } }`,
			`expected one of 320, 640`},
		{"guest", `{ file(path: "a/b.png") { presetUrl(name: "card)/300x0/preset(card") } }`, `"INVALID"`},
		{"guest", `{ file(path: "a/b.png") { presetUrl(name: "card", arguments: ["320)/x"]) } }`, `"INVALID"`},
		{"guest", `{ file(path: "a/b.png") { presetUrl(name: "card", expiresIn: 0) } }`, `"INVALID"`},
		{"guest", `{ file(path: "a/b.png") { presetUrl(name: "card", expiresIn: 60) } }`,
			`/preset(card)/filters:expire(`},
	} {
		if a := s.graphQL(c.who, c.query, nil); !strings.Contains(strings.ReplaceAll(a.body, " ", ""),
			strings.ReplaceAll(c.want, " ", "")) {
			t.Errorf("%s: %s: %s, expected %s", c.who, c.query, a.body, c.want)
		}
	}
	signed := s.signed("preset(card)/a/b.png")
	pinned := s.signed("preset(card@1)/a/b.png")
	if a := s.graphQL(
		"admin",
		`mutation { savePreset(input: {name: "card", operations: "5x5", basedOn: 1}) { preset { version } userErrors { code } } }`, nil); a.json(
		"data", "savePreset", "preset", "version",
	) != 2.0 {
		t.Fatalf("savePreset: %s", a.body)
	}
	if a := s.do("GET", signed, ""); !strings.Contains(a.body, "5x5/") {
		t.Errorf("the newest version: %s", a.body)
	}
	if a := s.do("GET", pinned, ""); !strings.Contains(a.body, "fit-in/320x0/") {
		t.Errorf("a pinned version: %s", a.body)
	}
	if a := s.graphQL("admin", `mutation { deletePreset(input: {name: "card"}) { deletedName userErrors { code } } }`,
		nil); a.json("data", "deletePreset", "deletedName") != "card" {
		t.Fatalf("deletePreset: %s", a.body)
	}
	for _, url := range []string{signed, pinned} {
		if a := s.do("GET", url, ""); a.status != http.StatusNotFound || a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("a deleted preset: %d %s", a.status, a.body)
		}
	}
}
