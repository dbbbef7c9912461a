package connection

import (
	"errors"
	"strings"
	"testing"
)

// TestFollow: the end of a header and wrong line ends are found however the bytes arrive.
func TestFollow(t *testing.T) {
	const get = "GET / HTTP/1.1\r\nHost: x\r\n"
	for text, want := range map[string]header{
		"":                          {},
		"GET / HT":                  {},
		"\r\n\r\n":                  {},
		"\r\nGET / HTTP/1.1\r\n":    {begun: true},
		get:                         {begun: true},
		get + "\r\n":                {begun: true, done: true},
		"\r\n" + get + "\r\n":       {begun: true, done: true},
		get + "\r\nbody\nand\rmore": {begun: true, done: true},
		"GET / HTTP/1.0\r\n\r\n":    {begun: true, done: true},
		"GET / HTTP/1.1\nH":         {done: true, err: ErrLineFeed},
		"\nGET":                     {done: true, err: ErrLineFeed},
		get + "\n":                  {begun: true, done: true, err: ErrLineFeed},
		get + "X: y\n\r\n":          {begun: true, done: true, err: ErrLineFeed},
		get + "X: y\rZ":             {begun: true, done: true, err: errCarriageReturn},
		"GET / HTTP/1.1\rHost: x\r": {done: true, err: errCarriageReturn},
		"GET / HTTP/1.1\r\rX":       {done: true, err: errCarriageReturn},
	} {
		for first := range len(text) + 1 {
			for second := first; second <= len(text); second++ {
				var h header
				for _, part := range []string{text[:first], text[first:second], text[second:]} {
					if err := h.follow([]byte(part)); err != nil && !errors.Is(err, h.err) {
						t.Errorf("%q: %v is not kept", text, err)
					}
				}
				h.length, h.cr = 0, false
				if h != want {
					t.Fatalf("%q, %q, %q: %+v, expected %+v", text[:first], text[first:second], text[second:], h, want)
				}
			}
		}
	}
}

// BenchmarkFollow is the cost of an ordinary header.
func BenchmarkFollow(b *testing.B) {
	text := []byte("GET /signature/400x300/a/photo.jpg HTTP/1.1\r\nHost: images.example.com\r\n" +
		"User-Agent: " + strings.Repeat("Mozilla/5.0 ", 9) +
		"\r\nAccept: image/avif,image/webp,*/*;q=0.8\r\nAccept-Language: en\r\n" +
		"Accept-Encoding: gzip, br\r\nReferer: https://example.com/\r\nConnection: keep-alive\r\nCache-Control: " +
		"no-cache\r\n\r\n")
	b.ReportAllocs()
	for b.Loop() {
		var h header
		if err := h.follow(text); err != nil || !h.done {
			b.Fatal(err)
		}
	}
}
