package imaging

import (
	"bytes"
	"context"
	"io"
	"time"

	"github.com/safelight/safelight/fault"
)

// Format is a picture format, by its usual lower-case name.
type Format string

// The formats. Which of them a build reads and writes is the engine's to say.
const (
	JPEG Format = "jpeg"
	PNG  Format = "png"
	GIF  Format = "gif"
	WebP Format = "webp"
	AVIF Format = "avif"
	HEIF Format = "heif"
	TIFF Format = "tiff"
	JXL  Format = "jxl"
	JP2  Format = "jp2"
	SVG  Format = "svg"
	PDF  Format = "pdf"
	BMP  Format = "bmp"
)

// Engine turns pictures into pictures. Its methods are safe for concurrent use, never panic,
// stop within about 200 ms of ctx's end where the codec allows it, and return fault errors:
// Invalid, TooLarge, UnsupportedType, UnsupportedFormat, CorruptImage, Timeout, Canceled.
type Engine interface {
	// Process applies ops to the picture of src and encodes the result.
	Process(ctx context.Context, src Source, ops Operations, limits Limits) (*Result, error)
	// Info describes the result of ops without encoding it; it reads pixels only when ops or
	// req need them.
	Info(ctx context.Context, src Source, req InfoRequest, limits Limits) (*Info, error)
	// Formats returns what this build writes.
	Formats() []Format
	// Version names the engine and the libraries that decide its pixels; it is part of ETags.
	Version() string
}

// Source is the bytes of a picture. Reader is read from its start, by one call at a time; nil
// together with a Canvas.
type Source struct {
	Name string // for messages and downloads; the image path
	Size int64  // bytes; -1 when unknown
	// Version names the picture and its very bytes; empty when it is unknown. Engines may keep what they
	// decoded under it.
	Version string
	Reader  io.ReadSeeker // one that BytesOf knows, such as a MemoryFile, need not be copied
	Canvas  *Colour       // a solid canvas instead of a file
	Pixels  *Pixels       // of this Version, decoded; an engine that has no use for them decodes

	// Layers holds the pictures that image() and watermark() name, nested ones too, by the image of
	// their path; a canvas need not be there. One that is missing is fault.NotFound.
	Layers map[string]Source

	// Fonts are fonts that are not installed, for texts of Operations. Only an engine that works in other processes
	// loads them, into processes that draw nothing else; texts in an engine without them have a similar font.
	Fonts []Font
}

// Options is what the operator or the client's headers decide, not the URL.
type Options struct {
	Strict     bool     // refuse what would be a warning
	AutoFormat []Format // formats that the client prefers, best first; nil: source format
	// formats that the client shows besides JPEG, PNG and GIF, best first: for format(auto) and format(best)
	Accept []Format
	// The formats that the client shows besides JPEG, PNG and GIF; nil: any. A source in another format becomes one of
	// these three.
	Shown    []Format
	AllowPDF bool
	Linear   bool // resize in linear light, as speed(best) does
	// KeepMetadata is keep_metadata() for every picture.
	KeepMetadata bool
	Threads      int // for this picture, where the engine can; 0 is the engine's own number
}

// Limits bounds one job. A zero field is no limit, but for the booleans in Options.
type Limits struct {
	Options
	MaxSourcePixels int64 // width x height x frames, from the header
	MaxSourceBytes  int64
	MaxResultSide   int
	MaxResultPixels int64
	MaxFrames       int
	MaxLayers       int
	MaxDepth        int // nesting of layers
	Timeout         time.Duration
}

// Result is an encoded picture.
type Result struct {
	Data          []byte `json:"-"`
	ContentType   string
	Format        Format
	Width, Height int // pixels, of one frame
	Pages         int // frames; 1 for a still
	Route         Route
	Warnings      []Warning
	Timing        Timing
}

// Timing is where the time of one job went; zero when the engine does not tell.
type Timing struct {
	// Process is the time before encoding. JPEG and PNG are written while they are decoded: for them,
	// most of the decoding is in Encode.
	Process, Encode time.Duration
	BytesRead       int64 // of the source
}

// Memory is what an engine holds for pixels.
type Memory struct {
	Bytes       int64 // held now
	Highwater   int64 // the most that was held
	Allocations int64 // blocks held now
	Files       int64 // that libvips has open now
}

// Surveyor is an Engine that can read the header of a picture cheaply.
type Surveyor interface {
	Survey(ctx context.Context, src Source, limits Limits) (Header, error)
}

// MemoryReporter is an Engine that can tell what memory it holds, of all engines of the process together.
type MemoryReporter interface{ Memory() Memory }

// InfoRequest says what to find out beyond the header.
type InfoRequest struct {
	Operations Operations // metadata filters among its filters are obeyed
	// Sample is for a JPEG that Operations fit to a small size: its pixels may be those of a fitting thumbnail in its
	// EXIF data. Sizes are those of the file, upright, and none is too large.
	Sample bool
}

// Info is what /meta answers, in its JSON shape. What omits itself is there only when a metadata
// filter asked for it and the picture has it.
type Info struct {
	Format       Format         `json:"format"`
	ContentType  string         `json:"content_type"`
	Width        int            `json:"width"`
	Height       int            `json:"height"`
	Orientation  int            `json:"orientation"` // EXIF 1..8 of the source, 1 when it has none
	Pages        int            `json:"pages"`
	Bands        int            `json:"bands"`
	Exif         map[string]any `json:"exif"`
	BlurHash     string         `json:"blurhash,omitempty"`
	ThumbHash    string         `json:"thumbhash,omitempty"`
	AverageColor *RGB           `json:"average_color,omitempty"`

	// Palette has at most as many colours as asked for, the largest share first; it is empty, not
	// nil, for a picture in which nothing is visible.
	Palette       []PaletteColour `json:"palette,omitzero"`
	DominantColor *RGB            `json:"dominant_color,omitempty"`
	PHash         string          `json:"phash,omitempty"`  // 16 hexadecimal digits
	SHA256        string          `json:"sha256,omitempty"` // of the source's bytes, in hexadecimal
	LQIP          string          `json:"lqip,omitempty"`   // a data URI of at most 400 bytes
	// IPTC maps a name to a string, or to a []string where IPTC lets the dataset be repeated.
	IPTC map[string]any `json:"iptc,omitempty"`
	XMP  string         `json:"xmp,omitempty"` // UTF-8, at most 256 KiB
	ICC  string         `json:"icc,omitempty"` // what the source's colour profile calls itself

	Warnings []Warning `json:"-"`
}

// PaletteColour is a colour of a palette. Share is the part of the visible picture that it stands
// for, 0..1, rounded to 4 decimals.
type PaletteColour struct {
	RGB
	Share float64 `json:"share"`
}

// RGB is an opaque sRGB colour, 0..255 a channel.
type RGB struct {
	R uint8 `json:"r"`
	G uint8 `json:"g"`
	B uint8 `json:"b"`
}

// WorkerStats are the figures of an engine whose work is done in other processes. The counters only grow.
type WorkerStats struct {
	Running, Idle, Limit int               // processes
	Bytes                int64             // that they take: their proportional share, as the kernel says
	Started              uint64            // processes
	Retired              uint64            // that ended as planned: idle for long, or after so much work
	Lost                 map[string]uint64 // that did not, by reason; every reason is there
	Refused              uint64            // pictures that were refused because they broke workers before
}

// WorkerReporter is an Engine whose work is done in other processes.
type WorkerReporter interface {
	Workers() WorkerStats
	// Ready returns fault.Unavailable while no process can be started.
	Ready() error
}

// MemoryFile is a file in memory as the Reader of a Source. Engines use the bytes where they are.
type MemoryFile struct {
	*bytes.Reader
	data []byte
}

// NewMemoryFile returns a file of data, which must not be changed while it is in use.
func NewMemoryFile(data []byte) MemoryFile { return MemoryFile{bytes.NewReader(data), data} }

// Bytes returns all of the file, which must not be changed.
func (m MemoryFile) Bytes() []byte { return m.data }

// BytesOf returns all that a reader with Bytes() []byte has, which must not be changed; ok is false for other readers.
func BytesOf(r io.Reader) (data []byte, ok bool) {
	m, ok := r.(interface{ Bytes() []byte })
	if !ok {
		return nil, false
	}
	return m.Bytes(), true
}

// Ended returns the fault of processing that picture in a context that has ended, fault.Timeout or fault.Canceled; nil
// while the context goes on.
func Ended(ctx context.Context, name string) error {
	switch err := ctx.Err(); {
	case err == nil:
		return nil
	case err == context.DeadlineExceeded || context.Cause(ctx) == context.DeadlineExceeded:
		return TimedOut(err, name)
	default:
		return Canceled(err, name)
	}
}

// TimedOut returns the fault.Timeout of processing that picture. The cause may be nil.
func TimedOut(cause error, name string) error {
	return fault.Wrap(cause, fault.Timeout, "Processing %s took longer than its limit", name)
}

// Canceled returns the fault.Canceled of processing that picture. The cause may be nil.
func Canceled(cause error, name string) error {
	return fault.Wrap(cause, fault.Canceled, "Processing %s was canceled", name)
}
