package screen

import "github.com/safelight/safelight/imaging/container"

// maxWebPChunks is the max number of chunks of a WebP, including frames. To find a frame, libwebp walks over all
// earlier ones.
const maxWebPChunks = 10_000

// webp rejects a file with too many chunks, or with a canvas of too many pixels, which libwebp allocates before it
// reads a frame.
func (f File) webp(file *container.File) error {
	count := 0
	for c, err := range container.WebP(file) {
		if err != nil {
			return err
		}
		if c.Kind == "VP8X" {
			b, err := file.At(c.Start+4, 6)
			if err != nil {
				return err
			}
			if err := f.checkPixels(1+uint24(b), 1+uint24(b[3:])); err != nil {
				return err
			}
		}
		if count++; count > maxWebPChunks {
			return f.tooLarge("has more than %d frames and chunks", maxWebPChunks)
		}
	}
	return nil
}

// uint24 returns the number in the first three bytes.
func uint24(b []byte) int64 { return int64(b[0]) | int64(b[1])<<8 | int64(b[2])<<16 }
