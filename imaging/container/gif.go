package container

import "iter"

// The first byte of a block of a GIF says what it is.
const (
	GIFExtension = 0x21
	GIFImage     = 0x2C
	GIFTrailer   = 0x3B
)

// Block is an extension or an image of a GIF, or its trailer.
type Block struct {
	Kind byte
	At   int64 // of its first byte
	End  int64 // where the next block starts
}

// GIF walks the blocks of a GIF up to its trailer, which is the last item, or up to a byte that starts no block, where
// decoders end as well. For an incomplete block, the error comes with Kind and At. Kind is 0 if the file ends after a
// block.
func GIF(f *File) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		flags, err := f.At(10, 3)
		if err != nil {
			yield(Block{}, err)
			return
		}
		for at := 13 + colorTable(flags[0]); ; {
			b, ok, err := blockAt(f, at)
			if !ok || !yield(b, err) || err != nil || b.Kind == GIFTrailer {
				return
			}
			at = b.End
		}
	}
}

// colorTable returns the bytes of the color table that flags announce.
func colorTable(flags byte) int64 {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// blockAt reads the block at an offset; ok is false if no block starts there.
func blockAt(f *File, at int64) (b Block, ok bool, err error) {
	b = Block{At: at}
	header, err := f.At(at, 1)
	if err != nil {
		return b, true, err
	}
	switch b.Kind = header[0]; b.Kind {
	case GIFTrailer:
		b.End = at + 1
		return b, true, nil
	case GIFExtension: // and its label
		at += 2
	case GIFImage: // position and size, flags, color table, and the code size
		if header, err = f.At(at, 10); err != nil {
			return b, true, err
		}
		at += 11 + colorTable(header[9])
	default:
		return b, false, nil
	}
	for { // the data consist of pieces of up to 255 bytes after their length; an empty piece ends them
		length, err := f.At(at, 1)
		if err != nil {
			return b, true, err
		}
		at += 1 + int64(length[0])
		if length[0] == 0 {
			b.End = at
			return b, true, nil
		}
	}
}
