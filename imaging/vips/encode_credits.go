package vips

import (
	"bytes"
	"encoding/binary"

	"github.com/safelight/safelight/imaging/container"
)

// credit is a text tag of EXIF's first directory.
type credit struct {
	tag  uint16
	text []byte // including the final NUL
}

// The tags of credits, TIFF 6.0, sections 8 and 21.
const (
	tagArtist    = 0x013B
	tagCopyright = 0x8298
)

// maxCredit is the max number of bytes of a credit that are kept.
const maxCredit = 8 << 10

// creditsOf returns artist and copyright of an EXIF block, in the order of their tags. It omits what cannot be read.
func creditsOf(data []byte) (list []credit) {
	file := container.Of(bytes.TrimPrefix(data, []byte(container.EXIFName)))
	d, err := container.FirstDirectory(file, 0, file.Size())
	if err != nil {
		return nil
	}
	for e, err := range d.Entries() {
		if err != nil {
			break
		}
		if e.Tag != tagArtist && e.Tag != tagCopyright || !e.IsText() || e.Count > maxCredit {
			continue
		}
		text, _ := e.Bytes()
		text = bytes.TrimRight(text, "\x00")
		if len(bytes.Trim(text, "\x00 ")) > 0 {
			list = append(list, credit{e.Tag, append(bytes.Clone(text), 0)})
		}
	}
	return list
}

// exifBlock returns an EXIF block with only the credits.
func exifBlock(list []credit) []byte {
	const header = 8
	le := binary.LittleEndian
	block := []byte("II*\x00\x08\x00\x00\x00")
	block = le.AppendUint16(block, uint16(len(list)))
	end := header + 2 + 12*len(list) + 4
	var texts []byte
	for _, c := range list {
		const ascii = 2
		block = le.AppendUint16(le.AppendUint16(block, c.tag), ascii)
		block = le.AppendUint32(block, uint32(len(c.text)))
		if len(c.text) <= 4 {
			block = append(block, append(bytes.Clone(c.text), make([]byte, 4-len(c.text))...)...)
			continue
		}
		block = le.AppendUint32(block, uint32(end+len(texts)))
		texts = append(texts, c.text...)
	}
	block = le.AppendUint32(block, 0) // there is no next directory
	return append([]byte(container.EXIFName), append(block, texts...)...)
}

// iptcCredits are the datasets of record 2 with credits.
const (
	iptcByline    = 80
	iptcCredit    = 110
	iptcCopyright = 116
)

// iptcBlock returns an IPTC block with the datasets that results keep: byline, credit and copyright, or all. The block
// is wrapped as in a JPEG, or bare as in a TIFF. It returns nil if no datasets remain.
func iptcBlock(data []byte, all, wrapped bool) []byte {
	data = iptcDatasets(data)
	var kept []byte
	any := false
	for {
		record, number, _, rest, ok := nextDataset(data)
		if !ok {
			break
		}
		characters := record == 1 && number == 90 // the dataset with the encoding of the texts
		credits := record == 2 && (number == iptcByline || number == iptcCredit || number == iptcCopyright)
		if all || characters || credits {
			kept = append(kept, data[:len(data)-len(rest)]...)
		}
		any = any || all || credits
		data = rest
	}
	if !any {
		return nil
	}
	if !wrapped {
		return kept
	}
	block := []byte("Photoshop 3.0\x008BIM\x04\x04\x00\x00")
	block = binary.BigEndian.AppendUint32(block, uint32(len(kept)))
	block = append(block, kept...)
	if len(kept)%2 == 1 {
		block = append(block, 0)
	}
	return block
}
