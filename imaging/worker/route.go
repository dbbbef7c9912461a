//go:build linux

package worker

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/safelight/safelight/imaging"
)

// Trusted returns the formats whose decoders have been under continuous fuzzing for many years, in small C libraries
// that do one thing. AVIF and HEIF are not among them, stills neither: only their decoder tells a sequence from a
// still.
func Trusted() []imaging.Format {
	return []imaging.Format{imaging.JPEG, imaging.PNG, imaging.WebP, imaging.GIF}
}

// What of trusted formats goes to a worker all the same.
const (
	maxCalls = 16      // filters of all levels: each adds to the depth of libvips' stack
	maxSide  = 1 << 16 // pixels of a PNG's side: the others' headers have no room for more
)

// Untrusted returns the formats that Risky leaves to workers, of those that engines read.
func Untrusted() []imaging.Format {
	return []imaging.Format{
		imaging.AVIF,
		imaging.HEIF,
		imaging.TIFF,
		imaging.JXL,
		imaging.JP2,
		imaging.SVG,
		imaging.PDF,
		imaging.BMP,
	}
}

// isTrusted says whether the work may be done in this process.
func (p *Pool) isTrusted(src imaging.Source, ops imaging.Operations) bool {
	if p.mode == All || countCalls(ops.Filters) > maxCalls || !isTrusted(src) {
		return false
	}
	for _, layer := range src.Layers {
		if !isTrusted(layer) {
			return false
		}
	}
	return true
}

// countCalls counts the filters of a list and of nested lists, roughly: by parentheses.
func countCalls(f imaging.Filters) int { return strings.Count(string(f), "(") }

// isTrusted looks at the first bytes of the source, which it leaves at its start.
func isTrusted(src imaging.Source) bool {
	if src.Canvas != nil || src.Reader == nil {
		return true
	}
	head, err := headOf(src)
	if err != nil {
		return false
	}
	f := imaging.SniffFormat(head)
	if f == imaging.PNG && len(head) >= 24 {
		return binary.BigEndian.Uint32(head[16:]) < maxSide && binary.BigEndian.Uint32(head[20:]) < maxSide
	}
	return slices.Contains(Trusted(), f)
}

// isDrawing says whether the source or one of its layers is an SVG: no kill flag stops its renderer, and no estimate
// bounds what it computes.
func isDrawing(src imaging.Source) bool {
	if src.Canvas == nil && src.Reader != nil {
		if head, err := headOf(src); err == nil && imaging.SniffFormat(head) == imaging.SVG {
			return true
		}
	}
	for _, layer := range src.Layers {
		if isDrawing(layer) {
			return true
		}
	}
	return false
}

// headOf returns the first bytes of the source, which it leaves at its start.
func headOf(src imaging.Source) ([]byte, error) {
	if m, ok := src.Reader.(interface{ Bytes() []byte }); ok {
		return m.Bytes(), nil
	}
	return imaging.ReadHead(src.Reader)
}
