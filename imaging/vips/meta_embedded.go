package vips

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

const (
	maxXMP       = 256 << 10 // bytes of an XMP packet that are returned
	digestBuffer = 64 << 10  // bytes that are summed up at once: they stay in the processor's caches
)

// embedded returns an Info with the EXIF data of the source's header and the parts that metadata filters request,
// without those that a strip filter removes. The job's image, or the image that provided the header, must be fresh
// from the loader.
func (j *job) embedded() *imaging.Info {
	info := &imaging.Info{Exif: map[string]any{}}
	img := j.image
	if img == nil && j.input != nil {
		img = j.input.spare
	}
	if img == nil || imaging.HasCall(j.plan.Calls, "strip_metadata") {
		return info
	}
	if exif := exifOf(img); exif != nil && !imaging.HasCall(j.plan.Calls, "strip_exif") {
		info.Exif = exif
	}
	if imaging.HasCall(j.plan.Calls, "iptc") {
		info.IPTC = iptcOf(img.blob("iptc-data"))
	}
	if imaging.HasCall(j.plan.Calls, "xmp") {
		info.XMP = xmpOf(img.blob("xmp-data"))
	}
	if imaging.HasCall(j.plan.Calls, "icc") && !imaging.HasCall(j.plan.Calls, "strip_icc") {
		info.ICC = profileName(img.blob("icc-profile-data"))
	}
	return info
}

// xmpOf returns an XMP packet as valid UTF-8 of at most maxXMP bytes.
func xmpOf(data []byte) string {
	data = data[:min(len(data), maxXMP)]
	return cut(strings.TrimRight(strings.ToValidUTF8(string(data), "\uFFFD"), "\x00"), maxXMP)
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
	if s := j.input.source; s.data != nil && !s.isCut {
		h.Write(j.input.source.data)
		return hex.EncodeToString(h.Sum(nil)), nil
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return "", unreadable(err, j.name)
	}
	buffer := j.engine.buffers.get(digestBuffer)[:digestBuffer]
	defer j.engine.buffers.put(buffer)
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

// exifType matches what libvips writes after the value of a tag: its type and size.
var exifType = regexp.MustCompile(`, [A-Za-z]+, \d+ components?, \d+ bytes?\)$`)

// exifOf returns the picture's EXIF tags by name: text, or a whole number where the value is one.
// Tags of the embedded thumbnail and the maker's private notes are left out.
func exifOf(i *image) map[string]any {
	tags := map[string]any{}
	for _, field := range i.fields() {
		rest, ok := strings.CutPrefix(field, "exif-ifd")
		if !ok || strings.HasPrefix(rest, "1-") || strings.HasSuffix(rest, "-MakerNote") {
			continue
		}
		_, name, ok := strings.Cut(rest, "-")
		if !ok {
			continue
		}
		tags[name] = exifValue(i.text(field))
	}
	return tags
}

// exifValue reads libvips' description of a tag: "value (value in words, type, size)".
func exifValue(text string) any {
	end := exifType.FindStringIndex(text)
	if end != nil {
		text = text[:end[0]]
		half := (len(text) - 2) / 2
		if half >= 0 && len(text) == 2*half+2 && text[:half] == text[half+2:] {
			text = text[:half] // text may hold parentheses of its own; it appears twice
		} else {
			text, _, _ = strings.Cut(text, " (")
		}
	}
	text = strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD")
	if n, err := strconv.Atoi(text); err == nil && strconv.Itoa(n) == text {
		return n
	}
	return text
}
