package main

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"log/slog"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// picture returns a PNG of that size, in which n is the colour.
func picture(t *testing.T, width, height int, n uint8) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = n + uint8(i*i%251)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestProbe holds which uploads the engine lets in.
func TestProbe(t *testing.T) {
	engine, stop, err := openEngine(&Settings{AVIFSpeed: 8}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	look := probe(engine, imaging.DefaultLimits())
	good := picture(t, 40, 30, 1)
	bomb := bytes.Clone(good)
	binary.BigEndian.PutUint32(bomb[16:], 60_000)
	binary.BigEndian.PutUint32(bomb[20:], 60_000)
	binary.BigEndian.PutUint32(bomb[29:], crc32.ChecksumIEEE(bomb[12:29]))
	for name, c := range map[string]struct {
		data []byte
		code fault.Code
	}{
		"good":      {good, ""},
		"truncated": {good[:len(good)/2], fault.CorruptImage},
		"header":    {good[:33], fault.CorruptImage},
		"bomb":      {bomb, fault.TooLarge},
		"page":      {[]byte("<!doctype html>"), fault.UnsupportedType},
		"svg": {
			[]byte(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>`),
			""},
	} {
		err := look(t.Context(), imaging.Source{Name: name, Size: int64(len(c.data)), Reader: bytes.NewReader(c.data)})
		if fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v, expected %q", name, err, c.code)
		}
	}
}
