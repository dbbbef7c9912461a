package screen

import (
	"bytes"
	"encoding/binary"
)

// Scans of a JPEG. A decoder goes over all coefficients once for each of them, even if a scan has one byte.
const (
	maxScans      = 500
	maxScanPixels = 3_000_000_000 // pixels times scans; photos have about ten scans
)

// jpeg rejects more scans than any encoder writes.
func (f File) jpeg(*view) error {
	j := jpegScreen{data: f.Data}
	scans, pixels := j.scans()
	if scans > maxScans || int64(scans)*pixels > maxScanPixels {
		return f.tooLarge("has %d scans of %d pixels, which is more than are decoded", scans, pixels)
	}
	return nil
}

type jpegScreen struct {
	data []byte
	at   int
}

// next returns the next marker and what its segment holds; 0 at the end.
func (j *jpegScreen) next() (marker byte, body []byte) {
	for {
		n := bytes.IndexByte(j.data[min(j.at, len(j.data)):], 0xFF)
		if n < 0 {
			return 0, nil
		}
		for j.at += n + 1; j.at < len(j.data) && j.data[j.at] == 0xFF; j.at++ {
		}
		if j.at >= len(j.data) {
			return 0, nil
		}
		marker := j.data[j.at]
		j.at++
		switch {
		case marker <= 0x01, marker >= 0xD0 && marker <= 0xD8: // stuffed, or it stands alone
			continue
		case marker == 0xD9, j.at+2 > len(j.data):
			return 0, nil
		}
		size := int(binary.BigEndian.Uint16(j.data[j.at:]))
		body = j.data[min(j.at+2, len(j.data)):min(j.at+max(size, 2), len(j.data))]
		j.at += max(size, 2)
		return marker, body
	}
}

// scans counts the scans, one over the limit at most, if the decoder keeps coefficients between them; else it returns 0.
func (j *jpegScreen) scans() (scans int, pixels int64) {
	components, isProgressive := 0, false
	for {
		marker, body := j.next()
		switch {
		case marker == 0:
			return scans, pixels
		case isFrame(marker) && len(body) >= 6 && pixels == 0:
			pixels = int64(binary.BigEndian.Uint16(body[1:])) * int64(binary.BigEndian.Uint16(body[3:]))
			components, isProgressive = int(body[5]), marker&3 == 2
		case marker == 0xDA && len(body) > 0:
			if !isProgressive && int(body[0]) == components {
				return 0, pixels // everything is in this scan, the decoder looks no further
			}
			if scans++; scans > maxScans {
				return scans, pixels
			}
		}
	}
}

// isFrame says whether a marker starts a frame.
func isFrame(marker byte) bool {
	return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC
}
