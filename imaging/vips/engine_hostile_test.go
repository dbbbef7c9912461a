package vips

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// pngChunk is one chunk of a PNG.
func pngChunk(kind string, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, kind...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// realBomb is a whole PNG of that size, one bit a pixel, that packs to a thousandth.
func realBomb(t *testing.T, side int) []byte {
	t.Helper()
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	line := make([]byte, 1+(side+7)/8)
	for range side {
		if _, err := z.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	z.Close()
	header := binary.BigEndian.AppendUint32(nil, uint32(side))
	header = append(binary.BigEndian.AppendUint32(header, uint32(side)), 1, 0, 0, 0, 0)
	return bytes.Join(
		[][]byte{
			[]byte("\x89PNG\r\n\x1a\n"),
			pngChunk("IHDR", header),
			pngChunk("IDAT", packed.Bytes()),
			pngChunk("IEND", nil),
		},
		nil,
	)
}

// hostile is what a user may send us: by name, the bytes and the codes that are right. An empty code is a picture.
func hostile(t *testing.T) map[string]struct {
	data  []byte
	codes string
} {
	photo := jpegOf(t, gradient(400, 300, false))
	drawing := pngOf(t, gradient(400, 300, true))
	moving := animation(t, 96, 64, 4)
	type c = struct {
		data  []byte
		codes string
	}
	const refused = "CORRUPT_IMAGE UNSUPPORTED_TYPE TOO_LARGE"
	return map[string]c{
		"empty": {
			nil,
			"UNSUPPORTED_TYPE CORRUPT_IMAGE",
		}, "one byte": {[]byte{0xFF}, refused}, "text": {[]byte("hello"), "UNSUPPORTED_TYPE"},
		"html": {[]byte("<html><svg onload=x>"), "UNSUPPORTED_TYPE"},
		"png bomb": {
			realBomb(t, 30_000),
			"TOO_LARGE",
		}, "lying png": {bomb(60_000, 60_000), "TOO_LARGE"}, "png of 2^31": {bomb(1<<31-1, 1<<31-1), refused},
		"png of no width": {bomb(0, 10), refused},
		"thin png": {
			bomb(16_000, 1),
			refused,
		}, "half a jpeg": {photo[:len(photo)/2], refused + " "}, "head of a jpeg": {photo[:100], refused},
		"half a png": {drawing[:len(drawing)/2], refused + " "}, "half a gif": {moving[:len(moving)/2], refused + " "},
		"jpeg and html": {
			append(append([]byte{}, photo...), "<script>alert(1)</script>"...),
			" ",
		}, "gif head": {[]byte("GIF89a\xff\xff\xff\xff\x00\x00\x00;"), refused},
		"riff head": {[]byte("RIFF\xff\xff\xff\xffWEBPVP8X"), refused},
		"tiff loop": {
			[]byte("II*\x00\x08\x00\x00\x00\x00\x00\x08\x00\x00\x00"),
			refused,
		}, "avif head": {[]byte("\x00\x00\x00\x1cftypavif\x00\x00\x00\x00avifmif1"), refused},
		"jxl head": {[]byte("\xff\x0a\xff\xff\xff\xff\xff\xff"), refused},
		"jp2 head": {
			[]byte("\x00\x00\x00\x0cjP  \r\n\x87\n\x00\x00"),
			refused,
		}, "pdf": {[]byte("%PDF-1.7\n1 0 obj"), "UNSUPPORTED_TYPE"}, "exe": {[]byte("MZ\x90\x00"), "UNSUPPORTED_TYPE"},
		"matlab": {[]byte("MATLAB 5.0 MAT-file"), "UNSUPPORTED_TYPE"},
		"svg of a file": {
			[]byte(
				`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>`,
			),
			refused,
		},
		"svg of a server": {
			[]byte(
				`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9"><image xlink:href="http://127.0.0.1/x"/></svg>`,
			),
			refused,
		},
		"svg of laughs": {
			[]byte(
				`<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>&b;</text></svg>`,
			),
			refused,
		},
		"svg of all space": {
			[]byte(`<svg xmlns="http://www.w3.org/2000/svg" width="999999" height="999999"/>`),
			"TOO_LARGE INVALID " + refused,
		},
		"svg nested": {
			[]byte(
				`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">` +
					strings.Repeat("<g>", 100_000) + strings.Repeat("</g>", 100_000) + `</svg>`,
			),
			refused,
		},
		"svg cut": {[]byte(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><g>`), refused + " "},
	}
}

func TestHostileFiles(t *testing.T) {
	e := open(t)
	files := hostile(t)
	debug.FreeOSMemory()
	// the peak of the tests before is theirs; where it cannot be forgotten, the corpus in child processes has to do
	forgotten := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil
	before := status(t, "VmRSS")
	for name, c := range files {
		for _, path := range []string{"100x100", "fit-in/100x100/filters:blur(3):format(webp)",
			"trim/filters:format(png)", "filters:raw()"} {
			r, err := process(e, path, c.data, t)
			if path == "filters:raw()" {
				if err != nil && fault.CodeOf(err) == fault.Internal {
					t.Errorf("%s through %s: %v", name, path, err)
				}
				continue
			}
			if !strings.Contains(c.codes+" ", string(fault.CodeOf(err))+" ") {
				t.Errorf("%s through %s: %v, %v, expected one of %q", name, path, r != nil, err, c.codes)
			}
		}
		i, err := e.Info(t.Context(), sourceOf(c.data), imaging.InfoRequest{}, imaging.DefaultLimits())
		if code := fault.CodeOf(err); code == fault.Internal || code == "" && i == nil {
			t.Errorf("the metadata of %s: %v", name, err)
		}
	}
	if grown := status(t, "VmHWM") - before; forgotten && grown > 300<<20 {
		t.Errorf("the process grew by %d MB at its peak", grown>>20)
	}
}

// status reads one of this process's figures in bytes.
func status(t *testing.T, field string) int64 {
	t.Helper()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("no /proc on this system")
	}
	var kb int64
	_, after, _ := strings.Cut(string(b), field+":")
	if _, err := fmt.Sscan(after, &kb); err != nil {
		t.Fatal(err)
	}
	return kb << 10
}

// TestChangedBytes flips bytes of good files at random; whatever comes, it is a picture or a documented fault.
func TestChangedBytes(t *testing.T) {
	e, r := open(t), rand.New(rand.NewPCG(1, 2))
	allowed := map[fault.Code]bool{
		"":                    true,
		fault.CorruptImage:    true,
		fault.UnsupportedType: true,
		fault.TooLarge:        true,
		fault.Invalid:         true,
		fault.Timeout:         true,
	}
	seeds := [][]byte{jpegOf(t, gradient(64, 48, false)), pngOf(t, gradient(64, 48, true)), animation(t, 40, 30, 3)}
	for _, format := range []string{"webp", "avif", "tiff", "jxl", "jp2"} {
		seeds = append(seeds, processed(e, "filters:format("+format+")", seeds[1], t).Data)
	}
	for n := range 400 {
		data := bytes.Clone(seeds[n%len(seeds)])
		for range 1 + r.IntN(8) {
			data[r.IntN(len(data))] ^= byte(1 + r.IntN(255))
		}
		if n%3 == 0 {
			data = data[:r.IntN(len(data))]
		}
		if _, err := process(e, "fit-in/30x30/filters:format(jpeg)", data, t); !allowed[fault.CodeOf(err)] {
			t.Errorf("change %d: %v", n, err)
		}
	}
}
