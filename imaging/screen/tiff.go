package screen

import "encoding/binary"

// maxPages is how many pages of a TIFF are looked through: the decoder reads all of their headers for any one of them.
const maxPages = 10_000

// tiff rejects a file of too many pages.
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
	seen := map[int64]bool{}
	for at != 0 && !seen[at] { // the decoder ends circles
		seen[at] = true
		if len(seen) > maxPages {
			return f.tooLarge("has more than %d pages", maxPages)
		}
		if at, err = nextPage(v, order, isBig, at); err != nil {
			return err
		}
	}
	return nil
}

// nextPage returns where the directory after the one at that offset is; 0 after the last.
func nextPage(v *view, order binary.ByteOrder, isBig bool, at int64) (int64, error) {
	if isBig {
		b, err := v.at(at, 8)
		if err != nil {
			return 0, err
		}
		entries := int64(min(order.Uint64(b), 1<<20))
		if b, err = v.at(at+8+20*entries, 8); err != nil {
			return 0, err
		}
		return int64(order.Uint64(b)), nil
	}
	b, err := v.at(at, 2)
	if err != nil {
		return 0, err
	}
	if b, err = v.at(at+2+12*int64(order.Uint16(b)), 4); err != nil {
		return 0, err
	}
	return int64(order.Uint32(b)), nil
}
