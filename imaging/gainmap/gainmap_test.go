package gainmap

import (
	"bytes"
	"fmt"
	stdimage "image"
	"image/color"
	"image/jpeg"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/container"
)

// read returns the files of libultrahdr 2.0.2, whose maps are described by ISO 21496-1.
func read(t testing.TB) map[string][]byte {
	files := map[string][]byte{}
	for _, name := range []string{"gray", "rgb"} {
		b, err := os.ReadFile("testdata/libuhdr-" + name + ".jpg")
		if err != nil {
			t.Fatal(err)
		}
		files[name] = b
	}
	return files
}

// gray returns a JPEG without metadata.
func gray(t testing.TB, width, height int) []byte {
	img := stdimage.NewGray(stdimage.Rect(0, 0, width, height))
	for n := range img.Pix {
		img.Pix[n] = byte(n)
	}
	img.SetGray(0, 0, color.Gray{255})
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// packetOf returns the XMP of a map as Android and Adobe write it, with a position that results must not have, and
// properties that say nothing.
const packetOf = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description
 xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="52,31.2N" hdrgm:Version="1.0"
 hdrgm:GainMapMin="-0.5" hdrgm:Gamma="NaN" hdrgm:OffsetSDR="0.015625" hdrgm:HDRCapacityMin="0" hdrgm:HDRCapacityMax="2.300" hdrgm:BaseRenditionIsHDR="False">
 <hdrgm:GainMapMax><rdf:Seq><rdf:li>2.1</rdf:li><rdf:li>2.2</rdf:li><rdf:li>2.3</rdf:li></rdf:Seq></hdrgm:GainMapMax>
 <hdrgm:OffsetHDR><rdf:Seq><rdf:li>1</rdf:li><rdf:li>2</rdf:li></rdf:Seq></hdrgm:OffsetHDR></rdf:Description></rdf:RDF></x:xmpmeta>`

func TestFind(t *testing.T) {
	for name, file := range read(t) {
		m, err := Find(bytes.NewReader(file))
		if err != nil || m == nil || m.meta.iso == nil {
			t.Fatalf("%s: %v %v, expected a map described by ISO 21496-1", name, m, err)
		}
		c, err := jpeg.DecodeConfig(bytes.NewReader(m.File))
		if want := map[string]int{"gray": 40, "rgb": 160}[name]; err != nil || c.Width != want {
			t.Errorf("%s: a map of %d x %d, %v, expected %d", name, c.Width, c.Height, err, want)
		}
		for n := range file { // of a part no more is read than there is
			if m, err := Find(bytes.NewReader(file[:n])); err != nil || m != nil {
				t.Fatalf("the first %d bytes of %s: %v %v", n, name, m, err)
			}
		}
	}
	if m, err := Find(bytes.NewReader(gray(t, 8, 8))); m != nil || err != nil {
		t.Errorf("a JPEG without a map: %v %v", m, err)
	}
}

// TestJoin joins a map that is described by XMP, and reads back what was joined.
func TestJoin(t *testing.T) {
	m := Map{
		meta: meta{
			xmp: parseXMP([]byte(packetOf)),
			iso: append([]byte(container.GainMapName), 0, 0, 0, 0, 9, 9),
			icc: [][]byte{append([]byte(container.ProfileName), 1, 1, 7)},
		},
	}
	picture, scaled := gray(t, 64, 48), gray(t, 16, 12)
	joined := m.Join(picture, scaled)
	back, err := Find(bytes.NewReader(joined))
	if err != nil || back == nil {
		t.Fatal(back, err)
	}
	want := properties{
		"Version":            {"1.0"},
		"GainMapMin":         {"-0.5"},
		"GainMapMax":         {"2.1", "2.2", "2.3"},
		"OffsetSDR":          {"0.015625"},
		"HDRCapacityMin":     {"0"},
		"HDRCapacityMax":     {"2.3"},
		"BaseRenditionIsHDR": {"False"},
	}
	if fmt.Sprint(back.meta.xmp) != fmt.Sprint(want) {
		t.Errorf("the map says %v, expected %v", back.meta.xmp, want)
	}
	if !bytes.Equal(back.meta.iso, m.meta.iso) || len(back.meta.icc) != 1 ||
		!bytes.Equal(back.meta.icc[0], m.meta.icc[0]) {
		t.Errorf("the map has %q and %q", back.meta.iso, back.meta.icc)
	}
	if !bytes.HasSuffix(joined, back.File) || bytes.Contains(joined, []byte("GPS")) {
		t.Error("the map is not the end of the file, or has a position")
	}
	if !strings.Contains(
		string(joined),
		fmt.Sprintf(`Item:Semantic="GainMap" Item:Mime="image/jpeg" Item:Length="%d"`, len(back.File)),
	) {
		t.Errorf("the picture's XMP does not say that its map has %d bytes", len(back.File))
	}
	for _, file := range [][]byte{joined, back.File} {
		if _, err := jpeg.Decode(bytes.NewReader(file)); err != nil {
			t.Error(err)
		}
	}
	if first, err := pictures(container.Of(joined)); err != nil || len(first) != 1 ||
		first[0].start+first[0].size != int64(len(joined)) {
		t.Errorf("%v of %d bytes", first, len(joined))
	}
}

// TestJoinKeepsXMP joins a map to a picture that kept its XMP, which says how large the map was.
func TestJoinKeepsXMP(t *testing.T) {
	picture := gray(t, 64, 48)
	kept := `<rdf:li dc:title="Sea"/>` + string(directory("1.0", 123456))
	picture = slices.Concat([]byte(soi), appendSegment(nil, container.APP1, []byte(container.XMPName), []byte(kept)),
		picture[2:])
	m := Map{meta: meta{xmp: parseXMP([]byte(packetOf))}}
	joined := m.Join(picture, gray(t, 16, 12))
	back, err := Find(bytes.NewReader(joined))
	if err != nil || back == nil {
		t.Fatal(back, err)
	}
	if n := bytes.Count(joined, []byte(`Item:Semantic="GainMap"`)); n != 1 ||
		!bytes.Contains(joined, fmt.Appendf(nil, `Item:Length="%d"`, len(back.File))) ||
		!bytes.Contains(joined, []byte("Sea")) {
		t.Errorf("%d directories in %.900q", n, joined)
	}
}

// FuzzFind reads hostile files, and joins what it finds.
func FuzzFind(f *testing.F) {
	for _, file := range read(f) {
		f.Add(file)
	}
	m := Map{meta: meta{xmp: parseXMP([]byte(packetOf))}}
	picture := gray(f, 8, 8)
	f.Add(m.Join(picture, picture))
	f.Fuzz(func(t *testing.T, file []byte) {
		m, err := Find(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		if m == nil {
			return
		}
		if back, _ := Find(bytes.NewReader(m.Join(picture, picture))); back == nil ||
			fmt.Sprint(back.meta) != fmt.Sprint(m.meta) {
			t.Errorf("%v is joined, and %v read back", m.meta, back)
		}
	})
}

func BenchmarkSurvey(b *testing.B) {
	file := bytesFile{bytes.NewReader(gray(b, 640, 480)), gray(b, 640, 480)}
	for b.Loop() {
		if m, err := Survey(file); err != nil || m != (imaging.GainMap{}) {
			b.Fatal(m, err)
		}
	}
}

// bytesFile is a file in memory.
type bytesFile struct {
	*bytes.Reader
	data []byte
}

func (f bytesFile) Bytes() []byte { return f.data }

// TestSurvey reads the headers of maps that are known, from files in memory and elsewhere.
func TestSurvey(t *testing.T) {
	for name, file := range read(t) {
		want := map[string]imaging.GainMap{"gray": {Width: 40, Height: 30, Bands: 1},
			"rgb": {Width: 160, Height: 120, Bands: 3}}[name]
		m, err := Find(bytes.NewReader(file))
		if err != nil || m == nil {
			t.Fatal(m, err)
		}
		want.Bytes = int64(len(m.File))
		for _, r := range []io.ReadSeeker{bytes.NewReader(file), bytesFile{bytes.NewReader(file), file}} {
			if got, err := Survey(r); err != nil || got != want || m.Header != want {
				t.Errorf("%s: %+v %v, and %+v when all of it is read, expected %+v", name, got, err, m.Header, want)
			}
		}
	}
}

// TestUnusualMaps checks that only baseline maps of one scan are kept: others take all their coefficients in memory.
func TestUnusualMaps(t *testing.T) {
	m := Map{meta: meta{xmp: parseXMP([]byte(packetOf))}}
	joined := m.Join(gray(t, 64, 48), gray(t, 16, 12))
	back, err := Find(bytes.NewReader(joined))
	if err != nil || back == nil {
		t.Fatal(back, err)
	}
	start := len(joined) - len(back.File)
	frame, scan := start+bytes.Index(back.File, []byte{0xFF, container.SOF0}),
		start+bytes.Index(back.File, []byte{0xFF, container.SOS})
	for name, change := range map[string]func(file []byte){
		"progressive":           func(file []byte) { file[frame+1] = 0xC2 },
		"lossless":              func(file []byte) { file[frame+1] = 0xC3 },
		"arithmetic":            func(file []byte) { file[frame+1] = 0xC9 },
		"of 12 bits":            func(file []byte) { file[frame+4] = 12 },
		"without pixels":        func(file []byte) { file[frame+5], file[frame+6] = 0, 0 },
		"of three, one at once": func(file []byte) { file[frame+9] = 3 },
		"of two components":     func(file []byte) { file[frame+9], file[scan+4] = 2, 2 },
	} {
		changed := bytes.Clone(joined)
		change(changed)
		if m, err := Find(bytes.NewReader(changed)); m != nil || err != nil {
			t.Errorf("a map that is %s: %+v %v", name, m.Header, err)
		}
		if h, err := Survey(bytes.NewReader(changed)); h != (imaging.GainMap{}) || err != nil {
			t.Errorf("the header of a map that is %s: %+v %v", name, h, err)
		}
	}
}
