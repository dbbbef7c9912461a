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

// stepMetadata takes out of the header what the result must not carry: all but copyright, artist and credit, unless
// keep_metadata() or the operator says otherwise; the position, serial numbers, the embedded thumbnail, the maker's
// notes and the orientation, which has been applied, in any case. EXIF and IPTC are written again: nothing that libvips
// does not know stays in them.
func stepMetadata(j *job) error {
	e := j.plan.Encode[0]
	drop := j.dropped()
	return j.apply(func(i *image) (*image, error) {
		names := i.fields()
		// The blocks are copied only where the result carries something of them.
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

// dropped returns which fields of the header go.
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

// creditTags are the EXIF tags that say whose picture it is.
var creditTags = []string{"exif-ifd0-Copyright", "exif-ifd0-Artist"}

// keptTag reports whether an EXIF tag stays; all says that those stay that are harmless.
func keptTag(field string, all bool) bool {
	if slices.Contains(creditTags, field) {
		return true
	}
	// IFD 1 is the thumbnail's, IFD 3 holds the position
	return all && field[8] != '1' && field[8] != '3' && !strings.HasSuffix(field, "-MakerNote") &&
		!strings.HasSuffix(field, "-Orientation") &&
		!strings.Contains(field, "Serial") &&
		!strings.HasSuffix(field, "-ImageUniqueID")
}

// private reports whether an XMP packet holds a position, a thumbnail or a serial number.
func private(xmp []byte) bool {
	for _, word := range []string{"GPS", "Thumbnails", "Latitude", "geo:lat", "SerialNumber", "MakerNote"} {
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
