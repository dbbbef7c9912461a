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

// The formats. The engine decides which of them a build reads and writes.
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

// Engine turns pictures into pictures. Its methods are safe for concurrent use, never panic, stop within about 200 ms
// of the end of ctx if the codec allows it, and return fault errors: Invalid, TooLarge, UnsupportedType,
// UnsupportedFormat, CorruptImage, Timeout, Canceled.
type Engine interface {
	// Process applies ops to the picture of src and encodes the result.
	Process(ctx context.Context, src Source, ops Operations, limits Limits) (*Result, error)
	// Info describes the result of req.Operations without encoding it. It reads pixels only if req needs them.
	Info(ctx context.Context, src Source, req InfoRequest, limits Limits) (*Info, error)
	// Survey reads the header of a picture, without pixels. A canvas has none.
	Survey(ctx context.Context, src Source, limits Limits) (Header, error)
	// Formats returns the formats that this build writes.
	Formats() []Format
	// Efforts returns the encoder efforts that the operator has chosen, by format; 0: the format's default.
	Efforts() map[Format]int
	// Version names the engine and the libraries that affect the pixels. It is part of ETags.
	Version() string
}

// Source holds the bytes of a picture. Reader is read from its start, by one call at a time. It is nil if Canvas is
// set.
type Source struct {
	Name string // image path, for messages and downloads
	Size int64  // bytes; -1: unknown
	// Version identifies the picture and its exact bytes; empty if unknown. Engines may cache decoded pixels by it.
	Version string
	Reader  io.ReadSeeker // a reader that BytesOf supports, such as a MemoryFile, is not copied
	Canvas  *Colour       // a solid canvas instead of a file
	Pixels  *Pixels       // decoded pixels of this Version; an engine that cannot use them decodes the file itself

	// Layers holds the pictures that image() and watermark() name, including nested ones, by the image in their path.
	// Canvases can be omitted. A missing picture results in fault.NotFound.
	Layers map[string]Source

	// Fonts are fonts that are not installed, for texts of Operations. Only an engine that uses other processes loads
	// them, into processes that draw nothing else. An engine that does not load them draws texts in a similar font.
	Fonts []Font
}

// Options are decided by the operator or the client's headers rather than by the URL.
type Options struct {
	Strict     bool     // return an error where there would be a warning
	AutoFormat []Format // formats that the client prefers, best first; nil: the source's format
	// Accept holds the formats besides JPEG, PNG and GIF that the client supports, best first, for format(auto) and
	// format(best).
	Accept []Format
	// Shown holds the formats besides JPEG, PNG and GIF that the client supports; nil: any. A source in another format
	// is converted to JPEG, PNG or GIF.
	Shown    []Format
	AllowPDF bool
	Linear   bool // scale in linear light, as scaling(linear) and speed(best) do
	// KeepMetadata applies keep_metadata() to every picture.
	KeepMetadata bool
	Threads      int // for this picture, if the engine supports that; 0: the engine's default
}

// Limits holds the limits of one job. A zero field is no limit, except for the booleans in Options.
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

// Timing holds the times of one job; zero if the engine does not report them.
type Timing struct {
	// Process is the time before encoding. JPEG and PNG are written while they are decoded, so Encode includes most of
	// the decoding.
	Process, Encode time.Duration
	BytesRead       int64 // of the source
}

// Memory is the memory that an engine holds for pixels.
type Memory struct {
	Bytes       int64 // held now
	Highwater   int64 // the max that was held
	Allocations int64 // blocks held now
	Files       int64 // files that libvips has open now
}

// MemoryReporter is an Engine that can report the memory held by all engines of the process together.
type MemoryReporter interface{ Memory() Memory }

// InfoRequest selects what to find out beyond the header.
type InfoRequest struct {
	Operations Operations // its metadata filters are applied, too
	// Sample is for a JPEG that Operations scale to a small size: the pixels may come from a suitable thumbnail in its
	// EXIF data. Sizes are still the upright sizes of the file, and no file is too large.
	Sample bool
}

// Info is the JSON response of /meta. Fields that can be omitted are set only if a metadata filter requests them and
// the picture has them.
type Info struct {
	Format       Format         `json:"format"`
	ContentType  string         `json:"content_type"`
	Width        int            `json:"width"`
	Height       int            `json:"height"`
	Orientation  int            `json:"orientation"` // EXIF orientation of the source, 1 to 8; 1 if it has none
	Pages        int            `json:"pages"`
	Bands        int            `json:"bands"`
	Exif         map[string]any `json:"exif"`
	BlurHash     string         `json:"blurhash,omitempty"`
	ThumbHash    string         `json:"thumbhash,omitempty"`
	AverageColor *RGB           `json:"average_color,omitempty"`

	// Palette has at most as many colours as requested, the largest share first. It is empty, but not nil, for a
	// picture without visible pixels.
	Palette       []PaletteColour `json:"palette,omitzero"`
	DominantColor *RGB            `json:"dominant_color,omitempty"`
	PHash         string          `json:"phash,omitempty"`  // 16 hexadecimal digits
	SHA256        string          `json:"sha256,omitempty"` // SHA-256 of the source's bytes, in hexadecimal
	LQIP          string          `json:"lqip,omitempty"`   // a data URI of at most 400 bytes
	// IPTC maps a name to a string, or to a []string if IPTC allows the dataset to be repeated.
	IPTC map[string]any `json:"iptc,omitempty"`
	XMP  string         `json:"xmp,omitempty"` // UTF-8, at most 256 KiB
	ICC  string         `json:"icc,omitempty"` // name of the source's colour profile

	Warnings []Warning `json:"-"`
}

// PaletteColour is a colour of a palette. Share is the fraction of the visible picture that it represents, 0..1,
// rounded to 4 decimals.
type PaletteColour struct {
	RGB
	Share float64 `json:"share"`
}

// RGB is an opaque sRGB colour, 0..255 per channel.
type RGB struct {
	R uint8 `json:"r"`
	G uint8 `json:"g"`
	B uint8 `json:"b"`
}

// WorkerStats are the figures of an engine that works in other processes. The counters only grow.
type WorkerStats struct {
	Running, Idle, Limit int               // processes
	Bytes                int64             // memory of the processes: their proportional set size
	Started              uint64            // processes
	Retired              uint64            // processes that ended as planned: after idling or a certain amount of work
	Lost                 map[string]uint64 // processes that ended unexpectedly, by reason; contains every reason
	Refused              uint64            // pictures that were refused because they had crashed workers before
}

// WorkerReporter is an Engine that works in other processes.
type WorkerReporter interface {
	Workers() WorkerStats
	// Ready returns fault.Unavailable while processes cannot be started.
	Ready() error
}

// MemoryFile is a file in memory as the Reader of a Source. Engines use the bytes without a copy.
type MemoryFile struct {
	*bytes.Reader
	data []byte
}

// NewMemoryFile returns a file of data, which must not be changed while it is in use.
func NewMemoryFile(data []byte) MemoryFile { return MemoryFile{bytes.NewReader(data), data} }

// Bytes returns the whole file, which must not be changed.
func (m MemoryFile) Bytes() []byte { return m.data }

// BytesOf returns the whole content of a reader that has a method Bytes() []byte. The content must not be changed. ok
// is false for other readers.
func BytesOf(r io.Reader) (data []byte, ok bool) {
	m, ok := r.(interface{ Bytes() []byte })
	if !ok {
		return nil, false
	}
	return m.Bytes(), true
}

// Ended returns fault.Timeout or fault.Canceled for the named picture if ctx has ended, else nil.
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

// TimedOut returns a fault.Timeout for the named picture. The cause may be nil.
func TimedOut(cause error, name string) error {
	return fault.Wrap(cause, fault.Timeout, "Processing %s took longer than its limit", name)
}

// NoThreads returns a fault.Unavailable for the named picture, because the system had no threads left, to be tried again
// after wait. The cause may be nil.
func NoThreads(cause error, name string, wait time.Duration) error {
	f := fault.Wrap(cause, fault.Unavailable, "there were no threads left to process %s, try again later", name)
	f.RetryAfter = wait
	return f
}

// Canceled returns a fault.Canceled for the named picture. The cause may be nil.
func Canceled(cause error, name string) error {
	return fault.Wrap(cause, fault.Canceled, "Processing %s was canceled", name)
}
