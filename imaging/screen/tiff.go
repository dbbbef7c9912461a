package screen

import "encoding/binary"

// The decoder reads the headers of all pages of a TIFF for any one of them. For each tag that it does not know it sorts
// all tags of the page, together with those that it knows.
const (
	maxPages    = 10_000
	knownTags   = 200
	maxSortings = 30_000_000 // tags that are sorted: 10,000 pages of 13 tags, or one of 5,300
)

// tiff rejects a file of too many pages and tags.
func (f File) tiff(v *view) error {
	head, err := v.at(0, 16)
	if err != nil {
		return err
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if head[0] == 'M' {
		order = binary.BigEndian
	}
	isBig := order.Uint16(head[2:]) == 43
	at := int64(order.Uint32(head[4:]))
	if isBig {
		at = int64(order.Uint64(head[8:]))
	}
	seen, sortings := map[int64]bool{}, int64(0)
	for at != 0 && !seen[at] { // the decoder ends circles
		seen[at] = true
		if len(seen) > maxPages {
			return f.tooLarge("has more than %d pages", maxPages)
		}
		var tags int64
		if tags, at, err = page(v, order, isBig, at); err != nil {
			return err
		}
		if sortings += tags * (tags + knownTags); sortings > maxSortings {
			return f.tooLarge("has more tags on its pages than are looked through")
		}
	}
	return nil
}

// page returns how many tags the directory at that offset has, and where the next one is; 0 after the last.
func page(v *view, order binary.ByteOrder, isBig bool, at int64) (tags, next int64, err error) {
	if isBig {
		b, err := v.at(at, 8)
		if err != nil {
			return 0, 0, err
		}
		tags = int64(min(order.Uint64(b), 1<<20))
		if b, err = v.at(at+8+20*tags, 8); err != nil {
			return 0, 0, err
		}
		return tags, int64(order.Uint64(b)), nil
	}
	b, err := v.at(at, 2)
	if err != nil {
		return 0, 0, err
	}
	tags = int64(order.Uint16(b))
	if b, err = v.at(at+2+12*tags, 4); err != nil {
		return 0, 0, err
	}
	return tags, int64(order.Uint32(b)), nil
}
