package vips

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	stdimage "image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/pixels"
)

// open returns an engine that is closed when the test ends.
func open(t *testing.T) *Engine {
	t.Helper()
	e, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// counter is a reader that counts what is read.
type counter struct {
	*bytes.Reader
	n int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

// noise is a picture that does not compress.
func noise(width, height int) *stdimage.RGBA {
	img := stdimage.NewRGBA(stdimage.Rect(0, 0, width, height))
	seed := uint32(1)
	for i := range img.Pix {
		seed = seed*1664525 + 1013904223
		img.Pix[i] = byte(seed >> 24)
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	return img
}

// bomb is the start of a PNG that claims that size.
func bomb(width, height uint32) []byte {
	data := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR")
	data = binary.BigEndian.AppendUint32(data, width)
	data = binary.BigEndian.AppendUint32(data, height)
	data = append(data, 8, 2, 0, 0, 0)
	data = binary.BigEndian.AppendUint32(data, crc32.ChecksumIEEE(data[12:]))
	return append(data, "\x00\x00\x00\x00IDAT\x35\xaf\x06\x1e"...)
}

// thirdOf is 0, 1 or 2: with -short, tests that repeat one thing over many inputs take every third, beginning there.
var thirdOf = rand.IntN(3)

// leftOut reports whether -short leaves out the input with that number.
func leftOut(n int) bool { return testing.Short() && n%3 != thirdOf }

func jpegOf(t testing.TB, img stdimage.Image) []byte {
	t.Helper()
	return jpegWith(t, img, 95)
}

func jpegWith(t testing.TB, img stdimage.Image, quality int) []byte {
	t.Helper()
	// image/jpeg reads RGBA several times as fast; without alpha it is the same
	if of, ok := img.(*stdimage.NRGBA); ok && of.Opaque() {
		img = &stdimage.RGBA{Pix: of.Pix, Stride: of.Stride, Rect: of.Rect}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: quality}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func sourceOf(data []byte) imaging.Source {
	return imaging.Source{Name: "test", Size: int64(len(data)), Reader: bytes.NewReader(data)}
}

func TestInfoReadsTheHeaderOnly(t *testing.T) {
	e := open(t)
	data := jpegOf(t, noise(1200, 800))
	c := &counter{Reader: bytes.NewReader(data)}
	ops := imaging.Operations{Width: 300, Height: 100, Smart: true}
	info, err := e.Info(
		context.Background(), imaging.Source{Name: "test", Size: -1, Reader: c},
		imaging.InfoRequest{Operations: ops}, imaging.DefaultLimits(),
	)
	if err != nil {
		t.Fatal(err)
	}
	if info.Width != 300 || info.Height != 100 || info.Format != imaging.JPEG || info.Bands != 3 || info.Pages != 1 {
		t.Errorf("info is %+v", info)
	}
	if c.n > 16<<10 {
		t.Errorf("%d of %d bytes were read, want at most 16 KiB", c.n, len(data))
	}
}

func TestRefused(t *testing.T) {
	e := open(t)
	limits := imaging.DefaultLimits()
	picture := jpegOf(t, noise(400, 300))
	bmp := append([]byte("BM\x46\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00"), make([]byte, 60)...)
	for name, c := range map[string]struct {
		data []byte
		ops  imaging.Operations
		want fault.Code
	}{
		"bomb":             {bomb(30000, 30000), imaging.Operations{Width: 10}, fault.TooLarge},
		"truncated header": {picture[:50], imaging.Operations{}, fault.CorruptImage},
		"empty":            {nil, imaging.Operations{}, fault.CorruptImage},
		"text":             {[]byte("hello, world, this is no picture"), imaging.Operations{}, fault.UnsupportedType},
		"bmp":              {bmp, imaging.Operations{}, fault.UnsupportedType},
		"pdf":              {[]byte("%PDF-1.4\n"), imaging.Operations{}, fault.UnsupportedType},
		"side":             {picture, imaging.Operations{Width: 20000, Height: 10}, fault.TooLarge},
		"pixels":           {picture, imaging.Operations{Width: 10000, Height: 10000}, fault.TooLarge},
		"format":           {picture, imaging.Operations{Filters: "format(xyz)"}, fault.UnsupportedFormat},
		"padding":          {picture, imaging.Operations{PaddingLeft: 1 << 20, Filters: "fill(red)"}, fault.TooLarge},
	} {
		_, err := e.Process(context.Background(), sourceOf(c.data), c.ops, limits)
		if got := fault.CodeOf(err); got != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	limits.MaxSourceBytes = 1000
	_, err := e.Process(context.Background(), sourceOf(picture), imaging.Operations{}, limits)
	if fault.CodeOf(err) != fault.TooLarge {
		t.Errorf("over MaxSourceBytes: %v", err)
	}
	src := sourceOf(picture)
	src.Size = -1
	_, err = e.Process(context.Background(), src, imaging.Operations{}, limits)
	if fault.CodeOf(err) != fault.TooLarge {
		t.Errorf("over MaxSourceBytes, size unknown: %v", err)
	}
}

func TestContextEnds(t *testing.T) {
	e := open(t)
	data := jpegOf(t, noise(3000, 2000))
	ops := imaging.Operations{Filters: "format(png):compression(9)"}
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := e.Process(canceled, sourceOf(data), ops, imaging.Limits{}); fault.CodeOf(err) != fault.Canceled {
		t.Errorf("canceled before: %v", err)
	}
	late, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond) // the whole job takes far longer
	defer cancel()
	if _, err := e.Process(late, sourceOf(data), ops, imaging.Limits{}); fault.CodeOf(err) != fault.Timeout {
		t.Errorf("deadline: %v", err)
	}
	// over, and estimated to be over
	for timeout, want := range map[time.Duration]fault.Code{
		time.Nanosecond: fault.Timeout, time.Second: fault.TooLarge} {
		if _, err := e.Process(context.Background(), sourceOf(data), ops,
			imaging.Limits{Timeout: timeout}); fault.CodeOf(err) != want {
			t.Errorf("timeout of %v: %v, expected %s", timeout, err, want)
		}
	}
	if _, err := e.Process(context.Background(), sourceOf(data), imaging.Operations{Width: 10},
		imaging.Limits{}); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestCloseRefuses(t *testing.T) {
	e := open(t)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Process(context.Background(), sourceOf(jpegOf(t, noise(8, 8))), imaging.Operations{},
		imaging.Limits{}); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("after Close: %v", err)
	}
}

// TestTransparentEdges resizes a white disc on transparent black: no pixel that shows may be
// darker than white.
func TestTransparentEdges(t *testing.T) {
	disc := stdimage.NewNRGBA(stdimage.Rect(0, 0, 200, 200))
	for y := range 200 {
		for x := range 200 {
			if (x-100)*(x-100)+(y-100)*(y-100) < 80*80 {
				disc.SetNRGBA(x, y, color.NRGBA{255, 255, 255, 255})
			}
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, disc); err != nil {
		t.Fatal(err)
	}
	res, err := open(
		t,
	).Process(context.Background(), sourceOf(b.Bytes()), imaging.Operations{Width: 61, Filters: "format(png)"},
		imaging.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := png.Decode(bytes.NewReader(res.Data))
	if err != nil {
		t.Fatal(err)
	}
	for y := range 61 {
		for x := range 61 {
			c := color.NRGBAModel.Convert(out.At(x, y)).(color.NRGBA)
			if c.A > 16 && c.R < 235 {
				t.Fatalf("the pixel %d,%d is %v, a dark fringe", x, y, c)
			}
		}
	}
}

// TestFailed holds which fault a job ends with for the errors of imaging/pixels.
func TestFailed(t *testing.T) {
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		err  error
		want fault.Code
	}{
		{t.Context(), pixels.ErrMemory, fault.TooLarge},
		{t.Context(), fmt.Errorf("scaling: %w", pixels.ErrMemory), fault.TooLarge},
		{t.Context(), pixels.ErrDamaged, fault.CorruptImage},
		{stopped, pixels.ErrStopped, fault.Canceled},
		{t.Context(), fault.New(fault.Invalid, "a fault"), fault.Invalid},
	} {
		if got := fault.CodeOf((&job{ctx: c.ctx}).failed(c.err)); got != c.want {
			t.Errorf("%v: %s, expected %s", c.err, got, c.want)
		}
	}
	for _, err := range []error{pixels.ErrUnsupported, pixels.ErrDamaged, pixels.ErrMemory, nil} {
		if elseLibvips(err) != nil {
			t.Errorf("%v is not left to libvips", err)
		}
	}
}

// TestNoThreads checks that a failure is not blamed on the picture while the system has no threads left.
func TestNoThreads(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can leave one thread of a process without further ones")
	}
	var before unix.Rlimit
	if err := unix.Prlimit(0, unix.RLIMIT_NPROC, nil, &before); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // and never unlocks it: the thread ends with the goroutine
		const nobody = 65534
		if _, _, code := unix.RawSyscall(unix.SYS_SETRESUID, nobody, nobody, nobody); code != 0 {
			ended <- code
			return
		}
		if err := unix.Prlimit(0, unix.RLIMIT_NPROC, &unix.Rlimit{Cur: 0, Max: before.Max}, nil); err != nil {
			ended <- err
			return
		}
		ended <- (&job{ctx: t.Context()}).failed(pixels.ErrDamaged)
	}()
	err := <-ended
	if err := unix.Prlimit(0, unix.RLIMIT_NPROC, &before, nil); err != nil {
		t.Fatal(err)
	}
	if fault.CodeOf(err) != fault.Unavailable || fault.Of(err).RetryAfter == 0 {
		t.Errorf("%v, expected UNAVAILABLE with RetryAfter", err)
	}
}
