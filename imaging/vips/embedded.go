package vips

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// mostXMP is how many bytes of an XMP packet are told.
const mostXMP = 256 << 10

// embedded returns an Info with what the metadata filters ask of the source's header, without
// what a strip filter takes away. The job's image is fresh from the loader.
func (j *job) embedded() *imaging.Info {
	info := &imaging.Info{}
	if j.has("strip_metadata") {
		return info
	}
	if j.has("iptc") {
		info.IPTC = iptcOf(j.image.blob("iptc-data"))
	}
	if j.has("xmp") {
		info.XMP = xmpOf(j.image.blob("xmp-data"))
	}
	if j.has("icc") && !j.has("strip_icc") {
		info.ICC = profileName(j.image.blob("icc-profile-data"))
	}
	return info
}

// xmpOf returns an XMP packet as valid UTF-8 of at most mostXMP bytes.
func xmpOf(data []byte) string {
	data = data[:min(len(data), mostXMP)]
	return cut(strings.TrimRight(strings.ToValidUTF8(string(data), "\uFFFD"), "\x00"), mostXMP)
}

// cut returns at most the first n bytes of valid UTF-8, without a part of a character at the end.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// legible returns text of an unknown encoding: UTF-8 where it is valid, else taken for Latin-1,
// without the NULs and spaces around it.
func legible(data []byte) string {
	text := string(data)
	if !utf8.Valid(data) {
		runes := make([]rune, len(data))
		for n, b := range data {
			runes[n] = rune(b)
		}
		text = string(runes)
	}
	return strings.Trim(text, "\x00 \t\r\n")
}

// digest returns the SHA-256 of the source's bytes, in hexadecimal. It reads r again from its start
// unless the job holds all of it, and returns a fault.TooLarge for more than MaxSourceBytes.
func (j *job) digest(r io.ReadSeeker) (string, error) {
	h := sha256.New()
	if j.source.data != nil {
		h.Write(j.source.data)
		return hex.EncodeToString(h.Sum(nil)), nil
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return "", unreadable(err, j.name)
	}
	buffer := make([]byte, 64<<10)
	for size := int64(0); ; {
		if err := j.ended(); err != nil {
			return "", err
		}
		n, err := r.Read(buffer)
		h.Write(buffer[:n])
		size += int64(n)
		if limit := j.limits.MaxSourceBytes; limit > 0 && size > limit {
			return "", fault.New(fault.TooLarge, "The file %s has more than %d bytes", j.name, limit)
		}
		switch err {
		case nil:
		case io.EOF:
			return hex.EncodeToString(h.Sum(nil)), nil
		default:
			return "", unreadable(err, j.name)
		}
	}
}
