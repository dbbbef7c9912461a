package server_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/font/gofont/goregular"

	"github.com/safelight/safelight/fonts"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/server"
)

// TestFontOfAnotherServer: a font that another server has deleted meanwhile is drawn no more, and only the engine reads
// fonts.
func TestFontOfAnotherServer(t *testing.T) {
	engine := &fakeEngine{}
	s := newStage(t, func(c *server.Config, rules *gallerytest.Config) {
		c.Unsafe = true
		rules.Fonts.Engine = engine
	})
	a := s.upload("admin", addFont, "f", string(goregular.TTF))
	id, _ := a.json("data", "addFont", "font", "id").(string)
	another, err := fonts.New(t.Context(), fonts.Config{}, s.db, s.rules.Audit)
	gallerytest.Must(t, err)
	gallerytest.Must(t, another.Delete(t.Context(), id))
	var had []int
	s.engine.process = func(ctx context.Context, src imaging.Source) error {
		had = append(had, len(src.Fonts))
		for _, f := range src.Fonts {
			if _, err := f.Load(ctx); err != nil {
				return err
			}
		}
		return nil
	}
	for _, path := range []string{"/unsafe/meta/filters:text(a,0,0,Go-24)/color:red",
		"/unsafe/filters:text(a,0,0,Go-24)/color:red"} {
		if a := s.do("GET", path, ""); a.status != http.StatusOK {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	if !slices.Equal(had, []int{1, 0}) {
		t.Errorf("the pictures had %d fonts, expected 1, then none", had)
	}
}

const addFont = `mutation ($f: Upload!) { addFont(input: {content: $f}) { font { id family } userErrors { code } } }`

// TestFont: pictures change with the fonts that their texts name, in all caches, and only editors read the files.
func TestFont(t *testing.T) {
	engine := &fakeEngine{}
	s := newStage(t, func(c *server.Config, rules *gallerytest.Config) {
		c.Unsafe = true
		rules.Fonts.Engine = engine
	})
	const text, other = "/unsafe/filters:text(a,0,0,Go-24)/color:red", "/unsafe/filters:text(a,0,0,sans-24)/color:red"
	tag := func(path string) string {
		t.Helper()
		a := s.do("GET", path, "")
		if again := s.do("GET", path, "", "If-None-Match", a.header.Get("ETag")); a.status != http.StatusOK ||
			again.status != http.StatusNotModified {
			t.Errorf("%s: %d, then %d", path, a.status, again.status)
		}
		if date := a.header.Get("Last-Modified"); date != "" { // would go back once the font is deleted
			t.Errorf("%s is of %s", path, date)
		}
		return a.header.Get("ETag")
	}
	add := func(file string) (id string) {
		t.Helper()
		a := s.upload("admin", addFont, "f", file)
		id, _ = a.json("data", "addFont", "font", "id").(string)
		if id == "" {
			t.Fatalf("addFont: %d %s", a.status, a.body)
		}
		return id
	}
	without, unconcerned := tag(text), tag(other)
	first := add(string(goregular.TTF))
	before := tag(text)
	second := add(string(goregular.TTF) + "\x00\x00\x00\x00")
	after := tag(text)
	if before == without || after == before || after == without {
		t.Errorf("the tags are %s without the font, then %s and %s", without, before, after)
	}
	if tag(other) != unconcerned {
		t.Error("a text in another font has changed")
	}

	for actor, want := range map[string]int{
		"anonymous": http.StatusUnauthorized, "guest": http.StatusForbidden, "user": http.StatusOK,
		"admin": http.StatusOK,
	} {
		a := s.do("GET", "/api/fonts/"+second, "", "Authorization", "Bearer "+s.tokens[actor])
		if a.status != want {
			t.Errorf("the file as %s: %d, expected %d", actor, a.status, want)
		}
		if want == http.StatusOK && (!strings.HasPrefix(a.body, string(goregular.TTF)) ||
			a.header.Get("Content-Type") != "font/ttf" || a.header.Get("X-Content-Type-Options") != "nosniff" ||
			a.header.Get("Cache-Control") != "private, max-age=31536000, immutable") {
			t.Errorf("the file as %s has the headers %v", actor, a.header)
		}
	}
	if a := s.do("GET", "/api/fonts/"+first, "", "Authorization", "Bearer "+s.tokens["user"]); a.status != 404 {
		t.Errorf("the replaced file: %d", a.status)
	}

	s.graphQL("admin", `mutation { deleteFont(input: {id: "`+second+`"}) { deletedId } }`, nil)
	if got := tag(text); got != without {
		t.Errorf("without the font again, the tag is %s, expected %s", got, without)
	}
}

// TestFontsTakeMemoryOfPictures: a font that is sent takes memory from the budget of pictures until the client has read
// it.
func TestFontsTakeMemoryOfPictures(t *testing.T) {
	s := newStage(t, func(c *server.Config, rules *gallerytest.Config) {
		c.Memory, c.QueueTimeout, c.MaxUploadBytes = 64<<20, 100e6, 16<<20
		rules.Fonts.Engine = &fakeEngine{}
	})
	a := s.upload("admin", addFont, "f", string(goregular.TTF)+strings.Repeat("\x00", 8<<20))
	id, _ := a.json("data", "addFont", "font", "id").(string)
	if id == "" {
		t.Fatalf("addFont: %d %s", a.status, a.body)
	}
	conn := dialSilent(t, strings.TrimPrefix(s.url, "http://"))
	defer conn.Close()
	_, err := fmt.Fprintf(conn, "GET /api/fonts/%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", id,
		s.tokens["user"])
	s.must(err)
	if status, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(status, "200") {
		t.Fatal(status, err)
	}
	if lent := s.workMemory(); lent < 24<<20 {
		t.Errorf("%g bytes are lent while the client reads slowly", lent)
	}
	get := func() answer { return s.do("GET", "/api/fonts/"+id, "", "Authorization", "Bearer "+s.tokens["user"]) }
	if a := get(); a.status != 503 || a.code() != "OVERLOADED" || a.header.Get("Retry-After") == "" {
		t.Errorf("a second one: %d %.300s", a.status, a.body)
	}
	conn.Close()
	for s.workMemory() > 0 { // the server notices that the client has left
	}
	if a := get(); a.status != 200 || len(a.body) < 8<<20 {
		t.Errorf("after the first: %d, %d bytes", a.status, len(a.body))
	}
}
