package pixels

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

func codedFile(restart int, density float64) []byte {
	c := &coded{
		width:      64,
		height:     48,
		components: samplings["4:2:0"],
		restart:    restart,
		density:    density,
		largest:    4,
		random:     rand.New(rand.NewPCG(3, 4)),
	}
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
	for _, symbols := range [][]byte{{0xf0, 0xf0, 0xf0, 0xf0}, {0xf0, 0xf0, 0xf0, 0xe1, 0x11},
		{0xf0, 0xf1, 0xf1, 0xf1, 0x01}} {
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
		c := &coded{
			width:      24,
			height:     15,
			components: samplings["4:4:4"],
			restart:    restart,
			density:    0.05,
			largest:    4,
			random:     rand.New(rand.NewPCG(7, 8)),
		}
		file := c.write()
		for n := range file {
			if sameAsLibjpeg(t, "", file[:n], 24, 15); t.Failed() {
				t.Fatalf("cut off after %d of %d bytes", n, len(file))
			}
		}
	}
}

// TestJPEGDamageBehindTheRows damages the last row of blocks, which no row of the smaller scales needs: libjpeg rounds
// sides up, and libvips down.
func TestJPEGDamageBehindTheRows(t *testing.T) {
	for _, height := range []int{14, 25, 49, 57} {
		c := &coded{
			width:      19,
			height:     height,
			components: samplings["4:4:4"],
			density:    0.1,
			largest:    4,
			random:     rand.New(rand.NewPCG(11, 12)),
		}
		file := c.write()
		damaged := map[string][]byte{
			"no end":          file[:len(file)-2],
			"cut off":         file[:len(file)-20],
			"a marker within": slices.Concat(file[:len(file)-20], []byte{0xff, 0xd3}, file[len(file)-20:]),
			"all ones": slices.Concat(
				file[:len(file)-20], bytes.Repeat([]byte{0xff, 0}, 8), file[len(file)-20:],
			),
		}
		for name, bad := range damaged {
			name = fmt.Sprintf("%s, %d high", name, height)
			if ok, _ := sameAsLibjpeg(t, name, bad, 19, height); ok {
				t.Errorf("%s: decoded", name)
			}
			list, ok := scalesOf(bad, 19, height, new(int32))
			if ok {
				t.Errorf("%s: decoded in one pass", name)
			}
			for _, s := range list {
				part := partOf([2]int{s.Width, s.Height})
				if ReduceJPEG(bad, s.Shrink, s.Width, s.Height, part, 1, 1, make([]byte, 3), new(int32)) == nil {
					t.Errorf("%s: decoded and reduced from 1/%d", name, s.Shrink)
				}
			}
		}
	}
}

// mutant is a baseline JPEG of any size, sampling and tables whose data or header are damaged in up to four places.
func mutant(seed uint64) (file []byte, width, height int) {
	r := rand.New(rand.NewPCG(seed, 13))
	names := slices.Sorted(maps.Keys(samplings))
	c := &coded{
		width:      1 + r.IntN(70),
		height:     1 + r.IntN(70),
		components: samplings[names[r.IntN(len(names))]],
		restart:    max(0, r.IntN(12)-8),
		density:    r.Float64() * r.Float64(),
		largest:    1 + r.IntN(6),
		random:     r,
	}
	file = c.write()
	for range r.IntN(5) {
		at := len(file) - 1 - r.IntN(len(file))
		if r.IntN(2) == 0 {
			at = len(file) - 1 - r.IntN(min(len(file), 40)) // the last blocks
		}
		switch r.IntN(6) {
		case 0:
			file[at] ^= 1 << r.IntN(8)
		case 1:
			file[at] = byte(r.Uint32())
		case 2:
			file = file[:at+1]
		case 3:
			file = slices.Insert(file, at, 0xff, byte(0xd0+r.IntN(10)))
		case 4:
			file = slices.Insert(file, at, make([]byte, 1+r.IntN(3))...)
		case 5:
			file = slices.Delete(file, at, min(at+1+r.IntN(3), len(file)))
		}
		if len(file) == 0 {
			break
		}
	}
	width, height = sizeOf(file)
	return file, width, height
}

// TestJPEGMutants decodes damaged files here and by libjpeg.
func TestJPEGMutants(t *testing.T) {
	accepted, refused := 0, 0
	for seed := range uint64(1500) {
		file, width, height := mutant(seed)
		if width == 0 || height == 0 || width*height > 1<<16 {
			continue
		}
		if ok, _ := sameAsLibjpeg(t, fmt.Sprint("mutant ", seed), file, width, height); ok {
			accepted++
		} else {
			refused++
		}
	}
	if accepted < 100 || refused < 100 {
		t.Errorf("%d files are accepted and %d refused, expected 100 of each or more", accepted, refused)
	}
}

func TestJPEGStops(t *testing.T) {
	stop := int32(1)
	if DecodeJPEG(goJPEG(t, 40, 24, 75), 3, []Scale{{1, 40, 24, make([]byte, 40*24*3)}}, &stop) != ErrStopped {
		t.Error("decoded after a stop")
	}
}

// FuzzJPEGCodes decodes damaged files here and by libjpeg.
func FuzzJPEGCodes(f *testing.F) {
	f.Add(codedFile(0, 0.05))
	f.Add(codedFile(3, 0.5))
	f.Add(goJPEG(f, 40, 24, 75))
	f.Add(encoded(EncodeJPEG(painted(17, 23, 3), 95, new(int32))))
	f.Fuzz(func(t *testing.T, file []byte) {
		if width, height := sizeOf(file); width > 0 && height > 0 && width*height < 1<<16 {
			sameAsLibjpeg(t, "", file, width, height)
		}
	})
}

// FuzzJPEGMutants decodes damaged files of any sampling, size and tables here and by libjpeg.
func FuzzJPEGMutants(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		if file, width, height := mutant(seed); width > 0 && height > 0 && width*height <= 1<<16 {
			sameAsLibjpeg(t, fmt.Sprint("mutant ", seed), file, width, height)
		}
	})
}
