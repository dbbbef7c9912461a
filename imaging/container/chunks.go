package container

import (
	"encoding/binary"
	"io"
	"iter"
)

// Chunk is a chunk of a PNG or WebP.
type Chunk struct {
	Kind  string // four bytes, not necessarily text
	At    int64  // of its header
	Start int64  // of its data
	Size  int64  // size of its data in bytes
	End   int64  // where the next chunk starts, after the checksum or padding
}

// PNG walks the chunks of a PNG up to its IEND, which is the last item. It does not check the signature. Every
// returned chunk is completely in the file; for one that is not, the error comes with At alone.
func PNG(f *File) iter.Seq2[Chunk, error] {
	return chunks(f, 8, "IEND", func(header []byte, c *Chunk) {
		c.Kind, c.Size = string(header[4:]), int64(binary.BigEndian.Uint32(header))
		c.End = c.Start + c.Size + 4
	})
}

// WebP walks the chunks of a WebP up to the end of the file, but not those inside frames. It does not check the RIFF
// header. Every returned chunk is completely in the file.
func WebP(f *File) iter.Seq2[Chunk, error] {
	return chunks(f, 12, "", func(header []byte, c *Chunk) {
		c.Kind, c.Size = string(header[:4]), int64(binary.LittleEndian.Uint32(header[4:]))
		c.End = c.Start + c.Size + c.Size%2
	})
}

// chunks walks chunks from an offset on, up to the chunk named last, or to the end of the file if last is empty. parse
// reads a chunk's header of eight bytes.
func chunks(f *File, at int64, last string, parse func(header []byte, c *Chunk)) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		for at := at; last != "" || at != f.size; {
			c := Chunk{At: at, Start: at + 8}
			header, err := f.At(at, 8)
			if err == nil {
				if parse(header, &c); c.End > f.size {
					err = io.ErrUnexpectedEOF
				}
			}
			if !yield(c, err) || err != nil || c.Kind == last {
				return
			}
			at = c.End
		}
	}
}
