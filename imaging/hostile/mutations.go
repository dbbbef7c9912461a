package hostile

import (
	"bytes"
	"fmt"
	"slices"
)

// extensions is the order of the seeds.
var extensions = []string{"jpg", "png", "gif", "webp", "avif", "heic", "tiff", "jxl", "jp2"}

// mutations adds seeds that are truncated, modified or renamed.
func mutations(c *corpus, s Seeds) {
	for i, ext := range extensions {
		seed := s[ext]
		if len(seed) == 0 {
			continue
		}
		for n := range 8 {
			at := len(seed) * (2*n + 1) / 16
			if n == 0 {
				at = min(12, len(seed))
			}
			c.add("cut", fmt.Sprintf("%s cut at %d", ext, at), ext, func() []byte { return seed[:at] })
		}
		for n := range 10 {
			c.add(
				"changed", fmt.Sprintf("%s changed %d", ext, n), ext,
				func() []byte { return Changed(seed, fmt.Sprint(ext, n)) },
			)
		}
		c.add(
			"doubled", ext+" with its middle twice", ext,
			func() []byte { return join(seed[:len(seed)*2/3], seed[len(seed)/3:]) },
		)
		other := extensions[(i+1)%len(extensions)]
		c.add("wrong name", ext+" called "+other, other, func() []byte { return seed })
	}
	for _, ext := range append(slices.Clone(extensions), "svg", "pdf", "bmp") {
		c.add("noise", ext+" of noise", ext, func() []byte { return noise(ext, 5_000) })
		c.add("noise", ext+" of nothing", ext, func() []byte { return nil })
	}
}

// Changed returns data with some of its bytes changed. The name of the change determines which ones; most are in the
// first kilobyte, which contains the structure.
func Changed(data []byte, name string) []byte {
	r, out := random(name), bytes.Clone(data)
	if len(out) == 0 {
		return out
	}
	for n := range 1 + r.IntN(12) {
		area := len(out)
		if n%3 != 0 {
			area = min(area, 1024)
		}
		at := r.IntN(area)
		switch r.IntN(3) {
		case 0:
			out[at] ^= 1 << r.IntN(8)
		case 1:
			out[at] = []byte{0, 1, 0x7f, 0x80, 0xff}[r.IntN(5)]
		default:
			out[at] = byte(r.Uint32())
		}
	}
	return out
}

// polyglots adds files that are valid in two formats at once, and documents with the names of pictures.
func polyglots(c *corpus, s Seeds) {
	html := []byte("<html><body><script>alert(document.domain)</script></body></html>")
	zip := join([]byte("PK\x03\x04"), noise("zip", 200), []byte("PK\x05\x06"), make([]byte, 18))
	add := func(name, ext string, make func() []byte) { c.add("polyglot", name, ext, make) }
	add(
		"gif of a script", "gif",
		func() []byte { return []byte("GIF89a/*" + string(make([]byte, 20)) + "*/=1;alert(1)//;") },
	)
	add("bmp of a script", "bmp", func() []byte { return []byte("BM=1;alert(1)//") })
	add("html called png", "png", func() []byte { return html })
	add("svg called png", "png", func() []byte { return svgOf(`<script>alert(1)</script>`) })
	add("png called svg", "svg", func() []byte { return pngTiny() })
	add("postscript", "jpg", func() []byte { return []byte("%!PS-Adobe-3.0 EPSF-3.0\n(/etc/passwd) (r) file") })
	add("imagemagick script", "png", func() []byte {
		return []byte("push graphic-context\nfill 'url(https://127.0.0.1/x\"|ls \"-la)'\npop graphic-context")
	})
	add("playlist", "avif", func() []byte { return []byte("#EXTM3U\n#EXTINF:1,\nconcat:file:///etc/passwd\n") })
	add("executable", "jpg", func() []byte { return append([]byte("\x7fELF\x02\x01\x01"), noise("elf", 900)...) })
	add("zip", "webp", func() []byte { return zip })
	add("gzip of a png", "png", func() []byte { return zipped(pngTiny()) })
	add("pdf behind a gif", "gif", func() []byte {
		return join(gifOf(1, 1, gifFrame(0, 0, 1, 1, 0, 2, gifPixel)), pdfPage("0 0 9 9", "", ""))
	})
	for _, text := range []string{"MATLAB 5.0 MAT-file", "SIMPLE  =                    T", "\x76\x2f\x31\x01",
		"#?RADIANCE\n\n-Y 60000 +X 60000\n", "P6 60000 60000 255\n", "P3 99999999999 1 255 ",
		"\x01\xda\x01\x01\x00\x03\xff\xff\xff\xff\x00\x03", "\x8aMNG\r\n\x1a\n",
		"8BPS\x00\x01\x00\x00\x00\x00\x00\x00\x00\x03\x00\x01\xd4\xc0\x00\x01\xd4\xc0", "<?xml version='1.0'?><x/>",
		"\xff\xfe<\x00s\x00v\x00g\x00", "qoif\x7f\xff\xff\xff\x7f\xff\xff\xff\x04\x00",
		"\x00\x00\x01\x00\x01\x00\x00\x00\x00\x00\x01\x00 \x00\xff\xff\xff\x7f\x16\x00\x00\x00"} {
		add("foreign "+text[:4], "png", func() []byte { return append([]byte(text), make([]byte, 600)...) })
	}
	for _, ext := range extensions {
		if s[ext] != nil {
			add(ext+" and html and zip", ext, func() []byte { return join(s[ext], html, zip) })
		}
	}
}
