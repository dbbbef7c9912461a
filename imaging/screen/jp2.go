package screen

import (
	"encoding/binary"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging/container"
)

// The decoder of JPEG 2000 reserves memory according to the header: about 1 KB for each tile and for each component of
// a tile.
const (
	maxTileUnits = 1 << 17 // tiles times components, where each tile counts as 5 additional components
	maxChannels  = 64
)

// jp2 checks the sizes and tiles of a JPEG 2000.
func (f File) jp2(file *container.File) error {
	var stream int64 // a bare codestream starts the file; in a file of boxes, this parses as no codestream
	err := f.eachBox(file, func(b container.Box) {
		if b.Kind == "jp2c" && stream == 0 {
			stream = b.Start
		}
	})
	if err != nil {
		return err
	}
	b, err := file.At(stream, 42)
	if err != nil {
		return err
	}
	if string(b[:4]) != "\xff\x4f\xff\x51" {
		return nil
	}
	number := func(n int) int64 { return int64(binary.BigEndian.Uint32(b[8+4*n:])) }
	width, height := number(0)-number(2), number(1)-number(3)
	tileWidth, tileHeight, channels := number(4), number(5), int64(binary.BigEndian.Uint16(b[40:]))
	if width < 1 || height < 1 || tileWidth < 1 || tileHeight < 1 || channels < 1 {
		return fault.New(fault.CorruptImage, "The file %s has no size", f.Name)
	}
	if err := f.checkPixels(width, height); err != nil {
		return err
	}
	across, down := (number(0)+tileWidth-1)/tileWidth, (number(1)+tileHeight-1)/tileHeight
	if channels > maxChannels || across > maxTileUnits || down > maxTileUnits ||
		across*down*(channels+5) > maxTileUnits {
		return f.tooLarge("has more tiles or components than are decoded: %d and %d", across*down, channels)
	}
	return nil
}
