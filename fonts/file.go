package fonts

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/safelight/safelight/ent"
	entfont "github.com/safelight/safelight/ent/font"
	"github.com/safelight/safelight/fault"
)

// The limits of a font file.
const (
	MaxBytes  = 10 << 20 // as TTF or OTF
	maxTables = 128
	maxName   = 100 // characters in the name of a family or a style
)

// read returns a font file as TTF or OTF, with its family, style and weight. It does not parse the glyphs; only a
// worker does. It returns fault.UnsupportedType for another kind of file, fault.CorruptImage for a damaged one,
// fault.TooLarge beyond MaxBytes and fault.Invalid for a name that URLs cannot contain.
func read(content []byte) (file []byte, f *ent.Font, err error) {
	if file = content; len(content) <= MaxBytes && bytes.HasPrefix(content, []byte("wOF2")) {
		file, err = unpack(content, MaxBytes)
	}
	if len(file) > MaxBytes || err == errUnpacked {
		return nil, nil, fault.OnField(fault.TooLarge, "content", "the font has more than %d MB", MaxBytes>>20)
	}
	if err != nil {
		return nil, nil, damaged(err)
	}
	f, err = describe(file)
	return file, f, err
}

// describe is read for a TTF or OTF file.
func describe(file []byte) (*ent.Font, error) {
	f := &ent.Font{ID: fmt.Sprintf("font-%x", sha256.Sum256(file))[:len("font-")+32], SizeBytes: int64(len(file))}
	switch string(file[:min(4, len(file))]) {
	case "\x00\x01\x00\x00", "true":
		f.Format = entfont.FormatTTF
	case "OTTO":
		f.Format = entfont.FormatOTF
	default:
		return nil, fault.OnField(fault.UnsupportedType, "content",
			"the file is not a font, expected TTF, OTF or WOFF2")
	}
	names, metrics, err := tablesOf(file)
	if err != nil {
		return nil, damaged(err)
	}
	// https://learn.microsoft.com/typography/opentype/spec/name: 16 and 17 are the names of families with more than
	// four styles
	f.Family, f.Style = nameOf(names, 16), nameOf(names, 17)
	if f.Family == "" || f.Style == "" {
		f.Family, f.Style = nameOf(names, 1), nameOf(names, 2)
	}
	if f.Style == "" {
		f.Style = "Regular"
	}
	if err := checkNames(f); err != nil {
		return nil, err
	}
	f.Weight = 400
	if len(metrics) >= 64 { // https://learn.microsoft.com/typography/opentype/spec/os2
		f.Weight = min(max(int32(binary.BigEndian.Uint16(metrics[4:])), 1), 1000)
		f.IsItalic = binary.BigEndian.Uint16(metrics[62:])&(1|1<<9) != 0
	}
	return f, nil
}

func damaged(err error) error {
	return &fault.Error{Code: fault.CorruptImage, Field: "content", Message: "the font is damaged", Err: err}
}

// checkNames returns fault.Invalid unless a URL can name the family.
func checkNames(f *ent.Font) error {
	for what, name := range map[string]string{"family": f.Family, "style": f.Style} {
		if name == "" || len([]rune(name)) > maxName || strings.ContainsFunc(name, func(r rune) bool {
			return !unicode.IsPrint(r) || r == unicode.ReplacementChar
		}) || name != strings.TrimSpace(name) {
			return fault.OnField(fault.Invalid, "content",
				"the name of the %s is %s, expected 1 to %d printable characters", what, fault.Quote(name), maxName)
		}
	}
	if at := strings.IndexAny(f.Family, "-,@#"); at >= 0 || strings.Contains(f.Family, "  ") {
		return fault.OnField(fault.Invalid, "content",
			"the family is called %s, expected a name without -, comma, @, # and double spaces, which URLs cannot name",
			fault.Quote(f.Family))
	}
	return nil
}

// tablesOf returns the tables name and OS/2 of a file (https://learn.microsoft.com/typography/opentype/spec/otff). OS/2
// may be missing.
func tablesOf(file []byte) (names, metrics []byte, err error) {
	if len(file) < 12 {
		return nil, nil, io.ErrUnexpectedEOF
	}
	count := int(binary.BigEndian.Uint16(file[4:]))
	if count > maxTables || len(file) < 12+16*count {
		return nil, nil, fmt.Errorf("%d tables", count)
	}
	for i := range count {
		row := file[12+16*i:]
		at, size := uint64(binary.BigEndian.Uint32(row[8:])), uint64(binary.BigEndian.Uint32(row[12:]))
		if at+size > uint64(len(file)) {
			return nil, nil, fmt.Errorf("table %q ends after the file", row[:4])
		}
		switch string(row[:4]) {
		case "name":
			names = file[at : at+size]
		case "OS/2":
			metrics = file[at : at+size]
		}
	}
	return names, metrics, nil
}

// nameOf returns the name with the given number from a name table: the English one, or else the first one; empty if
// there is none.
func nameOf(table []byte, number uint16) (name string) {
	if len(table) < 6 {
		return ""
	}
	texts := int(binary.BigEndian.Uint16(table[4:]))
	for i := range int(binary.BigEndian.Uint16(table[2:])) {
		if len(table) < 18+12*i {
			break
		}
		row := table[6+12*i:]
		at := func(n int) uint16 { return binary.BigEndian.Uint16(row[2*n:]) }
		start := texts + int(at(5))
		end := start + int(at(4))
		if at(3) != number || end > len(table) {
			continue
		}
		platform, language := at(0), at(2)
		text := table[start:end]
		switch {
		case platform == 3 && language == 0x409:
			return fromUTF16(text)
		case platform == 3 || platform == 0:
			if name == "" {
				name = fromUTF16(text)
			}
		case platform == 1 && name == "" && isASCII(text):
			name = string(text)
		}
	}
	return name
}

func fromUTF16(text []byte) string {
	units := make([]uint16, len(text)/2)
	for i := range units {
		units[i] = binary.BigEndian.Uint16(text[2*i:])
	}
	return string(utf16.Decode(units))
}

func isASCII(text []byte) bool {
	for _, b := range text {
		if b >= 0x80 {
			return false
		}
	}
	return true
}
