package vips

import (
	"fmt"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// saver is how one format is written.
type saver struct {
	name    string // of libvips' operation into a buffer
	options string // that never change
	quality int    // its own for defaultQuality; 0: the format has none
	scale   scale  // from the quality of URLs to its own
	side    int    // the longest side that the format or its encoder takes
	most    int    // pixels of all frames that are encoded with loss; 0: no bound of its own
	exact   int    // pixels that are encoded without loss
	watched string // of the operation into a target, for an encoder that takes long between rows; empty: not needed
	bare    bool   // metadata that nothing asked for is kept out by an option of libvips
}

// savers is the list of what may be written; what of it this build can, a trial at the start
// says. The qualities are one visual level. AVIF's effort 1 is the encoder's speed 8. The bounds on
// pixels are for encoders that cannot be stopped once they run: none takes more than about 6 s.
var savers = map[imaging.Format]saver{
	imaging.JPEG: {name: "jpegsave_buffer", options: "optimize_coding=true", quality: 80, side: 65535, bare: true},
	imaging.PNG:  {name: "pngsave_buffer", watched: "pngsave_target", options: "filter=all", side: 1 << 24, bare: true},
	imaging.WebP: {name: "webpsave_buffer", options: "effort=4", quality: 79, side: 16383, exact: 8_000_000, bare: true,
		scale: scale{{1, 1}, {10, 5}, {35, 30}, {50, 42}, {65, 58}, {80, 79}, {90, 88}, {95, 94}, {100, 100}}},
	imaging.GIF: {name: "gifsave_buffer", options: "effort=3", side: 65535},
	imaging.AVIF: {name: "heifsave_buffer", options: "compression=av1,effort=1,bitdepth=8", quality: 63, side: 16384, most: 24_000_000, exact: 24_000_000, bare: true,
		scale: scale{{1, 8}, {10, 22}, {20, 33}, {35, 41}, {50, 46}, {60, 50}, {70, 55}, {80, 63}, {90, 77}, {95, 88}, {100, 100}}},
	imaging.HEIF: {name: "heifsave_buffer", options: "compression=hevc,effort=4,bitdepth=8", quality: 50, side: 16384, most: 8_000_000, exact: 8_000_000, bare: true,
		scale: scale{{1, 1}, {80, 50}, {100, 100}}},
	imaging.TIFF: {name: "tiffsave_buffer", options: "compression=deflate,predictor=horizontal", side: 65535},
	imaging.JXL: {name: "jxlsave_buffer", options: "effort=4", quality: 77, side: 65535, exact: 24_000_000, bare: true,
		scale: scale{{1, 1}, {10, 8}, {20, 22}, {35, 45}, {50, 59}, {65, 67}, {80, 77}, {90, 88}, {95, 94}, {100, 100}}},
	imaging.JP2: {name: "jp2ksave_buffer", options: "subsample-mode=off", quality: 40, side: 65535, bare: true,
		scale: scale{{1, 20}, {10, 27}, {35, 33}, {50, 35}, {80, 40}, {90, 42}, {95, 48}, {100, 100}}},
}

// checkTarget refuses a picture that the target cannot hold.
func (j *job) checkTarget() error {
	width, height, pages := j.image.width(), j.image.pageHeight(), j.image.pages()
	if side := savers[j.target].side; width > side || height > side {
		return fault.New(fault.TooLarge, "The result has %dx%d pixels; a side of a %s file can have at most %d", width, height, j.target, side)
	}
	most := savers[j.target].most
	if j.lossless() {
		most = savers[j.target].exact
	}
	if most > 0 && width*height*pages > most {
		return fault.New(fault.TooLarge, "The result has %dx%d pixels in %d frames; %s files of at most %d pixels are written so", width, height, pages, j.target, most)
	}
	return nil
}

// saveOptions returns the saver's options at that quality, which formats without one ignore.
func (j *job) saveOptions(quality int) string {
	options := []string{savers[j.target].atQuality(savers[j.target].scale.at(quality))}
	if effort := j.engine.efforts[j.target]; effort > 0 {
		options = append(options, fmt.Sprintf("effort=%d", effort))
	}
	if j.target == imaging.WebP && j.has("preview") {
		options = append(options, "effort=0") // who moves a slider waits for the encoder, not for the bytes
	}
	if j.lossless() {
		options = append(options, "lossless=true")
		if j.target == imaging.JXL {
			options = append(options, "effort=3") // 4 takes five times as long for 5 % less
		}
	}
	if j.target != imaging.PNG {
		return strings.Join(options, ",")
	}
	if c, ok := j.lastCall("compression"); ok {
		options = append(options, fmt.Sprintf("compression=%d", c.Int("level")))
	}
	if c, ok := j.lastCall("bitdepth"); ok {
		options = append(options, fmt.Sprintf("palette=true,bitdepth=%d", c.Int("bits")))
	} else if j.has("palette") {
		options = append(options, "palette=true")
	}
	return strings.Join(options, ",")
}

// atQuality returns the saver's own options with that quality, where it has one.
func (s saver) atQuality(quality int) string {
	if s.quality == 0 {
		return s.options
	}
	return fmt.Sprintf("%s,Q=%d", s.options, quality)
}

// lossless says whether lossless() is asked for and the target can.
func (j *job) lossless() bool {
	switch j.target {
	case imaging.WebP, imaging.AVIF, imaging.HEIF, imaging.JXL, imaging.JP2:
		return j.has("lossless")
	}
	return false
}
