package vips

import (
	"bytes"
	"encoding/binary"
	stdimage "image"

	"golang.org/x/image/bmp"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// readBMPHeader fills the header of a BMP, which libvips would leave to ImageMagick. It rejects a file that is too
// short for its pixels, so that decoding allocates at most a multiple of the file's size.
func (in *input) readBMPHeader() error {
	head, err := in.source.head()
	if err != nil {
		return unreadable(err, in.name)
	}
	config, err := bmp.DecodeConfig(bytes.NewReader(head))
	if err != nil || config.Width < 1 || config.Height < 1 {
		return fault.New(
			fault.UnsupportedType,
			"The BMP file %s cannot be read, expected 1, 2, 4, 8, 24 or 32 bits without compression", in.name,
		)
	}
	bits := int64(binary.LittleEndian.Uint16(head[28:]))
	row := (int64(config.Width)*bits + 31) / 32 * 4
	offset := int64(binary.LittleEndian.Uint32(head[10:]))
	if size := in.header.Bytes; size >= 0 && (size-offset)/row < int64(config.Height) {
		return fault.New(fault.CorruptImage, "The BMP file %s ends before its picture does", in.name)
	}
	const plainHeader = 40 // longer ones say whether there is alpha
	h := &in.header
	h.Width, h.Height, h.Pages, h.Orientation, h.Depth = config.Width, config.Height, 1, 1, 8
	if h.Bands = 3; bits == 32 && binary.LittleEndian.Uint32(head[14:]) > plainHeader {
		h.Bands, h.Alpha = 4, true
	}
	return nil
}

// loadBMP decodes a BMP whose header has been read, into memory.
func (in *input) loadBMP() (*image, error) {
	img, err := bmp.Decode(bytes.NewReader(in.source.data))
	if err != nil {
		return nil, fault.Wrap(err, fault.CorruptImage, "The picture %s cannot be decoded", in.name)
	}
	h, colour := in.header, white
	if h.Alpha {
		colour = imaging.Colour{}
	}
	header, err := solid(1, 1, colour)
	if err != nil {
		return nil, err
	}
	defer header.close()
	return header.remade(h.Width, h.Height, func(out []byte) error {
		pack(img, h.Bands, out[:0])
		return nil
	})
}

// pack appends the picture's pixels as R, G, B, and A if there are 4 bands.
func pack(img stdimage.Image, bands int, pixels []byte) {
	bounds := img.Bounds()
	spread := func(pix []byte, stride int) {
		for y := range bounds.Dy() {
			row := pix[y*stride : y*stride+4*bounds.Dx()]
			for x := 0; x < len(row); x += 4 {
				pixels = append(pixels, row[x:x+bands]...)
			}
		}
	}
	switch img := img.(type) {
	case *stdimage.RGBA: // always opaque
		spread(img.Pix, img.Stride)
	case *stdimage.NRGBA:
		spread(img.Pix, img.Stride)
	case *stdimage.Paletted:
		var table [256][3]byte
		for n, c := range img.Palette {
			r, g, b, _ := c.RGBA()
			table[n] = [3]byte{byte(r >> 8), byte(g >> 8), byte(b >> 8)}
		}
		for _, n := range img.Pix {
			pixels = append(pixels, table[n][:]...)
		}
	}
}
