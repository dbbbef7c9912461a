package remote

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
)

func TestGlobs(t *testing.T) {
	for _, c := range []struct {
		globs, url string
		want       bool
	}{
		{"", "http://images.example.com/", false},
		{"images.example.com", "http://images.example.com/", true},
		{"images.example.com", "https://images.example.com/", true},
		{"images.example.com", "https://images.example.com:443/", true},
		{"images.example.com", "http://images.example.com:443/", true},
		{"images.example.com", "http://images.example.com:/", true},
		{"images.example.com", "http://IMAGES.Example.COM/#top", true},
		{"Images.Example.com", "http://images.example.com/", true},
		{"images.example.com", "http://images.example.com:8080/", false},
		{"images.example.com", "http://a.images.example.com/", false},
		{"images.example.com", "http://images.example.com.evil.com/", false},
		{"images.example.com", "http://evilimages.example.com/", false},
		{"images.example.com:8080", "http://images.example.com:8080/", true},
		{"images.example.com:8080", "http://images.example.com/", false},
		{"*.example.com", "http://a.example.com/", true},
		{"*.example.com", "http://a.b.c.example.com/", true},
		{"*.example.com", "http://example.com/", false},
		{"*.example.com", "http://evilexample.com/", false},
		{"*.example.com", "http://a.example.com:81/", false},
		{"*.example.com:81", "http://a.example.com:81/", true},
		{"*", "http://anything.test/", true},
		{"*", "http://8.8.8.8/", true},
		{"*", "http://anything.test:8080/", false},
		{"*:8080", "http://anything.test:8080/", true},
		{"*", "http://10.0.0.1/", false},
		{"10.0.0.1", "http://10.0.0.1/", false},
		{"8.8.8.8", "http://8.8.8.8/", true},
		{"[2606:4700::1111]", "http://[2606:4700:0:0::1111]/", true},
		{"[2606:4700::1111]:81", "http://[2606:4700::1111]:81/", true},
		{"[2606:4700::1111]", "http://[2606:4700::1112]/", false},
		{"a.test b.test *.c.test", "http://x.c.test/", true},
		{"xn--bcher-kva.example", "http://xn--bcher-kva.example/", true},
	} {
		f := fetcher(t, Config{Hosts: strings.Fields(c.globs), AllowPrivate: []netip.Prefix{}})
		err := f.Allowed(c.url)
		if (err == nil) != c.want || err != nil && fault.CodeOf(err) != fault.Forbidden {
			t.Errorf("%s in %q: got %v, expected %t", c.url, c.globs, err, c.want)
		}
	}
}

func TestBadGlobs(t *testing.T) {
	for _, glob := range []string{
		"", ":80", "a.test:", "a.test:0", "a.test:65536", "a.test:http", "a.test:080", "http://a.test", "a.test/x",
		"u@a.test", "a..test", ".a.test", "a.test.", "*.", "**", "*.*.test", "a.*.test", "img*.test", "*a.test",
		"*.8.8.8.8",
		"127.1", "0x7f.0.0.1", "2130706433", "[::1", "[::ffff:1.2.3.4]", "[fe80::1%lo]", "::1", "bücher.test",
		"a b.test",
		"-a.test", strings.Repeat("a", 64) + ".test", strings.Repeat("a.", 127) + "test", "*.[::1]",
	} {
		_, err := New(Config{Hosts: []string{"good.test", glob}})
		if fault.CodeOf(err) != fault.Invalid || !strings.Contains(err.Error(), `"`+glob+`"`) {
			t.Errorf("%q: got %v, expected fault.Invalid that names it", glob, err)
		}
	}
}

// FuzzAllowed checks that nothing passes but a name below the listed domain, on a usual port.
func FuzzAllowed(f *testing.F) {
	for _, seed := range []string{"http://a.example.com/", "https://a.example.com:443#x",
		"http://a.example.com@127.0.0.1/",
		"http://127.0.0.1\\.example.com/", "http://a.example.com%00.evil/", "//a.example.com", "http:a.example.com"} {
		f.Add(seed)
	}
	fetch, err := New(Config{Hosts: []string{"*.example.com"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := fetch.permitted(raw)
		if err != nil {
			return
		}
		again, err := fetch.permitted(got.key())
		if err != nil || again.key() != got.key() {
			t.Fatalf("%q: %q is not canonical: %v", raw, got.key(), err)
		}
		if !strings.HasSuffix(got.host, ".example.com") || got.port != 80 && got.port != 443 ||
			strings.ContainsAny(got.key(), " #\r\n") {
			t.Fatalf("%q passed as %q", raw, got.key())
		}
	})
}
