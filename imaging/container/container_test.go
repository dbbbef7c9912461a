package container_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"iter"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/safelight/safelight/imaging/container"
)

// read is what a walk over a file finds, an item a line.
type read func(*container.File) string

// lines returns what items say, and the error at the end.
func lines[T any](items iter.Seq2[T, error], say func(T) string) string {
	var b strings.Builder
	for item, err := range items {
		if err != nil {
			fmt.Fprintln(&b, err)
			break
		}
		fmt.Fprintln(&b, say(item))
	}
	return b.String()
}

func readJPEG(f *container.File) string {
	return lines(container.JPEG(f), saySegment)
}

func saySegment(s container.Segment) string {
	return fmt.Sprintf("%X %d %d %X %v", s.Marker, s.At, s.Length, s.Head, s.Adjoins)
}

func sayChunk(c container.Chunk) string {
	return fmt.Sprintf("%q %d-%d %d", c.Kind, c.At, c.End, c.Size)
}

func readPNG(f *container.File) string { return lines(container.PNG(f), sayChunk) }

func readWebP(f *container.File) string { return lines(container.WebP(f), sayChunk) }

func readBoxes(f *container.File) string {
	return lines(container.Boxes(f, 0, f.Size()), func(b container.Box) string {
		return fmt.Sprintf("%q %d %d-%d %d %v", b.Kind, b.At, b.Start, b.End, b.Size, b.Err())
	})
}

func readTIFF(f *container.File) string {
	return lines(container.TIFF(f, 0, f.Size()), func(d container.Directory) string {
		return fmt.Sprint(d.Count, "\n") + lines(d.Entries(), func(e container.Entry) string {
			n, ok := e.Number()
			return fmt.Sprintf("  %X %d %d: %d %v %v", e.Tag, e.Type, e.Count, n, ok, e.IsShort())
		})
	})
}

func readGIF(f *container.File) string {
	return lines(container.GIF(f), func(b container.Block) string {
		return fmt.Sprintf("%X %d-%d", b.Kind, b.At, b.End)
	})
}

const (
	eof       = "unexpected EOF\n"
	malformed = "the structure of the file is malformed\n"
	gifHead   = "GIF89a\x01\x00\x01\x00\x00\x00\x00"
	gifFrame  = "\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00"
	tiffShort = "MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00"
)

// TestWalks holds what walks find, and how they end.
func TestWalks(t *testing.T) {
	for _, c := range []struct {
		name string
		read read
		file string
		want string
	}{
		{"segments, fill bytes, damage", readJPEG,
			"\xff\xd8\xff\xe0\x00\x03a\xff\xff\xfe\x00\x02junk\xff\xdb\x00\x02\xff\xd9",
			"E0 2 3 61 true\nFE 8 2  false\nDB 16 2  false\nD9 20 0  true\n"},
		{"a scan", readJPEG, "\xff\xd8\xff\xda\x00\x03\x01ab\xff\x00\xff\xd0c\xff\xd9behind",
			"DA 2 3 01 true\nD9 14 0  false\n"},
		{"no start of image", readJPEG, "\xff\xe0\x00\x02\xff\xd9", "E0 0 2  false\nD9 4 0  true\n"},
		{"a length of 0", readJPEG, "\xff\xd8\xff\xfe\x00\x00\xff\xd9", "FE 2 0  true\nD9 6 0  true\n"},
		{"a segment longer than the file", readJPEG, "\xff\xd8\xff\xfe\xff\xff123456789",
			"FE 2 65535 313233343536 true\n" + eof},
		{"a segment of which nothing is there", readJPEG, "\xff\xd8\xff\xfe\xff\xff", eof},
		{"chunks up to IEND", readPNG, "signatur\x00\x00\x00\x01IHDRa1234\x00\x00\x00\x00IEND5678more",
			"\"IHDR\" 8-21 1\n\"IEND\" 21-33 0\n"},
		{"no IEND", readPNG, "signatur\x00\x00\x00\x01IHDRa1234", "\"IHDR\" 8-21 1\n" + eof},
		{"a chunk longer than the file", readPNG, "signatur\xff\xff\xff\xffIHDR", eof},
		{"chunks with padding", readWebP, "RIFF    WEBPVP8X\x01\x00\x00\x00ap\x49END\x00\x00\x00\x00VP8 " +
			"\x02\x00\x00\x00ab",
			"\"VP8X\" 12-22 1\n\"IEND\" 22-30 0\n\"VP8 \" 30-40 2\n"},
		{"half a chunk", readWebP, "RIFF    WEBPVP8X\x02\x00\x00\x00a", eof},
		{"boxes", readBoxes,
			"\x00\x00\x00\x08free\x00\x00\x00\x01mdat\x00\x00\x00\x00\x00\x00\x00\x11x\x00\x00\x00\x00last",
			"\"free\" 0 8-8 8 <nil>\n\"mdat\" 8 24-25 17 <nil>\n\"last\" 25 33-33 0 <nil>\n"},
		{"a box beyond the end", readBoxes, "\x00\x00\x00\x0afree", "\"free\" 0 8-8 10 unexpected EOF\n"},
		{"a box smaller than its head", readBoxes, "\x00\x00\x00\x07freemore", "\"free\" 0 8-12 7 " + malformed},
		{"a long box of size 0", readBoxes, "\x00\x00\x00\x01free\x00\x00\x00\x00\x00\x00\x00\x00",
			"\"free\" 0 16-16 -1 " + malformed},
		{"half a head", readBoxes, "\x00\x00\x00\x08free\x00\x00", "\"free\" 0 8-8 8 <nil>\n" + eof},
		{"a directory", readTIFF, tiffShort + "\x00\x00\x00\x00", "1\n  112 3 1: 6 true true\n\n"},
		{"a directory that follows itself", readTIFF, tiffShort + "\x00\x00\x00\x08", "1\n  112 3 1: 6 true true\n\n"},
		{"a directory without a next one", readTIFF, tiffShort, eof},
		{"a directory beyond the file", readTIFF, tiffShort + "\xff\xff\xff\xff",
			"1\n  112 3 1: 6 true true\n\n" + eof},
		{"a big TIFF", readTIFF,
			"II\x2b\x00\x08\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00" +
				"\x01\x01\x04\x00\x01\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00" +
				strings.Repeat("\x00", 8),
			"1\n  101 4 1: 7 true false\n\n"},
		{"another order", readTIFF, "XX\x00\x2a\x00\x00\x00\x08", malformed},
		{"another version", readTIFF, "MM\x00\x2c\x00\x00\x00\x08", malformed},
		{"blocks", readGIF, gifHead + "\x21\xfe\x01x\x00" + gifFrame + ";;", "21 13-18\n2C 18-33\n3B 33-34\n"},
		{"colors", readGIF, "GIF89a\x01\x00\x01\x00\x80\x00\x00123456" + gifFrame[:9] + "\x80" + "123456" +
			gifFrame[10:], "2C 19-40\n" + eof},
		{"a byte that starts no block", readGIF, gifHead + gifFrame + "x", "2C 13-28\n"},
		{"half a frame", readGIF, gifHead + gifFrame[:12], eof},
	} {
		if got := c.read(container.Of([]byte(c.file))); got != c.want {
			t.Errorf("%s: %q, expected %q", c.name, got, c.want)
		}
	}
}

// TestEntryBytes reads texts of a directory: within an entry, elsewhere, and beyond the end. That the offset of the
// next directory is missing does not matter.
func TestEntryBytes(t *testing.T) {
	const classic = "junkII\x2a\x00\x08\x00\x00\x00\x03\x00" +
		"\x3b\x01\x02\x00\x04\x00\x00\x00abc\x00" +
		"\x98\x82\x02\x00\x05\x00\x00\x00\x02\x00\x00\x00" + // the text is where it is by mistake
		"\x98\x82\x02\x00\x05\x00\x00\x00\x2a\x00\x00\x00"
	const big = "MM\x00\x2b\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x10" +
		"\x00\x00\x00\x00\x00\x00\x00\x01" +
		"\x82\x98\x00\x02\x00\x00\x00\x00\x00\x00\x00\x09\x00\x00\x00\x00\x00\x00\x00\x2csome text"
	for _, c := range []struct {
		file  string
		start int64
		want  string
	}{
		{classic, 4, "\"abc\\x00\"\n\"*\\x00\\b\\x00\\x00\"\n\"\" unexpected EOF\n"},
		{big, 0, "\"some text\"\n"},
		{classic[:40], 4, "\"abc\\x00\"\n\"*\\x00\\b\\x00\\x00\"\n" + eof},
	} {
		file := container.Of([]byte(c.file))
		d, err := container.FirstDirectory(file, c.start, file.Size())
		if err != nil {
			t.Errorf("%q: %v", c.file, err)
		}
		got := lines(d.Entries(), func(e container.Entry) string {
			if !e.IsText() {
				return "no text"
			}
			b, err := e.Bytes()
			if err != nil {
				return fmt.Sprintf("%q %v", b, err)
			}
			return fmt.Sprintf("%q", b)
		})
		if got != c.want {
			t.Errorf("%q: %q, expected %q", c.file, got, c.want)
		}
	}
}

// TestReaders checks that a file that is read finds what one in memory does, seeks only over long distances, and
// returns errors of its reader as they are.
func TestReaders(t *testing.T) {
	data := make([]byte, 1<<20)
	for n := range data {
		data[n] = byte(n >> 8)
	}
	r := &seeks{Reader: bytes.NewReader(data)}
	f := container.Open(r, int64(len(data)))
	for _, c := range []struct{ at, n, seeks int }{
		{0, 10, 1}, {5, 20, 1}, {60_000, 100, 1}, {500_000, 70_000, 2}, {500_000, 5, 2}, {10, 0, 3}, {1 << 20, 0, 4},
		{1<<20 - 1, 1, 5},
	} {
		b, err := f.At(int64(c.at), c.n)
		if err != nil || !bytes.Equal(b, data[c.at:c.at+c.n]) {
			t.Errorf("%d bytes from %d: %d, %v", c.n, c.at, len(b), err)
		}
		if r.count != c.seeks {
			t.Errorf("%d bytes from %d: %d seeks, expected %d", c.n, c.at, r.count, c.seeks)
		}
	}
	// The last byte of what is known and the next one, again and again, as a walk over a JPEG's pixels asks for them.
	again := &seeks{Reader: bytes.NewReader(data)}
	on := container.Open(again, int64(len(data)))
	for at := 0; at+1000 <= len(data); at += 999 {
		if b, err := on.At(int64(at), 1000); err != nil || !bytes.Equal(b, data[at:at+1000]) {
			t.Fatalf("1000 bytes from %d: %d, %v", at, len(b), err)
		}
	}
	if again.count != 1 {
		t.Errorf("reading on took %d seeks, expected 1", again.count)
	}
	kept, err := f.Bytes(1<<20-70_000, 70_000)
	if _, _ = f.At(0, 10); err != nil || !bytes.Equal(kept, data[1<<20-70_000:]) {
		t.Error("bytes that should stay have changed", err)
	}
	for _, place := range [][2]int{{-1, 1}, {1 << 20, 1}, {0, -1}, {1<<20 - 1, 2}} {
		if _, err := f.At(int64(place[0]), place[1]); err != io.ErrUnexpectedEOF {
			t.Errorf("%v: %v", place, err)
		}
		if _, err := f.Bytes(int64(place[0]), place[1]); err != io.ErrUnexpectedEOF {
			t.Errorf("%v: %v", place, err)
		}
	}
	short := container.Open(bytes.NewReader(data[:100]), 200) // has become shorter
	if _, err := short.At(90, 20); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
	down := errors.New("the storage is down")
	broken := struct {
		io.Reader
		io.Seeker
	}{iotest.ErrReader(down), r}
	for _, read := range []read{readJPEG, readPNG, readWebP, readBoxes, readTIFF, readGIF} {
		if got := read(container.Open(broken, 100)); got != down.Error()+"\n" {
			t.Errorf("a reader that fails: %q", got)
		}
	}
}

// seeks is a reader that counts seeks.
type seeks struct {
	*bytes.Reader
	count int
}

// Seek implements io.Seeker.
func (s *seeks) Seek(offset int64, whence int) (int64, error) {
	s.count++
	return s.Reader.Seek(offset, whence)
}

// slow is a reader that returns a byte at a time.
type slow struct {
	io.Reader
	io.Seeker
}

// fuzz holds of any bytes what same does.
func fuzz(f *testing.F, walk read, seeds ...[]byte) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) { same(t, walk, data) })
}

// same checks that a walk ends, and finds the same in a file that is in memory and in one that is read.
func same(t *testing.T, walk read, data []byte) (found string) {
	found = walk(container.Of(data))
	r := bytes.NewReader(data)
	if got := walk(container.Open(slow{iotest.OneByteReader(r), r}, int64(len(data)))); got != found {
		t.Errorf("%q in memory, %q from a reader", found, got)
	}
	return found
}

// picture encodes a small picture.
func picture(f *testing.F, encode func(io.Writer, image.Image) error) []byte {
	var b bytes.Buffer
	if err := encode(&b, image.NewGray(image.Rect(0, 0, 9, 7))); err != nil {
		f.Fatal(err)
	}
	return b.Bytes()
}

func FuzzJPEG(f *testing.F) {
	fuzz(
		f, readJPEG, picture(f, func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) }),
		[]byte("\xff\xd8\xff\xe0\x00\x03a\xff\xff\xfe\x00\x02junk\xff\xdb\x00\x02\xff\xd9"),
	)
}

func FuzzPNG(f *testing.F) { fuzz(f, readPNG, picture(f, png.Encode)) }

func FuzzWebP(f *testing.F) {
	fuzz(f, readWebP, []byte("RIFF    WEBPVP8X\x01\x00\x00\x00apVP8 \x02\x00\x00\x00ab"))
}

func FuzzBoxes(f *testing.F) {
	fuzz(f, readBoxes,
		[]byte("\x00\x00\x00\x08free\x00\x00\x00\x01mdat\x00\x00\x00\x00\x00\x00\x00\x11x\x00\x00\x00\x00last"))
}

func FuzzTIFF(f *testing.F) {
	fuzz(f, readTIFF, []byte(tiffShort+"\x00\x00\x00\x08"),
		[]byte("II\x2b\x00\x08\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00\x01"))
}

func FuzzGIF(f *testing.F) {
	fuzz(f, readGIF, picture(f, func(w io.Writer, m image.Image) error { return gif.Encode(w, m, nil) }))
}
