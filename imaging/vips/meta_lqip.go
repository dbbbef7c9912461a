package vips

// #include "sl_image.h"
import "C"

import (
	"encoding/base64"
	"fmt"

	"github.com/safelight/safelight/imaging"
)

// maxLQIP is the max length of a placeholder's data URI.
const maxLQIP = 400

// lqipOptions are the options of the encoders without their quality, which differs.
var lqipOptions = map[imaging.Format]string{imaging.WebP: "effort=4,", imaging.JPEG: "optimize_coding=true,"}

// placeholder returns a data URI of a tiny picture of the first frame, without any metadata: of a few sizes and
// qualities, the largest size and then the best quality that is short enough, as WebP, or as JPEG if that is shorter.
// It is empty if even a single pixel is too long.
func placeholder(i *image) (string, error) {
	for _, side := range []int{16, 12, 8, 4, 1} {
		small, err := i.plain(side)
		if err != nil {
			return "", err
		}
		uri, err := small.shortest()
		small.close()
		if uri != "" || err != nil {
			return uri, err
		}
	}
	return "", nil
}

// shortest returns the image, at the highest quality of a few at which it is short enough; empty
// at none. A build may lack one of the formats, so only both failing is an error.
func (i *image) shortest() (string, error) {
	formats := []imaging.Format{imaging.WebP, imaging.JPEG}
	if i.hasAlpha() {
		formats = formats[:1]
	}
	for _, quality := range []int{90, 75, 50, 30, 15} {
		best, failures := "", 0
		var err error
		for _, f := range formats {
			var data []byte
			if data, err = i.saveUntil(nil, f, fmt.Sprintf("%sQ=%d", lqipOptions[f], quality)); err != nil {
				failures++
				continue
			}
			if f == imaging.WebP {
				data = bareWebP(data)
			}
			uri := "data:" + f.ContentType() + ";base64," + base64.StdEncoding.EncodeToString(data)
			if len(uri) <= maxLQIP && (best == "" || len(uri) < len(best)) {
				best = uri
			}
		}
		if failures == len(formats) {
			return "", err
		}
		if best != "" {
			return best, nil
		}
	}
	return "", nil
}

// plain returns the first frame with at most side pixels a side, in memory, with nothing in its
// header, and not to be stopped: libvips 8.14's WebP saver leaks when it is.
func (i *image) plain(side int) (*image, error) {
	small, err := i.sample(side)
	if err != nil {
		return nil, err
	}
	defer small.close()
	quiet, err := small.unwatched()
	if err != nil {
		return nil, err
	}
	defer quiet.close()
	names := quiet.fields()
	return quiet.withHeader(func(v *C.VipsImage) {
		for _, name := range names {
			removeField(v, name)
		}
	})
}
