// Package fontstest makes fonts for tests.
package fontstest

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/andybalholm/brotli"
)

// known are the numbers of tables in a WOFF2 (https://www.w3.org/TR/WOFF2/#table_dir_format).
var known = []string{
	"cmap", "head", "hhea", "hmtx", "maxp", "name", "OS/2", "post", "cvt ", "fpgm", "glyf", "loca", "prep",
}

// WOFF2 packs a TrueType file, without transforming its tables.
func WOFF2(t testing.TB, ttf []byte) []byte {
	t.Helper()
	count := int(binary.BigEndian.Uint16(ttf[4:]))
	var directory, tables []byte
	for i := range count {
		row := ttf[12+16*i:]
		tag := string(row[:4])
		at, size := binary.BigEndian.Uint32(row[8:]), binary.BigEndian.Uint32(row[12:])
		number := 63
		for n, one := range known {
			if one == tag {
				number = n
			}
		}
		if tag == "glyf" || tag == "loca" {
			number |= 3 << 6 // not transformed
		}
		directory = append(directory, byte(number))
		if number == 63 {
			directory = append(directory, tag...)
		}
		directory = append(directory, base128(size)...)
		tables = append(tables, ttf[at:at+size]...)
	}
	var packed bytes.Buffer
	w := brotli.NewWriter(&packed)
	if _, err := w.Write(tables); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	header := make([]byte, 48)
	copy(header, "wOF2\x00\x01\x00\x00")
	binary.BigEndian.PutUint16(header[12:], uint16(count))
	binary.BigEndian.PutUint32(header[16:], uint32(len(ttf)))
	binary.BigEndian.PutUint32(header[20:], uint32(packed.Len()))
	file := append(append(header, directory...), packed.Bytes()...)
	for len(file)%4 != 0 {
		file = append(file, 0)
	}
	binary.BigEndian.PutUint32(file[8:], uint32(len(file)))
	return file
}

func base128(n uint32) []byte {
	list := []byte{byte(n & 0x7f)}
	for n >>= 7; n > 0; n >>= 7 {
		list = append([]byte{byte(n&0x7f) | 0x80}, list...)
	}
	return list
}
