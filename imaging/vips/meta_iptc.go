package vips

import (
	"bytes"
	"encoding/binary"
)

// Bounds on reading an IPTC block, whose length is a stranger's to choose.
const (
	maxIPTC   = 256 << 10 // bytes
	maxRepeat = 100       // values of one dataset
)

// dataset is how a dataset of IPTC's record 2 is returned. many says that IPTC lets it be repeated:
// then it is always a list.
type dataset struct {
	name string
	many bool
}

// datasets is IPTC-IIM 4.2's record 2 by number, what describes a picture of it.
var datasets = map[byte]dataset{
	5: {name: "object_name"}, 7: {name: "edit_status"}, 10: {name: "urgency"}, 15: {name: "category"},
	20: {"supplemental_categories", true}, 22: {name: "fixture_identifier"}, 25: {"keywords", true},
	40: {name: "special_instructions"}, 55: {name: "date_created"}, 60: {name: "time_created"},
	62: {name: "digital_creation_date"}, 63: {name: "digital_creation_time"},
	65: {name: "originating_program"}, 70: {name: "program_version"}, 80: {"byline", true},
	85: {"byline_title", true}, 90: {name: "city"}, 92: {name: "sublocation"}, 95: {name: "province_state"},
	100: {name: "country_code"}, 101: {name: "country"}, 103: {name: "original_transmission_reference"},
	105: {name: "headline"}, 110: {name: "credit"}, 115: {name: "source"}, 116: {name: "copyright_notice"},
	118: {"contact", true}, 120: {name: "caption"}, 122: {"writer", true},
}

// iptcOf reads an IPTC block as libvips hands it on: Photoshop's resources as a JPEG has them, or the bare datasets as
// a TIFF has them. It stops at truncated or invalid data, and returns what it has read so far; nil if that is nothing.
func iptcOf(data []byte) map[string]any {
	data = iptcDatasets(data)
	var tags map[string]any
	for {
		record, number, value, rest, ok := nextDataset(data)
		if !ok {
			return tags
		}
		data = rest
		d, known := datasets[number]
		text := legible(value)
		if record != 2 || !known || text == "" {
			continue
		}
		if tags == nil {
			tags = map[string]any{}
		}
		d.add(tags, text)
	}
}

// iptcDatasets returns the datasets of a block, without what Photoshop puts around them.
func iptcDatasets(data []byte) []byte {
	data = data[:min(len(data), maxIPTC)]
	data = bytes.TrimPrefix(data, []byte("Photoshop 3.0\x00"))
	if bytes.HasPrefix(data, []byte("8BIM")) {
		return photoshopResource(data, 0x0404)
	}
	return data
}

// add notes a value; the first one counts where there can be only one.
func (d dataset) add(tags map[string]any, text string) {
	if !d.many {
		if _, ok := tags[d.name]; !ok {
			tags[d.name] = text
		}
		return
	}
	if list, _ := tags[d.name].([]string); len(list) < maxRepeat {
		tags[d.name] = append(list, text)
	}
}

// photoshopResource returns the first of Photoshop's image resources with that number: each is
// "8BIM", number, a name with its length before it, size, bytes; name and bytes padded to even.
// Adobe Photoshop File Formats Specification, Image Resource Blocks.
func photoshopResource(data []byte, number uint16) []byte {
	for len(data) >= 12 && string(data[:4]) == "8BIM" {
		found := binary.BigEndian.Uint16(data[4:])
		at := 6 + (int(data[6])+2)&^1
		if at+4 > len(data) {
			return nil
		}
		size := int64(binary.BigEndian.Uint32(data[at:]))
		data = data[at+4:]
		if found == number {
			return data[:min(size, int64(len(data)))]
		}
		data = data[min(size+size&1, int64(len(data))):]
	}
	return nil
}

// nextDataset takes the first dataset off data: 0x1C, record, number, and a size of 15 bits, or
// with its top bit set of as many bytes as the rest of it says. IPTC-IIM 4.2, section 1.5.
func nextDataset(data []byte) (record, number byte, value, rest []byte, ok bool) {
	if len(data) < 5 || data[0] != 0x1C {
		return 0, 0, nil, nil, false
	}
	size, at := int64(binary.BigEndian.Uint16(data[3:])), 5
	if size&0x8000 != 0 {
		digits := int(size & 0x7FFF)
		if digits > 4 || len(data) < 5+digits {
			return 0, 0, nil, nil, false
		}
		size = 0
		for _, b := range data[5 : 5+digits] {
			size = size<<8 | int64(b)
		}
		at += digits
	}
	if size > int64(len(data)-at) {
		return 0, 0, nil, nil, false
	}
	end := at + int(size)
	return data[1], data[2], data[at:end], data[end:], true
}
