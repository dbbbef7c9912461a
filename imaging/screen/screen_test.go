package screen

import (
	"bytes"
	"image"
	"image/jpeg"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/hostile"
)

// corpus returns the files whose names contain the text.
func corpus(t *testing.T, text string) (list []hostile.File) {
	t.Helper()
	var seed bytes.Buffer
	if err := jpeg.Encode(&seed, image.NewGray(image.Rect(0, 0, 8, 8)), nil); err != nil {
		t.Fatal(err)
	}
	for _, f := range hostile.Files(hostile.Seeds{"jpg": seed.Bytes()}) {
		if strings.Contains(f.Name, text) {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		t.Fatalf("no hostile file is named %s", text)
	}
	return list
}

// check returns what is left of the file, as it is read in memory and from a reader.
func check(t *testing.T, data []byte, limit int64) (left []byte, code, headerCode fault.Code) {
	t.Helper()
	f := File{Name: "x", Format: imaging.SniffFormat(data), Data: data, MaxPixels: limit}
	left, err := f.Check()
	if left == nil {
		left = data
	}
	f.Data, f.Reader = nil, bytes.NewReader(data)
	head, headErr := f.Check()
	if len(head) > len(left)+maxPNGRest {
		t.Errorf("a header is read with %d bytes, the whole file with %d", len(head), len(left))
	}
	return left, fault.CodeOf(err), fault.CodeOf(headErr)
}

// TestScreened has files of the hostile corpus rejected before a decoder sees them, or cut to what a decoder needs.
func TestScreened(t *testing.T) {
	for _, c := range []struct {
		name   string
		code   fault.Code // empty: it is let through
		header bool       // the header shows it
		left   int        // bytes of it at most; 0: all
	}{
		{"-png-50-ztxt-of-4-MB", "", true, 200}, {"-png-500-ztxt-of-4-MB", "", true, 200},
		{"png-50-itxt-of-4-MB", "", true, 5000}, {"png-500-itxt-of-4-MB", "", true, 5000},
		{"png-ztxt-of-400-MB", "", true, 200},
		{"png-100000-text", "", true, 1000}, {"png-text-of-8-MB", "", true, 200},
		{"png-iccp-of-400-MB", fault.TooLarge, true, 0}, {"png-200-iccp", "", true, 4000},
		{"png-idat-of-400-MB-for-8x8", fault.TooLarge, false, 0}, {"png-30000x30000", "", true, 0},
		{"png-idat-of-single-bytes", "", true, 0}, {"png-100000-empty-idat", "", true, 0},
		{"png-chunks-after-the-end", "", true, 0}, {"png-chunk-longer-than-the-file", "", true, 0},
		{"jpeg-8000x8000-in-2000-scans", fault.TooLarge, false, 0},
		{"jpeg-200x200-in-50000-scans", fault.TooLarge, false, 0},
		{"jpeg-65500x1500-in-500-scans", fault.TooLarge, false, 0},
		{"jpeg-65500x65500-in-1-scans", fault.TooLarge, false, 0},
		{"jpeg-empty-app1", fault.TooLarge, true, 0}, {"jpeg-20000-app1-with-junk-between", fault.TooLarge, true, 0},
		{"jpeg-20000-comments", fault.TooLarge, true, 0}, {"jpeg-huffman-tables", fault.TooLarge, true, 0},
		{"jpeg-255-icc-segments", "", true, 0}, {"jpeg-comments-of-60-kB", "", true, 0},
		{"jpeg-a-megabyte-of-fill-bytes", "", true, 0}, {"jpeg-restarts-in-the-data", "", true, 0},
		{"jpeg-pictures-one-behind-the-other", "", true, 0},
		{"jp2--2147483647-2147483647-1073741824-1073741824-3-5-", fault.TooLarge, true, 0},
		{"jp2--60000-60000-60000-60000-3-5-", fault.TooLarge, true, 0}, {"jp2--9999-9999-9999-9999-3-5-", "", true, 0},
		{"jp2--9999-9999-40-40-3-5-", fault.TooLarge, true, 0}, {"jp2--65535-65535-1-1-1-0-", fault.TooLarge, true, 0},
		{"jp2--100-100-100-100-16384-5-", fault.TooLarge, true, 0},
		{"jp2--100-100-0-0-3-5-", fault.CorruptImage, true, 0},
		{"jp2-200000-boxes", fault.TooLarge, true, 0}, {"jp2-20000-boxes-deep", fault.TooLarge, true, 0},
		{"jp2-bare-codestream", "", true, 0},
		{"avif-100000-free-boxes", fault.TooLarge, true, 0}, {"heic-free-boxes-in-meta", fault.TooLarge, true, 0},
		{"heic-65535-items", fault.TooLarge, true, 0}, {"avif-100000-properties", fault.TooLarge, true, 0},
		{"avif-profile-of-20-MB", fault.TooLarge, true, 0}, {"heic-profile-of-20-MB", fault.TooLarge, true, 0},
		{"avif-box-of-size-0", "", true, 0}, {"avif-box-of-size-1-and", "", true, 0},
		{"avif-box-smaller-than", "", true, 0},
		{"webp-1x1-of-50000-frames", fault.TooLarge, true, 0}, {"webp-500000-unknown-chunks", fault.TooLarge, true, 0},
		{"webp-500x500-of-5000-frames", "", true, 0}, {"webp-10-MB-of-EXIF", "", true, 0},
		{"webp-frame-of-1x1-on", fault.TooLarge, true, 0}, {"webp-frame-in-a-frame", "", true, 0},
		{"tiff-1000-pages", "", true, 0}, {"tiff-65000-pages", fault.TooLarge, true, 0},
		{"tiff-200000-pages", fault.TooLarge, true, 0}, {"tiff-1000-unknown-tags", "", true, 0},
		{"tiff-60000-unknown-tags", fault.TooLarge, true, 0},
		{"tiff-9000-pages-of-100-unknown-tags", fault.TooLarge, true, 0},
		{"tiff-page-that-follows-itself", "", true, 0}, {"tiff-pages-in-a-circle", "", true, 0},
		{"tiff-page-beyond", "", true, 0}, {"bigtiff", "", true, 0},
	} {
		for _, f := range corpus(t, c.name) {
			data := f.Data()
			left, code, headerCode := check(t, data, 100_000_000)
			wantHeader := c.code
			if !c.header {
				wantHeader = ""
			}
			if code != c.code || headerCode != wantHeader {
				t.Errorf("%s: %q, its header %q, expected %q, %q", f.Name, code, headerCode, c.code, wantHeader)
			}
			if imaging.SniffFormat(data) == imaging.JPEG {
				if _, code, _ := check(t, data[:len(data)-2], 100_000_000); code != c.code {
					t.Errorf("%s without its end of image: %q, expected %q", f.Name, code, c.code)
				}
			}
			if c.left == 0 && c.code == "" && !bytes.HasPrefix(data, left) || c.left > 0 && len(left) > c.left {
				t.Errorf("%s: %d of %d bytes are left", f.Name, len(left), len(data))
			}
		}
	}
}

// TestInflatesOnce checks that of many packets of XMP, or profiles, one is inflated.
func TestInflatesOnce(t *testing.T) {
	allocations := func(name string) float64 {
		f := File{Name: "x", Format: imaging.PNG, Data: corpus(t, name)[0].Data()}
		return testing.AllocsPerRun(1, func() {
			if _, err := f.Check(); err != nil {
				t.Fatal(err)
			}
		})
	}
	// to inflate takes more
	if few, many := allocations("-png-50-itxt-of-4-MB"), allocations("-png-500-itxt-of-4-MB"); many-few > 2*450 {
		t.Errorf("500 packets are checked with %g allocations, 50 with %g", many, few)
	}
}

// TestKeeps holds what of a PNG a decoder needs to see.
func TestKeeps(t *testing.T) {
	chunk := func(kind, data string) string {
		return string([]byte{0, 0, byte(len(data) >> 8), byte(len(data))}) + kind + data + "sums"
	}
	magic, end := "\x89PNG\r\n\x1a\n", chunk("IDAT", "x")+chunk("IEND", "")
	xmp := chunk("iTXt", xmpKey+"\x00\x00\x00\x00<x/>")
	for name, c := range map[string]struct{ all, left string }{
		"ordinary": {chunk("IHDR", "h") + chunk("gAMA", "g") + chunk("tEXt", "a\x00b") + xmp +
			chunk("eXIf", "e") + chunk("iCCP", "p\x00\x00x"), ""},
		"long compressed": {chunk("tEXt", "a") + chunk("zTXt", strings.Repeat("z", 2000)) + xmp,
			chunk("tEXt", "a") + xmp},
		"second of a kind": {chunk("eXIf", "1") + chunk("eXIf", "2") + xmp + xmp, chunk("eXIf", "1") + xmp},
		"many texts": {strings.Repeat(chunk("tEXt", "a"), 40),
			strings.Repeat(chunk("tEXt", "a"), maxPNGTexts)},
		"kinds not known": {strings.Repeat(chunk("abCd", "a"), 40),
			strings.Repeat(chunk("abCd", "a"), maxPNGTexts)},
		"critical, any number": {strings.Repeat(chunk("ABCD", "a"), 40), ""},
	} {
		left, code, _ := check(t, []byte(magic+c.all+end), 0)
		want := magic + c.left + end
		if c.left == "" {
			want = magic + c.all + end
		}
		if code != "" || string(left) != want {
			t.Errorf("%s: %q %q, expected %q", name, code, left, want)
		}
	}
}

// TestPixels holds what pictures inside of an SVG are counted as.
func TestPixels(t *testing.T) {
	for name, want := range map[string]int64{"png-30000x30000": 900_000_000, "jpeg-8000x8000-in": 64_000_000,
		"gif-2000x2000-of-1000": 4_000_000_000, "gif-65535x65535-of-1-frames": 65535 * 65535, "gif-comments-of": 1} {
		if got, ok := Pixels(corpus(t, name)[0].Data()); !ok || got != want {
			t.Errorf("%s has %d pixels, %v, expected %d", name, got, ok, want)
		}
	}
	for _, data := range []string{"", "GIF89a", "\x89PNG\r\n\x1a\n", "RIFFxxxxWEBP", "\xff\xd8\xff\xd9", "<svg/>"} {
		if got, ok := Pixels([]byte(data)); ok {
			t.Errorf("%q has %d pixels", data, got)
		}
	}
}

// TestHEIFIsDescribed rejects files that end before the box that describes their pictures, however they do.
func TestHEIFIsDescribed(t *testing.T) {
	const ftyp, meta, free = "\x00\x00\x00\x18ftypavif\x00\x00\x00\x00avifmif1", "\x00\x00\x00\x0cmeta\x00\x00\x00\x00",
		"\x00\x00\x00\x08free"
	for name, c := range map[string]struct {
		data string
		want fault.Code
	}{
		"described":            {ftyp + meta, ""},
		"described late":       {ftyp + free + "\x00\x00\x00\x0cmdat1234" + meta, ""},
		"only ftyp":            {ftyp, fault.CorruptImage},
		"ftyp that goes on":    {"\x00\x00\x00\x1c" + ftyp[4:], fault.CorruptImage},
		"free that goes on":    {ftyp + "\x00\x00\x01\x00free" + meta, fault.CorruptImage},
		"mdat to the end":      {ftyp + "\x00\x00\x00\x00mdat" + meta, fault.CorruptImage},
		"cut inside a head":    {ftyp + meta[:6], fault.CorruptImage},
		"a sequence of frames": {ftyp + "\x00\x00\x00\x08moov", ""},
	} {
		if _, code, headerCode := check(t, []byte(c.data), 0); code != c.want || headerCode != c.want {
			t.Errorf("%s: %s in memory, %s from a reader, expected %q", name, code, headerCode, c.want)
		}
	}
}

// TestHEIFMadeOfOthers rejects pictures that are made of so many others that decoding them takes far more than their
// size says, and lets those of phones pass.
func TestHEIFMadeOfOthers(t *testing.T) {
	for name, want := range map[string]fault.Code{
		"grids-of-grids": fault.TooLarge, "overlay-of-60000": fault.TooLarge, "overlay-of-large": fault.TooLarge,
		"grids-in-a-circle": fault.TooLarge, "3000-pictures": fault.TooLarge, "broken-tiles-of-48-MP": "",
		"broken-layers": "",
	} {
		for _, brand := range []string{"avif", "heic"} {
			f := corpus(t, brand+"-"+name)[0]
			if _, code, headerCode := check(t, f.Data(), 0); code != want || headerCode != want {
				t.Errorf("%s: %q in memory, %q from a reader, expected %q", f.Name, code, headerCode, want)
			}
		}
	}
}

// TestLossless rejects lossless JPEGs, however they are read: libjpeg-turbo 3 decodes them at full size where libvips
// asks for less, and shows their top left corner.
func TestLossless(t *testing.T) {
	var seed bytes.Buffer
	if err := jpeg.Encode(&seed, image.NewGray(image.Rect(0, 0, 8, 8)), nil); err != nil {
		t.Fatal(err)
	}
	baseline := seed.Bytes()
	at := bytes.Index(baseline, []byte{0xFF, 0xC0}) + 1
	for marker, want := range map[byte]fault.Code{
		0xC0: "", 0xC1: "", 0xC2: "", 0xC9: "", 0xCA: "",
		0xC3: fault.UnsupportedType, 0xC7: fault.UnsupportedType, 0xCB: fault.UnsupportedType,
		0xCF: fault.UnsupportedType,
	} {
		data := bytes.Clone(baseline)
		data[at] = marker
		if _, code, headerCode := check(t, data, 0); code != want || headerCode != want {
			t.Errorf("a frame %x: %q in memory, %q from a reader, expected %q", marker, code, headerCode, want)
		}
	}
}
