package vips

// #include "sl_image.h"
import "C"

import (
	"bytes"
	"slices"
	"strings"
	"unsafe"

	"github.com/safelight/safelight/imaging"
)

// stepMetadata removes from the header what the result must not carry. Unless keep_metadata() or the operator says
// otherwise, this is everything except copyright, artist and credit. In any case, it is the position, serial numbers,
// the embedded thumbnail, the maker's notes, and the orientation, which has been applied. EXIF and IPTC are written
// anew, so they contain nothing that libvips does not know.
func stepMetadata(j *job) error {
	e := j.plan.Encode[0]
	drop := j.dropped()
	return j.apply(func(i *image) (*image, error) {
		names := i.fields()
		// The blocks are copied only if the result keeps something from them.
		var credits []credit
		if !e.StripEXIF {
			credits = creditsOf(i.blob("exif-data"))
		}
		var iptc []byte
		if !e.StripAll {
			iptc = iptcBlock(i.blob("iptc-data"), e.KeepMetadata, e.Format != imaging.TIFF)
		}
		return i.withHeader(func(v *C.VipsImage) {
			for _, name := range names {
				if drop(name) || name == "xmp-data" && private(i.blob(name)) {
					removeField(v, name)
				}
			}
			if !e.StripEXIF && (e.KeepMetadata || len(credits) > 0) {
				setBlob(v, "exif-data", exifBlock(credits))
			}
			if iptc != nil {
				setBlob(v, "iptc-data", iptc)
			}
		})
	})
}

func removeField(v *C.VipsImage, name string) {
	key := C.CString(name)
	defer C.free(unsafe.Pointer(key))
	C.sl_remove(v, key)
}

func setBlob(v *C.VipsImage, name string, data []byte) {
	key := C.CString(name)
	defer C.free(unsafe.Pointer(key))
	C.sl_set_blob(v, key, unsafe.Pointer(&data[0]), C.size_t(len(data)))
}

// dropped returns a function that reports whether a field of the header is removed.
func (j *job) dropped() func(field string) bool {
	e := j.plan.Encode[0]
	profile := j.icc == nil && j.plan.Colour.Space == ""
	return func(field string) bool {
		switch {
		case strings.HasPrefix(field, "exif-ifd"):
			return e.StripEXIF || !keptTag(field, e.KeepMetadata)
		case field == "icc-profile-data":
			return profile
		case field == "xmp-data":
			return e.StripAll || !e.KeepMetadata
		case field == "exif-data", field == "iptc-data": // written again
			return true
		case field == "orientation",
			field == "jpeg-thumbnail-data",
			field == "photoshop-data",
			field == "image-description",
			field == "gif-comment",
			field == "heif-thumbnail-data",
			strings.HasPrefix(field, "png-comment-"),
			strings.HasPrefix(field, "jpeg-comment-"):
			return true
		}
		return false
	}
}

// creditTags are the EXIF tags with credits.
var creditTags = []string{"exif-ifd0-Copyright", "exif-ifd0-Artist"}

// keptTag reports whether an EXIF tag stays; with all, every harmless tag stays.
func keptTag(field string, all bool) bool {
	if slices.Contains(creditTags, field) {
		return true
	}
	// IFD 1 belongs to the thumbnail, and IFD 3 holds the position.
	return all && field[8] != '1' && field[8] != '3' && !strings.HasSuffix(field, "-MakerNote") &&
		!strings.HasSuffix(field, "-Orientation") &&
		!strings.Contains(field, "Serial") &&
		!strings.HasSuffix(field, "-ImageUniqueID")
}

// private reports whether an XMP packet contains a position, a thumbnail or a serial number.
func private(xmp []byte) bool {
	for _, word := range []string{"GPS", "Thumbnails", "Latitude", "geo:lat", "SerialNumber", "MakerNote"} {
		if bytes.Contains(xmp, []byte(word)) {
			return true
		}
	}
	return false
}

// carries reports whether the header contains anything that a file would store in addition to the pixels.
func (i *image) carries() bool {
	for _, field := range i.fields() {
		switch {
		case strings.HasPrefix(field, "exif-"), field == "icc-profile-data", field == "xmp-data", field == "iptc-data":
			return true
		}
	}
	return false
}
