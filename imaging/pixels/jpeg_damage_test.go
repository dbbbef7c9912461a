package pixels

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

func codedFile(restart int, density float64) []byte {
	c := &coded{width: 64, height: 48, components: samplings["4:2:0"], restart: restart, density: density, largest: 4, random: rand.New(rand.NewPCG(3, 4))}
	return c.write()
}

// TestJPEGLeftToLibjpeg changes files so that libjpeg has to decide.
func TestJPEGLeftToLibjpeg(t *testing.T) {
	plain, restarts := codedFile(0, 0.1), codedFile(2, 0.1)
	data := bytes.Index(plain, []byte{0xff, 0xda}) + 14
	first := bytes.Index(restarts, []byte{0xff, 0xd0})
	with := func(file []byte, from, to int, by ...byte) []byte {
		return bytes.Join([][]byte{file[:from], by, file[to:]}, nil)
	}
	end := len(plain) - 2
	for name, file := range map[string][]byte{
		"all ones, which no code is":       with(plain, data+100, data+104, 0xff, 0, 0xff, 0, 0xff, 0, 0xff, 0),
		"a marker within the data":         with(plain, data+100, data+102, 0xff, 0xd3),
		"an end within the data":           with(plain, data+100, data+102, 0xff, 0xd9),
		"filled up before the end":         with(plain, end, end, 0xff),
		"two bytes more":                   with(plain, end, end, 1, 2),
		"many bytes more":                  with(plain, end, end, make([]byte, 20000)...),
		"no end":                           plain[:end],
		"half an end":                      plain[:end+1],
		"cut off":                          plain[:len(plain)/2],
		"cut off within the first MCU":     plain[:data+3],
		"no data":                          plain[:data],
		"another restart marker":           with(restarts, first+1, first+2, 0xd1),
		"no restart marker":                with(restarts, first, first+2),
		"restart markers without interval": with(plain, data+100, data+100, 0xff, 0xd0),
		"filled up before a restart":       with(restarts, first, first, 0xff),
		"a byte more before a restart":     with(restarts, first, first, 0),
		"a byte less before a restart":     with(restarts, first-1, first),
		"one scan more":                    with(plain, end, end, plain[data-14:end]...),
	} {
		if _, left := sameAsLibjpeg(t, name, file, 64, 48); !left {
			t.Errorf("%s: not left to libjpeg", name)
		}
	}
}

// TestJPEGRunsTooLong has a coefficient after the last one.
func TestJPEGRunsTooLong(t *testing.T) {
	for _, symbols := range [][]byte{{0xf0, 0xf0, 0xf0, 0xf0}, {0xf0, 0xf0, 0xf0, 0xe1, 0x11}, {0xf0, 0xf1, 0xf1, 0xf1, 0x01}} {
		c := &coded{width: 8, height: 8, components: samplings["4:4:4"], random: rand.New(rand.NewPCG(5, 6))}
		c.header()
		c.put(c.dc[0].code[0], c.dc[0].length[0])
		for _, s := range symbols {
			c.put(c.ac[0].code[s], c.ac[0].length[s])
			if s&15 == 1 {
				c.put(1, 1)
			}
		}
		for range 2 {
			c.put(c.dc[1].code[0], c.dc[1].length[0])
			c.put(c.ac[1].code[0], c.ac[1].length[0])
		}
		c.pad()
		if _, left := sameAsLibjpeg(t, "", append(c.file, 0xff, 0xd9), 8, 8); !left {
			t.Errorf("%x: not left to libjpeg", symbols)
		}
	}
}

// TestJPEGChanged changes each byte of files: what is decoded is what libjpeg decodes.
func TestJPEGChanged(t *testing.T) {
	for _, file := range [][]byte{codedFile(0, 0.05), codedFile(1, 0.02), goJPEG(t, 40, 24, 75)} {
		width, height := sizeOf(file)
		here := 0
		for at := range file {
			for _, by := range []byte{0x01, 0x80, 0x55, file[at], ^file[at]} {
				changed := bytes.Clone(file)
				changed[at] ^= by
				if w, h := sizeOf(changed); w != width || h != height {
					continue
				}
				if ok, left := sameAsLibjpeg(t, "", changed, width, height); ok && !left {
					here++
				}
			}
			if t.Failed() {
				t.Fatalf("byte %d", at)
			}
		}
		if here == 0 {
			t.Error("libjpeg decoded the codes of all")
		}
	}
}

// TestJPEGCut cuts files at each byte, also behind the rows that are wanted, where libjpeg may have read ahead.
func TestJPEGCut(t *testing.T) {
	for restart := range 3 {
		c := &coded{width: 24, height: 15, components: samplings["4:4:4"], restart: restart, density: 0.05, largest: 4, random: rand.New(rand.NewPCG(7, 8))}
		file := c.write()
		for n := range file {
			if sameAsLibjpeg(t, "", file[:n], 24, 15); t.Failed() {
				t.Fatalf("cut off after %d of %d bytes", n, len(file))
			}
		}
	}
}

func TestJPEGStops(t *testing.T) {
	stop := int32(1)
	if DecodeJPEG(goJPEG(t, 40, 24, 75), 1, 40, 24, make([]byte, 40*24*3), &stop) {
		t.Error("decoded after a stop")
	}
}

// FuzzJPEGCodes decodes damaged files here and by libjpeg.
func FuzzJPEGCodes(f *testing.F) {
	f.Add(codedFile(0, 0.05))
	f.Add(codedFile(3, 0.5))
	f.Add(goJPEG(f, 40, 24, 75))
	f.Add(EncodeJPEG(painted(17, 23, 3), 95, new(int32)))
	f.Fuzz(func(t *testing.T, file []byte) {
		if width, height := sizeOf(file); width > 0 && height > 0 && width*height < 1<<16 {
			sameAsLibjpeg(t, "", file, width, height)
		}
	})
}
