package main

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

// headSources writes the pictures that TestHeadEqualsGet asks for.
func headSources(t *testing.T, folder string) {
	t.Helper()
	frame := func(n uint8) *image.Paletted {
		p := image.NewPaletted(
			image.Rect(0, 0, 40, 30),
			color.Palette{color.RGBA{n, 0, 0, 255}, color.RGBA{0, n, 255, 255}},
		)
		for i := range p.Pix {
			p.Pix[i] = uint8(i / 7 % 2)
		}
		return p
	}
	clear := image.NewNRGBA(image.Rect(0, 0, 40, 30))
	clear.Set(3, 4, color.NRGBA{200, 100, 0, 90})
	encode := map[string]func(*bytes.Buffer) error{
		"still.png": func(b *bytes.Buffer) error { return png.Encode(b, frame(9)) },
		"alpha.png": func(b *bytes.Buffer) error { return png.Encode(b, clear) },
		"moves.gif": func(b *bytes.Buffer) error {
			return gif.EncodeAll(b, &gif.GIF{Image: []*image.Paletted{frame(9), frame(99)}, Delay: []int{9, 9}})
		},
		"drawing.svg": func(b *bytes.Buffer) error {
			_, err := b.WriteString(
				`<svg xmlns="http://www.w3.org/2000/svg" width="10" height="1"><rect width="9" height="1" fill="red"/></svg>`,
			)
			return err
		},
		"text.png": func(b *bytes.Buffer) error { _, err := b.WriteString("no picture"); return err },
	}
	for name, write := range encode {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestHeadEqualsGet checks that HEAD has the status and the headers of GET, asked before GET has put a result into the
// cache.
func TestHeadEqualsGet(t *testing.T) {
	b := startReal(t, "--auto-format", "--max-result-side", "2000", "--unsafe")
	headSources(t, b.files)
	for name, of := range map[string]string{"moves.webp": "filters:format(webp)/moves.gif",
		"still.avif": "filters:format(avif)/still.png"} {
		made := b.get("/unsafe/" + of)
		if made.status != http.StatusOK {
			t.Fatal(made)
		}
		if err := os.WriteFile(filepath.Join(b.files, name), []byte(made.body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const still, moving, old = "image/avif,image/jxl", "image/avif,image/webp", "image/png,image/*;q=0.8,*/*;q=0.5"
	for _, c := range []struct{ path, accept, contentType string }{
		{"still.png", "", "image/png"},
		{"still.png", still, "image/avif"},
		{"filters:format(jpeg)/still.png", still, "image/jpeg"},
		{"moves.gif", "", "image/gif"},
		{"moves.gif", still, "image/gif"}, // a still format must not cost the motion
		{"moves.gif", moving, "image/webp"},
		{"filters:page(2)/moves.gif", still, "image/avif"}, // one frame does not move
		{"filters:max_frames(1)/moves.gif", still, "image/avif"},
		{"filters:format(auto)/moves.gif", still, "image/gif"},
		{"moves.webp", "", "image/webp"},
		{"moves.webp", old, "image/gif"}, // not WebP to a client that lists what it shows and does not name it
		{"still.avif", "*/*", "image/avif"},
		{"still.avif", old, "image/jpeg"},
		{"filters:format(auto)/still.avif", old, "image/jpeg"},
		{"filters:page(2)/moves.webp", old, "image/jpeg"},
		{"still.png", "image/jxl,image/*;q=0.8", "image/jxl"},
		{"filters:format(avif):fallback_format(webp)/moves.gif", "", "image/webp"},
		{"filters:format(avif):fallback_format(webp)/still.png", "", "image/avif"},
		{"filters:format(jpeg):fallback_format(gif):page(1)/moves.gif", "", "image/jpeg"},
		{"20x20/color:navy", "", "image/jpeg"},
		{"20x20/color:none", "", "image/png"},
		{"20x20/color:ff000080", "", "image/png"},
		{"20x20/filters:round_corner(4)/color:navy", "", "image/png"},
		{"20x20/filters:image(alpha.png,0,0)/color:navy", "", "image/jpeg"},
		{"20x20/filters:background_color(red)/color:none", "", ""}, // whatever GET says
		{"alpha.png", still, "image/avif"},
		{"trim/alpha.png", "", "image/png"},
		{"drawing.svg", "", "image/png"},
		{"100x0/drawing.svg", still, "image/avif"},
		{"filters:attachment()/moves.gif", still, "image/gif"},
		{"filters:format(doc)/still.png", "", ""},
		{"text.png", "", ""},
		{"none.png", "", ""},
		{"9000x0/still.png", "", ""}, // over a limit
		{"30x20/filters:image(text.png,0,0)/still.png", "", ""},
		{"filters:fallback_format(doc):format(avif)/moves.gif", "", ""},
	} {
		ask := func(method string) reply {
			r, err := http.NewRequest(method, b.url+"/unsafe/"+c.path, nil)
			if err == nil && c.accept != "" {
				r.Header.Set("Accept", c.accept)
			}
			return b.do(r, err)
		}
		head, get := ask(http.MethodHead), ask(http.MethodGet)
		if head.err != nil || get.err != nil {
			t.Fatal(head.err, get.err)
		}
		if head.status != get.status {
			t.Errorf("%s with %q: HEAD answers %d, GET %d %.200s", c.path, c.accept, head.status, get.status, get.body)
			continue
		}
		if got := get.header.Get("Content-Type"); c.contentType != "" && got != c.contentType {
			t.Errorf("%s with %q is %s, expected %s", c.path, c.accept, got, c.contentType)
		}
		names := []string{"Content-Type", "Vary", "Content-Disposition"}
		if get.status == http.StatusOK {
			names = append(
				names, "ETag", "Last-Modified", "Cache-Control", "Accept-Ranges", "X-Warnings",
				"Content-Security-Policy",
			)
		}
		for _, name := range names {
			if a, b := head.header.Get(name), get.header.Get(name); a != b {
				t.Errorf("%s with %q: %s is %q for HEAD, %q for GET", c.path, c.accept, name, a, b)
			}
		}
	}
}
