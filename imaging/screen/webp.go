package screen

import "github.com/safelight/safelight/imaging/container"

// maxWebPChunks is the max number of chunks of a WebP, including frames. To find a frame, libwebp walks over all
// earlier ones.
const maxWebPChunks = 10_000

// webp rejects a file with too many chunks.
func (f File) webp(file *container.File) error {
	count := 0
	for _, err := range container.WebP(file) {
		if err != nil {
			return err
		}
		if count++; count > maxWebPChunks {
			return f.tooLarge("has more than %d frames and chunks", maxWebPChunks)
		}
	}
	return nil
}
