package embedded

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
	"strings"
	"testing"

	"github.com/safelight/safelight/imaging/container"
)

func picture(t testing.TB, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, width, height)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// segment is one of a JPEG, with its marker and size.
func segment(marker byte, data string) string {
	return string(binary.BigEndian.AppendUint16([]byte{0xFF, marker}, uint16(len(data)+2))) + data
}

// exif returns a segment with an orientation and a thumbnail.
func exif(order binary.AppendByteOrder, orientation int, thumbnail []byte) string {
	b := []byte("MM\x00\x2A")
	if order == binary.AppendByteOrder(binary.LittleEndian) {
		b = []byte("II\x2A\x00")
	}
	tag := func(name, kind int, value uint32) {
		b = order.AppendUint16(order.AppendUint16(b, uint16(name)), uint16(kind))
		b = order.AppendUint32(b, 1)
		if kind == 3 {
			b = order.AppendUint16(order.AppendUint16(b, uint16(value)), 0)
		} else {
			b = order.AppendUint32(b, value)
		}
	}
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 1)
	tag(0x0112, 3, uint32(orientation))
	b = order.AppendUint32(b, uint32(len(b)+4))
	b = order.AppendUint16(b, 2)
	tag(tagOffset, 4, uint32(len(b)+12*2+4))
	tag(tagLength, 4, uint32(len(thumbnail)))
	b = order.AppendUint32(b, 0)
	return segment(0xE1, "Exif\x00\x00"+string(append(b, thumbnail...)))
}

// with returns a JPEG with segments at its start.
func with(jpeg []byte, segments ...string) string {
	return string(jpeg[:2]) + strings.Join(segments, "") + string(jpeg[2:])
}

func TestFind(t *testing.T) {
	whole, small := picture(t, 1600, 1200), picture(t, 160, 120)
	profile := segment(0xE2, "ICC_PROFILE\x00\x01\x01 a profile")
	large := exif(binary.BigEndian, 1, small)
	for name, c := range map[string]struct{ file, want string }{
		"fits":              {with(whole, large), string(small)},
		"little-endian":     {with(whole, exif(binary.LittleEndian, 1, small)), string(small)},
		"behind JFIF":       {with(whole, segment(0xE0, "JFIF\x00"), large), string(small)},
		"turned":            {with(whole, exif(binary.BigEndian, 6, small)), string(small)},
		"with a profile":    {with(whole, exif(binary.LittleEndian, 6, small), profile), string(small)},
		"a bad orientation": {with(whole, exif(binary.BigEndian, 9, small)), string(small)},
		"3:2 in 160x107": {with(picture(t, 1500, 1000), exif(binary.BigEndian, 1, picture(t, 160, 107))),
			string(picture(t, 160, 107))},
		"no EXIF":             {string(whole), ""},
		"no thumbnail":        {with(whole, exif(binary.BigEndian, 1, nil)), ""},
		"too small":           {with(whole, exif(binary.BigEndian, 1, picture(t, 120, 90))), ""},
		"another ratio":       {with(picture(t, 1600, 1100), large), ""},
		"upright, not turned": {with(picture(t, 1200, 1600), large), ""},
		"black bars of 3:2":   {with(picture(t, 1500, 1000), large), ""},
		"not a JPEG":          {with(whole, exif(binary.BigEndian, 1, []byte("\x89PNG\r\n\x1A\n"))), ""},
		"cut off":             {with(whole, large)[:len(large)-9], ""},
		"a size beyond EXIF": {strings.Replace(with(whole, large),
			string(binary.BigEndian.AppendUint32(nil, uint32(len(small)))), "\x00\xFF\xFF\xFF", 1), ""},
		"no picture at all": {"GIF89a", ""},
		"empty":             {"", ""},
	} {
		got := ""
		if _, _, small := Find(strings.NewReader(c.file)); small != nil {
			got = string(small.Data)
		}
		if got != c.want {
			t.Errorf("%s: %d bytes, expected %d: %.60q", name, len(got), len(c.want), got)
		}
	}
}

// FuzzFind checks that what comes out can be read as what was asked for.
func FuzzFind(f *testing.F) {
	small := picture(f, 160, 120)
	f.Add([]byte(with(picture(f, 1600, 1200), exif(binary.BigEndian, 6, small))))
	f.Add([]byte(with(picture(f, 160, 120), exif(binary.LittleEndian, 1, small))))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _, small := Find(bytes.NewReader(data))
		if small == nil {
			return
		}
		out := small.Data
		if h := read(container.Of(out)); len(out) > len(data) || max(h.width, h.height) < minSide ||
			h.width != small.Width ||
			h.height != small.Height {
			t.Errorf("%d bytes of %dx%d", len(out), h.width, h.height)
		}
	})
}
