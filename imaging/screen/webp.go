package screen

import "github.com/safelight/safelight/imaging/container"

// maxWebPChunks is how many chunks a WebP may have, frames included: finding a frame takes libwebp a walk over those
// before it.
const maxWebPChunks = 10_000

// webp rejects a file of too many chunks.
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
