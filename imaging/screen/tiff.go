package screen

import "github.com/safelight/safelight/imaging/container"

// The decoder reads the headers of all pages of a TIFF to read any one of them. For each unknown tag, it sorts all
// tags of the page, including the known ones.
const (
	maxPages    = 10_000
	knownTags   = 200
	maxSortings = 30_000_000 // sorted tags: 10,000 pages with 13 tags, or one page with 5,300
)

// tiff rejects a file with too many pages and tags.
func (f File) tiff(file *container.File) error {
	pages, sortings := 0, int64(0)
	for page, err := range container.TIFF(file, 0, file.Size()) {
		if pages++; pages > maxPages {
			return f.tooLarge("has more than %d pages", maxPages)
		}
		if err != nil {
			return err
		}
		if sortings += page.Count * (page.Count + knownTags); sortings > maxSortings {
			return f.tooLarge("has more tags on its pages than are looked through")
		}
	}
	return nil
}
