package fonts

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/andybalholm/brotli"
)

// woff2Tags lists the table tags by their numbers in a WOFF2 (https://www.w3.org/TR/WOFF2/#table_dir_format).
var woff2Tags = []string{
	"cmap", "head", "hhea", "hmtx", "maxp", "name", "OS/2", "post", "cvt ", "fpgm", "glyf", "loca", "prep", "CFF ",
	"VORG", "EBDT", "EBLC", "gasp", "hdmx", "kern", "LTSH", "PCLT", "VDMX", "vhea", "vmtx", "BASE", "GDEF", "GPOS",
	"GSUB", "EBSC", "JSTF", "MATH", "CBDT", "CBLC", "COLR", "CPAL", "SVG ", "sbix", "acnt", "avar", "bdat", "bloc",
	"bsln", "cvar", "fdsc", "feat", "fmtx", "fvar", "gvar", "hsty", "just", "lcar", "mort", "morx", "opbd", "prop",
	"trak", "Zapf", "Silf", "Glat", "Gloc", "Feat", "Sill",
}

// table is a table of a font.
type table struct {
	tag         string
	data        []byte
	transformed bool
}

// unpack converts a WOFF2 to TTF or OTF, because HarfBuzz, which lays out texts, does not read WOFF2. It returns
// errUnpacked if the result would exceed limit bytes.
func unpack(file []byte, limit int) ([]byte, error) {
	const header = 48
	if len(file) < header {
		return nil, io.ErrUnexpectedEOF
	}
	flavor, count := file[4:8], int(binary.BigEndian.Uint16(file[12:]))
	if string(flavor) == "ttcf" || count > maxTables {
		return nil, fmt.Errorf("flavor %q, %d tables", flavor, count)
	}
	r := &stream{data: file[header:]}
	list := make([]table, count)
	sizes, total := make([]int, count), 0
	for i := range list {
		flags := r.u8()
		if number := flags & 63; number == 63 {
			list[i].tag = string(r.take(4))
		} else {
			list[i].tag = woff2Tags[number]
		}
		sizes[i] = r.base128()
		list[i].transformed = flags>>6 != 0
		if list[i].tag == "glyf" || list[i].tag == "loca" {
			list[i].transformed = flags>>6 == 0
		}
		if list[i].transformed {
			sizes[i] = r.base128()
		}
		if total += sizes[i]; total > limit {
			return nil, errUnpacked
		}
	}
	packed := bytes.NewReader(r.take(int(binary.BigEndian.Uint32(file[20:]))))
	if r.err != nil {
		return nil, r.err
	}
	data := make([]byte, total)
	if _, err := io.ReadFull(brotli.NewReader(packed), data); err != nil {
		return nil, err
	}
	for i := range list {
		list[i].data, data = data[:sizes[i]], data[sizes[i]:]
	}
	if err := restore(list, limit); err != nil {
		return nil, err
	}
	return assemble(flavor, list, limit)
}

var errUnpacked = errors.New("the font is too large once it is unpacked")

// restore undoes the transformations of glyf, loca and hmtx.
func restore(list []table, limit int) error {
	find := func(tag string) *table {
		at := slices.IndexFunc(list, func(t table) bool { return t.tag == tag })
		if at < 0 {
			return &table{}
		}
		return &list[at]
	}
	var lefts []int16 // left side bearings of the glyphs
	glyf, loca := find("glyf"), find("loca")
	if glyf.transformed != loca.transformed {
		return errors.New("one of glyf and loca is transformed")
	}
	if glyf.transformed {
		var err error
		if glyf.data, loca.data, lefts, err = glyphs(glyf.data, limit); err != nil {
			return err
		}
	}
	if hmtx := find("hmtx"); hmtx.transformed {
		hhea := find("hhea").data
		if len(hhea) < 36 {
			return io.ErrUnexpectedEOF
		}
		var err error
		if hmtx.data, err = widths(hmtx.data, int(binary.BigEndian.Uint16(hhea[34:])), lefts); err != nil {
			return err
		}
	}
	for _, t := range list {
		if t.transformed && t.tag != "glyf" && t.tag != "loca" && t.tag != "hmtx" {
			return fmt.Errorf("the table %q is transformed", t.tag)
		}
	}
	return nil
}

// glyphs undoes the transformation of glyf (https://www.w3.org/TR/WOFF2/#glyf_table_format).
func glyphs(data []byte, limit int) (glyf, loca []byte, lefts []int16, err error) {
	r := &stream{data: data}
	r.take(2)
	hasOverlaps := r.u16()&1 != 0
	count, isLong := r.u16(), r.u16() != 0
	var parts [7]stream // streams of contours, points, flags, glyphs, composites, boxes, instructions
	var sizes [7]int
	for i := range sizes {
		sizes[i] = int(r.u32())
	}
	for i := range parts {
		parts[i].data = r.take(sizes[i])
	}
	contours, points, flags, deltas, composites, boxes, instructions := &parts[0], &parts[1], &parts[2], &parts[3],
		&parts[4],
		&parts[5], &parts[6]
	hasBox := boxes.take((count + 31) / 32 * 4)
	var overlaps []byte
	if hasOverlaps {
		overlaps = r.take((count + 7) / 8)
	}
	if r.err != nil || boxes.err != nil {
		return nil, nil, nil, cmp.Or(r.err, boxes.err)
	}
	isSet := func(bits []byte, i int) bool { return bits != nil && bits[i/8]&(0x80>>(i%8)) != 0 }
	locate := func() {
		if isLong {
			loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
		} else {
			loca = binary.BigEndian.AppendUint16(loca, uint16(len(glyf)/2))
		}
	}
	for i := range count {
		locate()
		var box []byte
		if isSet(hasBox, i) {
			box = boxes.take(8)
		}
		left := int16(0)
		switch n := int16(contours.u16()); {
		case n == 0:
		case n > 0:
			g := outline{count: int(n), overlaps: isSet(overlaps, i)}
			g.read(points, flags, deltas)
			size := deltas.u255()
			glyf = g.append(glyf, box, instructions.take(size))
		default:
			body, hasInstructions := composite(composites)
			glyf = append(append(binary.BigEndian.AppendUint16(glyf, 0xffff), box...), body...)
			if len(box) == 0 {
				return nil, nil, nil, errors.New("a composite glyph has no box")
			}
			if hasInstructions {
				size := deltas.u255()
				glyf = append(binary.BigEndian.AppendUint16(glyf, uint16(size)), instructions.take(size)...)
			}
		}
		for i := range parts {
			if parts[i].err != nil {
				return nil, nil, nil, parts[i].err
			}
		}
		if at := position(loca, isLong); len(glyf) > at {
			left = int16(binary.BigEndian.Uint16(glyf[at+2:]))
		}
		lefts = append(lefts, left)
		for len(glyf)%4 != 0 {
			glyf = append(glyf, 0)
		}
		if len(glyf) > limit || !isLong && len(glyf) > 2*0xffff {
			return nil, nil, nil, errUnpacked
		}
	}
	locate()
	return glyf, loca, lefts, nil
}

// position returns the last position in loca.
func position(loca []byte, isLong bool) int {
	if isLong {
		return int(binary.BigEndian.Uint32(loca[len(loca)-4:]))
	}
	return 2 * int(binary.BigEndian.Uint16(loca[len(loca)-2:]))
}

// outline is a simple glyph.
type outline struct {
	count    int // of contours
	ends     []int
	x, y     []int // coordinates of the points, relative to the previous point
	on       []bool
	overlaps bool
}

// read reads the points (https://www.w3.org/TR/WOFF2/#triplet_decoding).
func (g *outline) read(points, flags, deltas *stream) {
	total := 0
	for range g.count {
		total += points.u255()
		g.ends = append(g.ends, total-1)
	}
	if total > len(flags.data) { // each point has a flag
		flags.err = io.ErrUnexpectedEOF
		return
	}
	signed := func(flag, n int) int {
		if flag&1 == 0 {
			return -n
		}
		return n
	}
	for range total {
		flag := flags.u8()
		g.on = append(g.on, flag>>7 == 0)
		flag &= 0x7f
		d := func() int { return deltas.u8() }
		x, y := 0, 0
		switch {
		case flag < 10:
			y = signed(flag, (flag&14)<<7+d())
		case flag < 20:
			x = signed(flag, ((flag-10)&14)<<7+d())
		case flag < 84:
			n, b := flag-20, d()
			x, y = signed(flag, 1+n&0x30+b>>4), signed(flag>>1, 1+n&0x0c<<2+b&0x0f)
		case flag < 120:
			n := flag - 84
			x = signed(flag, 1+n/12<<8+d())
			y = signed(flag>>1, 1+n%12>>2<<8+d())
		case flag < 124:
			a, b, c := d(), d(), d()
			x, y = signed(flag, a<<4+b>>4), signed(flag>>1, b&0x0f<<8+c)
		default:
			a, b, c, e := d(), d(), d(), d()
			x, y = signed(flag, a<<8+b), signed(flag>>1, c<<8+e)
		}
		g.x, g.y = append(g.x, x), append(g.y, y)
	}
}

// append writes the glyph in the format of the table glyf (https://learn.microsoft.com/typography/opentype/spec/glyf).
// Without a box, it computes the bounding box of the points.
func (g *outline) append(out, box, instructions []byte) []byte {
	u16 := func(n int) { out = binary.BigEndian.AppendUint16(out, uint16(n)) }
	u16(g.count)
	if box == nil {
		left, right := extent(g.x)
		low, high := extent(g.y)
		u16(left)
		u16(low)
		u16(right)
		u16(high)
	}
	out = append(out, box...)
	for _, end := range g.ends {
		u16(end)
	}
	u16(len(instructions))
	out = append(out, instructions...)
	for i, on := range g.on {
		flag := byte(0)
		if on {
			flag |= 1
		}
		if i == 0 && g.overlaps {
			flag |= 0x40
		}
		out = append(out, flag|kindOf(g.x[i], 0x02, 0x10)|kindOf(g.y[i], 0x04, 0x20))
	}
	for _, list := range [][]int{g.x, g.y} {
		for _, n := range list {
			switch {
			case n == 0:
			case n > -256 && n < 256:
				out = append(out, byte(max(n, -n)))
			default:
				u16(n)
			}
		}
	}
	return out
}

// kindOf returns the flags of a coordinate. The flag short means that it has one byte; same is then its sign. Without
// short, same means that the coordinate is 0.
func kindOf(n int, short, same byte) byte {
	switch {
	case n == 0:
		return same
	case n > 0 && n < 256:
		return short | same
	case n < 0 && n > -256:
		return short
	}
	return 0
}

// extent returns the min and max of the running sums.
func extent(deltas []int) (least, most int) {
	at := 0
	for i, d := range deltas {
		if at += d; i == 0 || at < least {
			least = at
		}
		if i == 0 || at > most {
			most = at
		}
	}
	return least, most
}

// composite returns a glyph that is composed of others. WOFF2 and glyf store it in the same form.
func composite(r *stream) (body []byte, hasInstructions bool) {
	start := r.data
	for {
		flags := r.u16()
		size := 4 // glyph index and two 1-byte arguments
		if flags&0x01 != 0 {
			size += 2
		}
		switch {
		case flags&0x08 != 0:
			size += 2
		case flags&0x40 != 0:
			size += 4
		case flags&0x80 != 0:
			size += 8
		}
		r.take(size)
		hasInstructions = hasInstructions || flags&0x100 != 0
		if flags&0x20 == 0 || r.err != nil {
			return start[:len(start)-len(r.data)], hasInstructions
		}
	}
}

// widths undoes the transformation of hmtx (https://www.w3.org/TR/WOFF2/#hmtx_table_format): it restores the omitted
// left side bearings from those of the glyphs.
func widths(data []byte, metrics int, lefts []int16) (hmtx []byte, err error) {
	r := &stream{data: data}
	flags := r.u8()
	if metrics > len(lefts) {
		return nil, errors.New("hmtx has more glyphs than glyf")
	}
	advances := r.take(2 * metrics)
	side := func(i, omitted int) uint16 {
		if flags&omitted != 0 {
			return uint16(lefts[i])
		}
		return uint16(r.u16())
	}
	if r.err != nil {
		return nil, r.err
	}
	for i := range metrics {
		hmtx = binary.BigEndian.AppendUint16(append(hmtx, advances[2*i:2*i+2]...), side(i, 1))
	}
	for i := metrics; i < len(lefts); i++ {
		hmtx = binary.BigEndian.AppendUint16(hmtx, side(i, 2))
	}
	return hmtx, r.err
}

// assemble builds a font file from the tables.
func assemble(flavor []byte, list []table, limit int) ([]byte, error) {
	slices.SortFunc(list, func(a, b table) int { return cmp.Compare(a.tag, b.tag) })
	file := append(bytes.Clone(flavor), make([]byte, 8+16*len(list))...)
	binary.BigEndian.PutUint16(file[4:], uint16(len(list)))
	power := 1
	for 2*power <= len(list) {
		power *= 2
		binary.BigEndian.PutUint16(file[8:], binary.BigEndian.Uint16(file[8:])+1)
	}
	binary.BigEndian.PutUint16(file[6:], uint16(16*power))
	binary.BigEndian.PutUint16(file[10:], uint16(16*(len(list)-power)))
	for i, t := range list {
		row := file[12+16*i:]
		copy(row, t.tag)
		sum := uint32(0)
		for at := 0; at < len(t.data); at += 4 {
			var word [4]byte
			copy(word[:], t.data[at:])
			sum += binary.BigEndian.Uint32(word[:])
		}
		binary.BigEndian.PutUint32(row[4:], sum)
		binary.BigEndian.PutUint32(row[8:], uint32(len(file)))
		binary.BigEndian.PutUint32(row[12:], uint32(len(t.data)))
		file = append(file, t.data...)
		for len(file)%4 != 0 {
			file = append(file, 0)
		}
		if len(file) > limit {
			return nil, errUnpacked
		}
	}
	return file, nil
}

// stream reads numbers from bytes. After the end it returns zeros and sets err.
type stream struct {
	data []byte
	err  error
}

func (s *stream) take(n int) (data []byte) {
	if n < 0 || n > len(s.data) {
		s.err, s.data = io.ErrUnexpectedEOF, nil
		return nil
	}
	data, s.data = s.data[:n], s.data[n:]
	return data
}

func (s *stream) u8() int {
	if b := s.take(1); b != nil {
		return int(b[0])
	}
	return 0
}

func (s *stream) u16() int { return s.u8()<<8 + s.u8() }

func (s *stream) u32() uint32 { return uint32(s.u16())<<16 + uint32(s.u16()) }

// u255 reads a 255UInt16 of up to three bytes (https://www.w3.org/TR/WOFF2/#DataTypes).
func (s *stream) u255() int {
	switch b := s.u8(); b {
	case 253:
		return s.u16()
	case 254:
		return 506 + s.u8()
	case 255:
		return 253 + s.u8()
	default:
		return b
	}
}

// base128 reads a UIntBase128 of at most five bytes with seven bits each.
func (s *stream) base128() (n int) {
	for i := range 5 {
		b := s.u8()
		if i == 0 && b == 0x80 || n>>25 != 0 {
			break
		}
		if n = n<<7 | b&0x7f; b&0x80 == 0 {
			return n
		}
	}
	s.err = errors.New("a number is malformed")
	return 0
}
