package imaging

import (
	"bytes"
	"math"
	"slices"
	"strings"
)

// FormatTraits is one row of the table of formats: everything that Safelight knows about a format, except how to
// process its pixels.
type FormatTraits struct {
	Format      Format
	Aliases     []string // names and extensions besides the format's own name
	ContentType string
	Extension   string // usual file extension without a dot

	Loader   string // name of libvips' loader, without _source; empty: never read
	Frames   bool   // pages are frames of an animation
	Pages    bool   // page() selects one of its pages
	Shrinks  bool   // decodes at 1/2, 1/4 and 1/8
	Scales   bool   // decodes stills at any smaller scale
	Vector   bool   // drawn at any size
	Oriented bool   // EXIF gives the orientation; otherwise the loader has already applied it
	Common   bool   // isolation "risky" decodes it in the server

	Saver    string // name of libvips' saver, without _buffer; empty: never written
	Options  string // constant options of the saver
	Watched  bool   // the encoder is slow between rows, so it writes to a target that can be stopped
	Bare     bool   // a libvips option omits metadata that was not requested
	Buffered bool   // the encoder reads rows more than once or must not be stopped, so it gets pixels in memory
	Animates bool   // browsers play it
	Opaque   bool   // cannot hold transparency
	Gray     bool   // files may have a single band
	Bleeds   bool   // hidden colors of fully transparent pixels show at edges
	Exact    bool   // the encoder is lossless
	Profiles bool   // files can contain a colour profile

	Quality        int          // default quality of the encoder, QualityScale.At(DefaultQuality); 0: it has no quality
	QualityScale   QualityScale // maps the quality of URLs to that of the encoder
	Effort         int          // default effort of the encoder; 0: it has no effort
	FastEffort     int          // effort at speeds Fast and Best; for PNG the zlib level; 0: the default
	BestEffort     int
	PreviewEffort  int  // effort of previews plus 1; 0: the default
	Lossless       bool // lossless() is supported
	LosslessEffort int  // 0: as always
	MaxSide        int  // max side in pixels of the format or its encoder
	MaxPixels      int  // max pixels of all frames for lossy encoding; 0: no limit of its own
	MaxExactPixels int  // max pixels of all frames for lossless encoding; 0: no limit of its own

	CPU, Memory Rates // fitted costs of reading and writing; see imaging/cost

	matches func(head []byte) bool
}

// Rates are costs per unit of a term, by name: milliseconds of CPU, or bytes of memory.
type Rates map[string]float64

// formatTable contains every format. The default qualities of the encoders look alike. AVIF's effort 1 is the
// encoder's speed 8. The pixel limits are for encoders that cannot be stopped, which keep each of them below about 6
// s, and for JPEG XL, which needs 40 bytes per pixel.
var formatTable = []FormatTraits{
	{
		Format:      JPEG,
		Aliases:     []string{"jpg", "jpe", "jfif"},
		ContentType: "image/jpeg",
		Extension:   "jpg",
		matches:     magic("\xFF\xD8\xFF"),
		Loader:      "jpegload",
		Shrinks:     true,
		Oriented:    true,
		Common:      true,
		Saver:       "jpegsave",
		Options:     "optimize_coding=true",
		Gray:        true,
		Quality:     80,
		MaxSide:     65535,
		Bare:        true,
		Opaque:      true,
		Profiles:    true,
		CPU:         Rates{"bytes": 10.3, "read": 0.512, "write": 9.86},
		Memory: Rates{
			"cache":        0.965,
			"coefficients": 1.02,
			"write":        0.744,
			"write.cmyk":   2.1,
		},
	},
	{Format: PNG, ContentType: "image/png", Extension: "png", matches: magic("\x89PNG\r\n\x1A\n"),
		Loader: "pngload", Oriented: true, Common: true,
		Saver: "pngsave", Options: "filter=all", Gray: true, FastEffort: 3, BestEffort: 9, Watched: true,
		MaxSide: 1 << 24, Bare: true, Exact: true, Profiles: true,
		CPU: Rates{"read": 14, "write": 106, "write.large": 256},
		Memory: Rates{
			"cache":        0.645,
			"deflate":      670_000,
			"deflate.best": 9_100_000,
		}},
	{Format: WebP, ContentType: "image/webp", Extension: "webp", matches: func(h []byte) bool {
		return len(h) >= 12 && string(h[:4]) == "RIFF" && string(h[8:12]) == "WEBP"
	},
		Loader: "webpload", Frames: true, Pages: true, Scales: true, Oriented: true, Common: true,
		Saver: "webpsave", Effort: 4, FastEffort: 2, BestEffort: 6, PreviewEffort: 1, Quality: 79, MaxSide: 16383,
		MaxExactPixels: 8_000_000, Bare: true, Buffered: true, Animates: true, Profiles: true, Lossless: true,
		QualityScale: QualityScale{
			{1, 1},
			{10, 5},
			{35, 30},
			{50, 42},
			{65, 58},
			{80, 79},
			{90, 88},
			{95, 94},
			{100, 100},
		},
		CPU: Rates{"bytes": 68.4, "read": 2.34, "write": 98.8, "write.lossless": 1.16e+03},
		Memory: Rates{
			"frame":          2.82,
			"frames":         1.19,
			"write":          1.31,
			"write.alpha":    7.78,
			"write.lossless": 80,
		}},
	{Format: GIF, ContentType: "image/gif", Extension: "gif", matches: magic("GIF87a", "GIF89a"),
		Loader: "gifload", Frames: true, Pages: true, Common: true,
		Saver: "gifsave", Effort: 7, MaxSide: 65535, Animates: true, Exact: true,
		CPU: Rates{"bytes": 6.53, "write": 169, "write.thorough": 660},
		Memory: Rates{
			"cache":      1.33,
			"encoder":    1_270_000,
			"frame":      1.35,
			"write":      8.47,
			"write.same": 9.31,
		}},
	{
		Format:         AVIF,
		ContentType:    "image/avif",
		Extension:      "avif",
		matches:        func(h []byte) bool { return sniffHEIF(h) == AVIF },
		Loader:         "heifload",
		Saver:          "heifsave",
		Options:        "compression=av1,bitdepth=8",
		Bleeds:         true,
		Effort:         1,
		BestEffort:     3,
		Quality:        63,
		MaxSide:        16384,
		MaxPixels:      24_000_000,
		MaxExactPixels: 24_000_000,
		Bare:           true,
		Buffered:       true,
		Profiles:       true,
		Lossless:       true,
		QualityScale: QualityScale{
			{1, 8},
			{10, 22},
			{20, 33},
			{35, 41},
			{50, 46},
			{60, 50},
			{70, 55},
			{80, 63},
			{90, 77},
			{95, 88},
			{100, 100},
		},
		CPU: Rates{"bytes": 219, "read": 18.6, "write": 135},
		Memory: Rates{
			"encoder": 2_860_000,
			"frame":   2.83,
			"write":   9.72,
		},
	},
	{
		Format:      TIFF,
		Aliases:     []string{"tif"},
		ContentType: "image/tiff",
		Extension:   "tif",
		matches:     magic("II*\x00", "MM\x00*", "II+\x00", "MM\x00+"),
		Loader:      "tiffload",
		Pages:       true,
		Oriented:    true,
		Saver:       "tiffsave",
		Options:     "compression=deflate,predictor=horizontal",
		Gray:        true,
		MaxSide:     65535,
		Profiles:    true,
		CPU:         Rates{"bytes": 3.52, "write": 176},
		Memory:      Rates{"cache": 0.922, "frame": 0.167},
	},
	{
		Format:         JXL,
		ContentType:    "image/jxl",
		Extension:      "jxl",
		matches:        magic("\xFF\x0A", "\x00\x00\x00\x0CJXL \r\n\x87\n"),
		Loader:         "jxlload",
		Saver:          "jxlsave",
		Gray:           true,
		Bleeds:         true,
		Effort:         4,
		LosslessEffort: 3,
		Quality:        77,
		MaxSide:        65535,
		MaxPixels:      24_000_000,
		MaxExactPixels: 24_000_000,
		Bare:           true,
		Profiles:       true,
		Lossless:       true,
		QualityScale: QualityScale{
			{1, 1},
			{10, 8},
			{20, 22},
			{35, 45},
			{50, 59},
			{65, 67},
			{80, 77},
			{90, 88},
			{95, 94},
			{100, 100},
		},
		CPU: Rates{"bytes": 113, "read": 21.9, "write": 79.4},
		Memory: Rates{
			"encoder": 12_000_000,
			"frame":   1.92,
			"frames":  0.111,
			"open":    7_800_000,
			"write":   23,
		},
	},
	{
		Format:       JP2,
		Aliases:      []string{"j2k", "jpx", "jpeg2000"},
		ContentType:  "image/jp2",
		Extension:    "jp2",
		matches:      magic("\x00\x00\x00\x0CjP  \r\n\x87\n", "\xFF\x4F\xFF\x51"),
		Loader:       "jp2kload",
		Saver:        "jp2ksave",
		Options:      "subsample-mode=off",
		Bleeds:       true,
		Quality:      40,
		MaxSide:      65535,
		Bare:         true,
		Lossless:     true,
		QualityScale: QualityScale{{1, 20}, {10, 27}, {35, 33}, {50, 35}, {80, 40}, {90, 42}, {95, 48}, {100, 100}},
		CPU:          Rates{"bytes": 316, "read": 24.9, "write": 175},
		Memory: Rates{
			"cache":   1.99,
			"encoder": 3_340_000,
			"frame":   0.115,
			"open":    4_040_000,
			"tile":    6.65,
		},
	},
	{
		Format:         HEIF,
		Aliases:        []string{"heic"},
		ContentType:    "image/heif",
		Extension:      "heic",
		matches:        func(h []byte) bool { return sniffHEIF(h) == HEIF },
		Loader:         "heifload",
		Saver:          "heifsave",
		Options:        "compression=hevc,bitdepth=8",
		Bleeds:         true,
		Effort:         4,
		Quality:        50,
		MaxSide:        16384,
		MaxPixels:      8_000_000,
		MaxExactPixels: 8_000_000,
		Bare:           true,
		Buffered:       true,
		Profiles:       true,
		Lossless:       true,
		QualityScale:   QualityScale{{1, 1}, {80, 50}, {100, 100}},
		CPU:            Rates{"read": 20},
		// These are the rates of AVIF, because they were not measured for this format.
		Memory: Rates{"encoder": 7_400_000, "frame": 2.8, "write": 10},
	},
	{Format: PDF, ContentType: "application/pdf", Extension: "pdf", matches: magic("%PDF-"),
		Loader: "pdfload", Vector: true, Pages: true, Profiles: true,
		CPU: Rates{"read": 30}, Memory: Rates{"cache": 3.37, "frame": 3.7}}, // not fitted
	{
		Format:      BMP,
		ContentType: "image/bmp",
		Extension:   "bmp",
		Opaque:      true,
		Exact:       true,
		Profiles:    true,
		matches: func(h []byte) bool {
			return len(h) >= 18 && string(h[:2]) == "BM" && h[14] >= 12 && bytes.Equal(h[6:10], make([]byte, 4))
		},
		Loader: "bmp", // our own loader instead of libvips'; see imaging/vips/decode_bmp.go
		CPU:    Rates{"read": 8},
		Memory: Rates{"cache": 0.238, "frame": 0.386, "frames": 0.17},
	},
	{Format: SVG, ContentType: "image/svg+xml", Extension: "svg", matches: isSVG,
		Loader: "svgload", Vector: true, Profiles: true,
		CPU:    Rates{"bytes": 23.8, "read": 16.5},
		Memory: Rates{"cache": 6.43, "frame": 3.56}},
}

// noTraits is the row of an unknown format.
var noTraits = FormatTraits{Profiles: true}

// Traits returns the format's row of the table; for an unknown format, a row without a name.
func (f Format) Traits() FormatTraits { return *f.traits() }

func (f Format) traits() *FormatTraits {
	for n := range formatTable {
		if formatTable[n].Format == f {
			return &formatTable[n]
		}
	}
	return &noTraits
}

// Formats returns the table of formats, with writable formats first, in the order in which they are offered.
func Formats() []FormatTraits { return slices.Clone(formatTable) }

// ParseFormat reads a format's name or usual file extension, with or without a dot; ok is false if it is unknown.
func ParseFormat(s string) (f Format, ok bool) {
	s = strings.ToLower(strings.TrimPrefix(s, "."))
	for n := range formatTable {
		if t := &formatTable[n]; string(t.Format) == s || slices.Contains(t.Aliases, s) {
			return t.Format, true
		}
	}
	return Format(s), false
}

// ContentType returns the format's media type; empty for an unknown format.
func (f Format) ContentType() string { return f.traits().ContentType }

// Extension returns the usual file extension without a dot.
func (f Format) Extension() string {
	if t := f.traits(); t.Format == f {
		return t.Extension
	}
	return string(f)
}

// CanAnimate reports whether the format can hold animations that browsers play.
func (f Format) CanAnimate() bool { return f.traits().Animates }

// HasAlpha reports whether the format can hold transparency.
func (f Format) HasAlpha() bool { return !f.traits().Opaque }

// IsLossy reports whether the format's encoder loses detail.
func (f Format) IsLossy() bool { return !f.traits().Exact }

// QualityScale maps the quality of URLs, which is that of JPEG, to an encoder's quality that looks similar. It
// consists of points in ascending order, with linear interpolation in between.
type QualityScale [][2]float64

// At returns the encoder's quality for a URL's quality of 1..100. An empty scale changes nothing.
func (s QualityScale) At(quality int) int {
	q := float64(quality)
	before := [2]float64{1, 1}
	for _, p := range s {
		if q <= p[0] {
			if p[0] == before[0] {
				return int(math.Round(p[1]))
			}
			return int(math.Round(before[1] + (p[1]-before[1])*(q-before[0])/(p[0]-before[0])))
		}
		before = p
	}
	return quality
}
