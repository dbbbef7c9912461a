package screen

import "encoding/binary"

// maxWebPChunks is how many chunks a WebP may have, frames included: finding a frame takes libwebp a walk over those
// before it.
const maxWebPChunks = 10_000

// webp rejects a file of too many chunks.
func (f File) webp(v *view) error {
	for at, n := int64(12), 0; ; n++ {
		head, err := v.at(at, 8)
		if err != nil {
			return err
		}
		if n >= maxWebPChunks {
			return f.tooLarge("has more than %d frames and chunks", maxWebPChunks)
		}
		size := int64(binary.LittleEndian.Uint32(head[4:]))
		at += 8 + size + size%2
	}
}
