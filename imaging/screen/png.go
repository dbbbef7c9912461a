package screen

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"io"
	"math"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/container"
)

// What a PNG may carry besides pixels. Text beyond these limits is skipped, because no result shows it, but libpng
// would inflate and keep all of it.
const (
	maxPNGTexts   = 32       // chunks of text and of unknown kinds
	maxPNGText    = 64 << 10 // bytes of such a chunk
	maxPNGZipped  = 1 << 10  // bytes of compressed text, which inflate to at most a megabyte
	maxPNGXMP     = 4 << 20  // bytes, inflated
	maxPNGEXIF    = 1 << 20  // bytes
	maxPNGProfile = 16 << 20 // bytes, inflated
	maxPNGChunks  = 200_000
	maxDeflate    = 1032 // max bytes to which one byte inflates

	// Deflate never makes data twice as long; the additional room is for very small pictures. libpng inflates all of
	// it, even if there are few pixels.
	maxPNGGrowth = 2
	maxPNGExtra  = 64 << 10

	maxPNGRest = 64 << 10 // bytes after a header that a decoder gets to read the header
)

const xmpKey = "XML:com.adobe.xmp\x00"

// pngScreen is the state of Check for a PNG.
type pngScreen struct {
	File
	file  *container.File
	seen  map[string]bool // kinds of chunks that may occur only once
	texts int

	pixels, maxPixels int64 // bytes of compressed pixels so far, and the max that the size allows
}

// png returns a PNG without unneeded chunks that are costly; nil if it has no such chunks. Without Data, it returns the
// start of the file.
func (f File) png(file *container.File) ([]byte, error) {
	s := &pngScreen{File: f, file: file, seen: map[string]bool{}, maxPixels: maxPNGExtra}
	parts := []part{{0, 8}}
	chunks, end := 0, int64(8)
	for c, err := range container.PNG(file) {
		if err != nil {
			kept, unread := f.kept(file, parts, c.At)
			return kept, cmp.Or(unread, err)
		}
		if f.Data == nil && c.Kind == "IDAT" {
			return f.kept(file, parts, c.At)
		}
		if chunks++; chunks > maxPNGChunks {
			return nil, f.tooLarge("has more than %d chunks", maxPNGChunks)
		}
		keep, err := s.keeps(c)
		if err != nil {
			return nil, err
		}
		if keep {
			parts = add(parts, c.At, c.End)
		}
		end = c.End
	}
	if parts[0].end == end { // nothing was omitted
		return nil, nil
	}
	return join(file, parts)
}

// kept returns the parts with the rest of the file from an offset on, of which a header needs only the start. It
// returns nil if nothing was omitted before.
func (f File) kept(file *container.File, parts []part, from int64) ([]byte, error) {
	if parts[0].end == from {
		return nil, nil
	}
	end := file.Size()
	if f.Data == nil {
		end = min(end, from+maxPNGRest)
	}
	return join(file, add(parts, from, max(end, from)))
}

// part is a range of a file, in bytes; end is not part of it.
type part struct{ start, end int64 }

// add appends a range, or extends the last part if the range follows it.
func add(parts []part, start, end int64) []part {
	if n := len(parts) - 1; parts[n].end == start {
		parts[n].end = end
		return parts
	}
	return append(parts, part{start, end})
}

// join returns a copy of the parts, one after the other.
func join(file *container.File, parts []part) ([]byte, error) {
	size := int64(0)
	for _, p := range parts {
		size += p.end - p.start
	}
	out := make([]byte, 0, size)
	for _, p := range parts {
		b, err := file.Bytes(p.start, int(p.end-p.start))
		if err != nil {
			return nil, err
		}
		out = append(out, b...)
	}
	return out, nil
}

// keeps reports whether the decoder needs the chunk.
func (s *pngScreen) keeps(c container.Chunk) (bool, error) {
	switch c.Kind {
	case "IHDR":
		return true, s.size(c)
	case "IDAT":
		if s.pixels += c.Size; s.pixels > s.maxPixels {
			return false, s.tooLarge(
				"has more than %d bytes of compressed pixels, which is more than its size explains",
				s.maxPixels,
			)
		}
		return true, nil
	case "iCCP":
		return s.first(c.Kind), s.profile(c)
	case "eXIf":
		return c.Size <= maxPNGEXIF && s.first(c.Kind), nil
	case "tRNS", "cHRM", "gAMA", "sRGB", "sBIT", "bKGD", "pHYs", "acTL":
		return s.first(c.Kind), nil
	case "iTXt":
		if head, err := s.file.At(c.Start, len(xmpKey)); err == nil && string(head) == xmpKey {
			if !s.first("xmp") {
				return false, nil // not checked further
			}
			return s.xmp(c)
		}
	default:
		if c.Kind[0]&0x20 == 0 { // a critical chunk
			return true, nil
		}
	}
	s.texts++
	limit := int64(maxPNGText)
	if c.Kind == "zTXt" || c.Kind == "iTXt" {
		limit = maxPNGZipped
	}
	return c.Size <= limit && s.texts <= maxPNGTexts, nil
}

// size reads the picture's size.
func (s *pngScreen) size(c container.Chunk) error {
	b, err := s.file.At(c.Start, 10)
	if err != nil || !s.first(c.Kind) {
		return err
	}
	channels, ok := map[byte]int64{0: 1, 2: 3, 3: 1, 4: 2}[b[9]]
	if !ok {
		channels = 4
	}
	row := 1 + (int64(binary.BigEndian.Uint32(b))*channels*int64(b[8])+7)/8
	raw := imaging.Product(row, int64(binary.BigEndian.Uint32(b[4:])))
	s.maxPixels = min(imaging.Product(raw, maxPNGGrowth), math.MaxInt64-maxPNGExtra) + maxPNGExtra
	return nil
}

// first reports whether this is the first chunk with that name.
func (s *pngScreen) first(name string) bool {
	known := s.seen[name]
	s.seen[name] = true
	return !known
}

// profile rejects a color profile that is too large when inflated.
func (s *pngScreen) profile(c container.Chunk) error {
	if s.seen["profile"] || c.Size*maxDeflate <= maxPNGProfile {
		return nil
	}
	s.seen["profile"] = true
	if c.Size > maxPNGProfile {
		return s.tooLarge("has a color profile of more than %d MB", maxPNGProfile>>20)
	}
	data, err := s.file.At(c.Start, int(c.Size))
	if err != nil {
		return err
	}
	name := bytes.IndexByte(data[:min(len(data), 80)], 0)
	if name >= 0 && name+2 < len(data) && !inflates(data[name+2:], maxPNGProfile) {
		return s.tooLarge("has a color profile of more than %d MB", maxPNGProfile>>20)
	}
	return nil
}

// xmp reports whether an XMP packet has at most maxPNGXMP bytes.
func (s *pngScreen) xmp(c container.Chunk) (bool, error) {
	if c.Size > maxPNGXMP {
		return false, nil
	}
	data, err := s.file.At(c.Start, int(c.Size))
	if err != nil {
		return false, err
	}
	data = data[len(xmpKey):]
	if len(data) < 2 || data[0] == 0 {
		return true, nil
	}
	for range 2 { // language and translated keyword each end with 0
		_, after, ok := bytes.Cut(data[min(2, len(data)):], []byte{0})
		if !ok {
			return true, nil // the decoder rejects it
		}
		data = append([]byte{0, 0}, after...)
	}
	return inflates(data[2:], maxPNGXMP), nil
}

// inflates reports whether zlib data inflate to at most limit bytes. Damaged data are inflated up to the damage.
func inflates(data []byte, limit int64) bool {
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return true
	}
	defer z.Close()
	n, _ := io.Copy(io.Discard, io.LimitReader(z, limit+1)) // the decoder finds the damage
	return n <= limit
}
