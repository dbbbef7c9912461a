package gainmap

import (
	"bytes"
	"encoding/binary"

	"github.com/safelight/safelight/imaging/container"
)

// Join returns the JPEG picture with the map appended. scaled is a JPEG without metadata that contains the pixels of
// the map.
func (m *Map) Join(picture, scaled []byte) []byte {
	second := m.describe(scaled)
	at, own := places(picture)
	var packet []byte
	if version := m.meta.xmp["Version"]; version != nil && own.data == nil {
		packet = directory(version[0], len(second))
	}
	out := make([]byte, 0, len(picture)+len(second)+len(packet)+512)
	out = append(out, picture[:at]...)
	if packet != nil {
		out = appendSegment(out, container.APP1, []byte(container.XMPName), packet)
	}
	if m.meta.iso != nil { // in a picture with a map, this segment contains only the version
		out = appendSegment(out, container.APP2, []byte(container.GainMapName),
			m.meta.iso[len(container.GainMapName):][:4])
	}
	list := len(out)
	out = appendSegment(out, container.APP2, []byte(container.MPFName), make([]byte, mpfSize))
	rest := picture[at:]
	if own.data != nil {
		out = append(out, picture[at:own.At]...)
		kept := relisted(own.data[len(container.XMPName):], len(second))
		out = appendSegment(out, container.APP1, []byte(container.XMPName), kept)
		rest = picture[own.End():]
	}
	out = append(out, rest...)
	writeMPF(out[list+4+len(container.MPFName):], len(out), len(out)-list-4-len(container.MPFName), len(second))
	return append(out, second...)
}

// describe returns the JPEG scaled with the map's metadata.
func (m *Map) describe(scaled []byte) []byte {
	at, _ := places(scaled)
	out := append(make([]byte, 0, len(scaled)+2048), scaled[:at]...)
	if m.meta.xmp != nil {
		out = appendSegment(out, container.APP1, []byte(container.XMPName), m.meta.xmp.packet())
	}
	if m.meta.iso != nil {
		out = appendSegment(out, container.APP2, m.meta.iso)
	}
	for _, s := range m.meta.icc {
		out = appendSegment(out, container.APP2, s)
	}
	return append(out, scaled[at:]...)
}

// places returns where to insert segments, which is after those that must come first, and the picture's own XMP
// segment if that lists a map.
func places(file []byte) (at int, own segment) {
	at = len(soi)
	for s := range segments(file) {
		if s.At == int64(at) && (s.Marker == container.APP0 || s.is(container.APP1, container.EXIFName)) {
			at = int(s.End())
		}
		if s.is(container.APP1, container.XMPName) && listsMap(s.data) && own.data == nil {
			own = s
		}
	}
	return at, own
}

// mpfSize is the size of a list of two pictures: a header, a directory of three tags, and two entries.
const mpfSize = 8 + 2 + 3*12 + 4 + 2*16

// writeMPF writes a list of two pictures: the first with the given size, and the second at the given offset from the
// list.
func writeMPF(b []byte, size, offset, second int) {
	var w bytes.Buffer
	w.WriteString("II*\x00\x08\x00\x00\x00\x03\x00")
	tag := func(tag, kind uint16, count uint32, value []byte) {
		w.Write(binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(nil, tag), kind))
		w.Write(append(binary.LittleEndian.AppendUint32(nil, count), value...))
	}
	number := func(n int) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(n)) }
	tag(0xB000, 7, 4, []byte("0100"))
	tag(0xB001, 4, 1, number(2))
	tag(tagPictures, 7, 32, number(mpfSize-32))
	w.Write(number(0)) // no further directory
	for _, n := range []int{0x030000, size, 0, 0, 0, second, offset, 0} {
		w.Write(number(n))
	}
	copy(b, w.Bytes())
}
