package vips

// #include "meta.h"
import "C"

import (
	"bytes"
	"strings"
	"unsafe"
)

// stepMetadata takes out of the header what the result must not carry: always the position, the
// embedded thumbnail, the maker's notes and the orientation, which has been applied; with a
// strip filter what it names. Copyright and artist stay unless EXIF is stripped.
func stepMetadata(j *job) error {
	drop := j.dropped()
	return j.apply(func(i *image) (*image, error) {
		names := i.fields()
		xmp := i.blob("xmp-data")
		return i.withHeader(func(v *C.VipsImage) {
			for _, name := range names {
				if drop(name) || name == "xmp-data" && private(xmp) {
					key := C.CString(name)
					C.sl_remove(v, key)
					C.free(unsafe.Pointer(key))
				}
			}
		})
	})
}

// dropped returns which fields of the header go.
func (j *job) dropped() func(field string) bool {
	all, exif := j.plan.Encode[0].StripAll, j.plan.Encode[0].StripEXIF
	profile := j.icc == nil && j.plan.Colour.Space == ""
	return func(field string) bool {
		switch {
		case strings.HasPrefix(field, "exif-ifd"):
			// IFD 1 is the thumbnail's, IFD 3 holds the position.
			return exif || field[8] == '1' || field[8] == '3' ||
				strings.HasSuffix(field, "-MakerNote") || strings.HasSuffix(field, "-Orientation")
		case field == "exif-data":
			return exif
		case field == "icc-profile-data":
			return profile
		case field == "xmp-data", field == "iptc-data":
			return all
		case field == "orientation", field == "jpeg-thumbnail-data", field == "photoshop-data",
			field == "gif-comment", field == "heif-thumbnail-data", strings.HasPrefix(field, "png-comment-"):
			return true
		}
		return false
	}
}

// private says whether an XMP packet holds a position or a thumbnail.
func private(xmp []byte) bool {
	for _, word := range []string{"GPS", "Thumbnails", "Latitude", "geo:lat"} {
		if bytes.Contains(xmp, []byte(word)) {
			return true
		}
	}
	return false
}

// carries says whether the header holds anything that a file would carry beside its pixels.
func (i *image) carries() bool {
	for _, field := range i.fields() {
		switch {
		case strings.HasPrefix(field, "exif-"), field == "icc-profile-data", field == "xmp-data", field == "iptc-data":
			return true
		}
	}
	return false
}
