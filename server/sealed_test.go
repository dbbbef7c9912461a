package server_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/server"
	"github.com/safelight/safelight/signing"
	"github.com/safelight/safelight/signing/sealed"
)

// TestEncryptedPaths: a URL with an encrypted path gives what the plain one does, and no response tells the path.
func TestEncryptedPaths(t *testing.T) {
	keys, err := sealed.ParseKeys("k2:" + strings.Repeat("02", 64) + ",k1:" + strings.Repeat("01", 64))
	if err != nil {
		t.Fatal(err)
	}
	s := newStageWith(t, func(c *server.Config, rules *gallerytest.Config) {
		c.Limits.MaxResultSide = 1000
		rules.Signing = signing.Config{Encryption: keys}
	}, func(*server.Deps) {})
	const path = "clients/Hidden-42.png"
	s.store(path, png)
	s.must(os.WriteFile(filepath.Join(s.files, "clients", "Hidden-43.txt"), []byte("not a picture"), 0o600))
	image, err := keys.Encrypt(path)
	s.must(err)
	old, err := keys[1:].Encrypt(path)
	s.must(err)
	plain := s.do("GET", s.signed("300x0/"+path), "")
	for _, url := range []string{"300x0/" + image, "300x0/" + old} {
		a := s.do("GET", s.signed(url), "")
		if a.status != http.StatusOK || a.body != plain.body ||
			a.header.Get("Cache-Control") != "private, max-age=3600, must-revalidate, no-transform" {
			t.Errorf("%s: %d %s %v", url, a.status, a.body, a.header)
		}
		if tag := a.header.Get("ETag"); tag == plain.header.Get("ETag") || len(tag) != 26 {
			t.Errorf("%s: ETag %s, that of the plain URL is %s", url, tag, plain.header.Get("ETag"))
		} else if c := s.do("GET", s.signed(url), "", "If-None-Match", tag); c.status != http.StatusNotModified {
			t.Errorf("%s with If-None-Match: %d", url, c.status)
		}
	}
	called := s.graphQL("admin", `{ file(path: "`+path+`") { url(encrypted: true, operations: {filters: [`+
		`{name: "watermark", args: "preset(@0123456789abcdef)/`+path+`,0,0,0"}]}) } }`, nil)
	if called.code() != "INVALID" {
		t.Errorf("a layer whose preset would become a part of its path: %d %s", called.status, called.body)
	}
	missing, err := keys.Encrypt("clients/Hidden-44.png")
	s.must(err)
	broken, err := keys.Encrypt("clients/Hidden-43.txt")
	s.must(err)
	outside, err := keys.Encrypt("../Hidden-42.png")
	s.must(err)
	forged := image[:len(image)-4] + "AAAA"
	for _, c := range []struct {
		url    string
		status int
	}{
		{s.signed("filters:attachment()/" + image), 200}, {s.signed("filters:attachment():raw()/" + image), 200},
		{s.signed("meta/" + image), 200},
		{"/params" + s.signed("300x0/"+image), 200}, {s.signed(missing), 404},
		{s.signed("filters:raw()/" + missing), 404}, {s.signed("filters:raw()/" + broken), 200},
		{s.signed(outside), 403}, {s.signed(forged), 403}, {s.signed(strings.Replace(image, "enc:k2", "enc:k3", 1)),
			403}, {"/unsafe/300x0/" + image, 400}, {"/params/unsafe/300x0/" + image, 400},
		{"/" + strings.Repeat("A", 28) + "/300x0/" + image, 403}, {s.signed("300x0/filters:expire(1)/" + image), 410},
		{s.signed("300x0/"+image) + "?v=1", 200},
		{s.signed("meta/filters:blurhash(99,99)/" + image), 400}, {s.signed("300x0/filters:image(none.png,1,1)/" +
			image), 404},
	} {
		a := s.do("GET", c.url, "", "Authorization", "Bearer "+s.tokens["admin"])
		all := fmt.Sprint(a.header)
		if !strings.HasPrefix(a.body, "picture ") { // the engine of the test writes the name into the picture
			all += a.body
		}
		if a.status != c.status || strings.Contains(all, "Hidden") {
			t.Errorf("%s: %d, expected %d\n%s", c.url, a.status, c.status, all)
		}
	}
	if a := s.do("GET", s.signed("filters:attachment()/"+image),
		""); a.header.Get("Content-Disposition") != `attachment; filename="image.webp"` {
		t.Errorf("Content-Disposition %s", a.header.Get("Content-Disposition"))
	}
	if a, b := s.do("GET", s.signed(forged), ""), s.do("GET", s.signed(strings.Replace(image, "enc:k2", "enc:k3", 1)),
		""); a.json("message") != b.json("message") {
		t.Errorf("a key that does not exist can be told from a wrong text: %s, %s", a.body, b.body)
	}
	// a file whose name only looks encrypted
	s.store("enc:k2:"+strings.Repeat("A", 30), png)
	if a := s.do("GET", s.signed(imaging.Operations{}.Path("enc:k2:"+strings.Repeat("A", 30))),
		""); a.status != http.StatusOK {
		t.Errorf("a file of such a name: %d %s", a.status, a.body)
	}
}

// TestEncryptedLayers: a layer with an encrypted path is the layer that the plain one is, in ordinary URLs and
// families; no response tells its path.
func TestEncryptedLayers(t *testing.T) {
	keys, err := sealed.ParseKeys("k1:" + strings.Repeat("01", 64))
	if err != nil {
		t.Fatal(err)
	}
	c, err := cache.New(cache.Config{MemoryBytes: 1 << 20, Now: later})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	s := newStageWith(t, func(sc *server.Config, rules *gallerytest.Config) {
		rules.Signing, rules.Gallery.Results, sc.Now = signing.Config{Encryption: keys}, c, later
	}, func(d *server.Deps) { d.Results = c })
	const layer = "logos/Hidden, (1).png"
	s.store("main.png", png+"main")
	s.store(layer, png+"one")
	layers := ""
	s.engine.process = func(_ context.Context, src imaging.Source) error {
		layers = fmt.Sprint(slices.Collect(maps.Keys(src.Layers)))
		return nil
	}
	enc := func(path string) string {
		t.Helper()
		image, err := keys.Encrypt(path)
		s.must(err)
		return image
	}
	image := enc(layer)
	url := s.signed("300x0/filters:image(fxf/" + image + ",10,10)/main.png")
	one := s.do("GET", url, "")
	if one.status != http.StatusOK || layers != "["+layer+"]" ||
		one.header.Get("Cache-Control") != "private, max-age=3600, must-revalidate, no-transform" {
		t.Fatalf("%d with layers %s, %v", one.status, layers, one.header)
	}
	layers = ""
	plain := s.do("GET", s.signed("300x0/filters:image(fxf/"+imaging.Layer{Image: layer,
		Base64: true}.Path()+",10,10)/main.png"), "")
	if plain.body != one.body || layers != "" || plain.header.Get("ETag") == one.header.Get("ETag") {
		t.Errorf("the plain URL is rendered again, or has the same ETag: layers %q, %v", layers, plain.header)
	}
	if a := s.do("GET", url, "", "If-None-Match", one.header.Get("ETag")); a.status != http.StatusNotModified {
		t.Errorf("with If-None-Match: %d", a.status)
	}
	if a := s.graphQL("admin", `mutation { purgeCache(input: {path: "`+layer+`"}) { purged { memory } } }`,
		nil); a.json("data", "purgeCache", "purged", "memory") != float64(1) {
		t.Errorf("purged by the path of the layer: %s", a.body)
	}
	s.store(layer, png+"two")
	if a := s.do("GET", url, "", "If-None-Match", one.header.Get("ETag")); a.status != http.StatusOK {
		t.Errorf("after the layer was replaced: %d", a.status)
	}
	s.store("twice/"+enc("main.png"), png)
	with := func(image string) string { return s.signed("300x0/filters:image(" + image + ",10,10)/main.png") }
	for _, c := range []struct {
		url    string
		status int
	}{
		{s.signed("meta/filters:image(" + image + ",1,1)/main.png"), 200}, {"/params" + url, 200},
		{s.signed("filters:attachment():image(" + image + ")/" + enc(layer)), 200},
		{s.signed("300x0/filters:watermark(filters:image(" + image + ")/main.png,0,0)/main.png"), 200},
		{with(enc("color:red")), 200},
		{with(enc("logos/Hidden-2.png")), 404}, {with(enc("https://Hidden.example/a.png")), 400},
		{with(enc("../Hidden.png")), 403},
		{with(image[:len(image)-4] + "AAAA"), 403}, {with(strings.Replace(image, "enc:k1", "enc:k2", 1)), 403},
		{with(enc(enc(layer))), 404}, {with(enc("twice/" + enc("main.png"))), 200}, // decrypted once
		{with("enc%3A" + image[4:]), 404}, // a file of that name
		{strings.Replace(url, "10,10", "10,11", 1), 403}, {"/unsafe/300x0/filters:image(" + image + ",1,1)/main.png",
			400},
		{"/params/unsafe/300x0/filters:image(" + image + ",1,1)/main.png", 400},
		{"/unsafe/filters:watermark(filters:image(" + image + ")/main.png,0,0)/main.png", 400},
	} {
		a := s.do("GET", c.url, "", "Authorization", "Bearer "+s.tokens["admin"])
		all := fmt.Sprint(a.header)
		if !strings.HasPrefix(a.body, "picture ") { // the engine of the test writes the name into the picture
			all += a.body
		}
		if a.status != c.status || strings.Contains(all, "Hidden") {
			t.Errorf("%s: %d, expected %d\n%s", c.url, a.status, c.status, all)
		}
	}
	const query = `query ($filters: [ProcessorFilterInput!]) { file(path: "main.png") { url(encrypted: true, operations: {width: 300, filters: $filters}) } }`
	made := s.graphQL("admin", query, map[string]any{"filters": []map[string]any{{"name": "image", "args": "fxf/" +
		imaging.Layer{Image: layer, Base64: true}.Path() + ",10,10"}}})
	got, _ := made.json("data", "file", "url").(string)
	if !strings.Contains(got, "filters:image(fxf/"+image+",10,10)") {
		t.Errorf("url(encrypted: true): %s", made.body)
	} else if a := s.do("GET", got, ""); a.status != http.StatusOK {
		t.Errorf("%s: %d", got, a.status)
	}
	const family = `query ($o: String) { file(path: "main.png") { srcFamily(operations: $o, vary: [WIDTH], widths: [100, 200]) { url(width: 200) } } }`
	made = s.graphQL("admin", family, map[string]any{"o": "300x0/filters:image(" + image + ",10,10)"})
	got, _ = made.json("data", "file", "srcFamily", "url").(string)
	if a := s.do("GET", got, ""); a.status != http.StatusOK || layers != "["+layer+"]" ||
		!strings.HasPrefix(a.header.Get("Cache-Control"), "private") {
		t.Errorf("a family, %s: %d with layers %s, %v", made.body, a.status, layers, a.header)
	}
}

// TestURLsThatFollowTheFile: URLs of the newest version have none, and caches revalidate them soon, whoever asks for
// them.
func TestURLsThatFollowTheFile(t *testing.T) {
	s := newStage(t, nil)
	const query = `query ($version: UrlVersion!, $o: ProcessorParamsInput, $path: String) { file(path: "a/b.png") {
		url(operations: $o, version: $version) srcFamily(operations: $path, vary: [WIDTH], widths: [100], version: $version) { template } } }`
	for _, c := range []struct {
		version, control string
		o                any
		path             string
	}{
		{"PINNED", "public, max-age=31536000, no-transform, immutable", nil, ""},
		{"LATEST", "public, max-age=300, no-transform", nil, ""},
		{"LATEST", "public, max-age=300, no-transform", map[string]any{"width": 90}, "90x0"},
	} {
		a := s.graphQL("guest", query, map[string]any{"version": c.version, "o": c.o, "path": c.path})
		url, _ := a.json("data", "file", "url").(string)
		family, _ := a.json("data", "file", "srcFamily", "template").(string)
		for _, url := range []string{url, strings.Replace(family, "{choice}", "100w", 1)} {
			got := s.do("GET", url, "")
			if control := got.header.Get("Cache-Control"); got.status != http.StatusOK || control != c.control {
				t.Errorf("%s %s: %d, Cache-Control %q, expected %q", c.version, url, got.status, control, c.control)
			}
			if pinned := strings.Contains(url, "?v="); pinned != (c.version == "PINNED") {
				t.Errorf("%s: %s", c.version, url)
			}
		}
	}
	own := map[string]any{"filters": []map[string]any{{"name": "max_age", "args": "60"}}}
	a := s.graphQL("user", query, map[string]any{"version": "LATEST", "o": own})
	url, _ := a.json("data", "file", "url").(string)
	if got := s.do("GET", url, "").header.Get("Cache-Control"); got != "public, max-age=60, no-transform" {
		t.Errorf("with max_age(60): Cache-Control %q of %s", got, a.body)
	}
}

// TestURLsWithFiltersOfLayers: only the picture's own filters decide what its URL adds, not those of its layers, nor a
// text that looks like one.
func TestURLsWithFiltersOfLayers(t *testing.T) {
	s := newStage(t, nil)
	s.graphQL("user",
		`mutation { updateFile(input: {path: "a/b.png", focalPoint: {x: 0.25, y: 0.75}}) { file { path } } }`, nil)
	const query = `query ($o: ProcessorParamsInput) { file(path: "a/b.png") { url(operations: $o, version: LATEST) } }`
	const age, focal = "max_age(300)", "focal(0.2450x0.7450:0.2550x0.7550)"
	for _, c := range []struct {
		name, args string
		want       string
	}{
		{"text", "max_age(9),0,0", "text(max_age(9),0,0):" + age + ":" + focal},
		{"text", "focal(a),0,0", "text(focal(a),0,0):" + age + ":" + focal},
		{"image", "filters:max_age(9)/a/b.png", "image(filters:max_age(9)/a/b.png):" + age + ":" + focal},
		{"max_age", "9", "max_age(9):" + focal},
		{"focal", "1x1:2x2", "focal(1x1:2x2):" + age},
	} {
		o := map[string]any{"width": 9, "height": 9, "filters": []map[string]any{{"name": c.name, "args": c.args}}}
		a := s.graphQL("user", query, map[string]any{"o": o})
		if url, _ := a.json("data", "file", "url").(string); !strings.Contains(url, "/filters:"+c.want+"/a/b.png") {
			t.Errorf("%s(%s): %s, expected filters %s", c.name, c.args, a.body, c.want)
		}
	}
}

// TestFamilyOfGraphQL: srcFamily gives URLs that work, read scope gets only what it may see, and a revoked key ends
// them at once.
func TestFamilyOfGraphQL(t *testing.T) {
	s := newStage(t, nil)
	const query = `query ($o: String, $vary: [SrcVary!]!, $key: String, $in: Int) { file(path: "a/b.png") { srcFamily(operations: $o, vary: $vary, widths: [640, 320], densities: [2, 1], key: $key, expiresIn: $in) {
		base signature policy path widths densities formats qualities expiresAt template url(width: 640, density: 2) } } }`
	ask := func(actor string, variables map[string]any) answer {
		t.Helper()
		if variables["vary"] == nil {
			variables["vary"] = []string{"WIDTH", "DPR", "FORMAT"}
		}
		return s.graphQL(actor, query, variables)
	}
	text := func(a answer, field string) string {
		got, _ := a.json("data", "file", "srcFamily", field).(string)
		return got
	}
	if a := s.graphQL("user", `mutation { createFamilyKey(input: {name: "k1"}) { secret } }`,
		nil); a.code() != "FORBIDDEN" {
		t.Errorf("a user creates a key: %s", a.body)
	}
	if a := s.graphQL(
		"admin",
		`mutation { createFamilyKey(input: {name: "k1"}) { secret familyKey { name signerType signerTruncate revokedAt } userErrors { code } } }`, nil); a.json(
		"data", "createFamilyKey", "familyKey", "name",
	) != "k1" {
		t.Fatalf("createFamilyKey: %s", a.body)
	}
	for _, variables := range []map[string]any{{}, {"o": "300x200/smart"},
		{"o": "fit-in/300x200/filters:quality(30)/", "key": "k1"}, {"in": 60}} {
		a := ask("guest", variables)
		url := text(a, "url")
		want := strings.Join([]string{text(a, "base"), text(a, "signature"), text(a, "policy"), "640w,2x",
			text(a, "path")}, "/")
		if url == "" || url != want || url != strings.Replace(text(a, "template"), "{choice}", "640w,2x", 1) {
			t.Errorf("%v: URL %q of %s", variables, url, a.body)
		}
		if got := s.do("GET", url, ""); got.status != http.StatusOK {
			t.Errorf("%s: %d %s", url, got.status, got.body)
		}
	}
	for _, variables := range []map[string]any{{"o": "unknown/300x200"}, {"o": "meta"},
		{"o": "300x200/filters:nonsense()"}, {"o": "300x200/b.png"}, {"vary": []string{}}, {"key": "none"}, {"in": 0}} {
		if a := ask("admin", variables); a.code() != "INVALID" {
			t.Errorf("%v: %s", variables, a.body)
		}
	}
	if a := ask("guest", map[string]any{"o": "filters:blur(3)"}); a.code() != "FORBIDDEN" {
		t.Errorf("read scope gets a blur: %s", a.body)
	}
	url := text(ask("guest", map[string]any{"key": "k1"}), "url")
	if a := s.do("GET", url, ""); a.status != http.StatusOK {
		t.Fatalf("before: %d %s", a.status, a.body)
	}
	const revoke = `mutation { revokeFamilyKey(input: {name: "k1"}) { familyKey { id revokedAt } userErrors { code } } }`
	if a := s.graphQL("admin", revoke, nil); a.json("data", "revokeFamilyKey", "familyKey", "revokedAt") == nil {
		t.Fatalf("revokeFamilyKey: %s", a.body)
	}
	if a := s.do("GET", url, ""); a.status != http.StatusForbidden || a.code() != "SIGNATURE_MISMATCH" {
		t.Errorf("after it was revoked: %d %s", a.status, a.body)
	}
	a := s.graphQL("admin", `{ familyKeys { totalCount nodes { name createdAt revokedAt } } }`, nil)
	if !strings.Contains(a.body, `{"totalCount":1,"nodes":[{"name":"k1"`) ||
		strings.Contains(a.body, `"revokedAt":null`) {
		t.Errorf("familyKeys: %s", a.body)
	}
}
