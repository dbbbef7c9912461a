package embedded

import (
	"bytes"
	"context"
	"io"

	"github.com/safelight/safelight/imaging"
)

// A JPEG without a thumbnail is looked at with that many pixels on its longer side, unless the shorter one has less than the perceptual hash then.
const (
	lookSide = 256
	maxRatio = 8
)

// The filters of an analysis.
const (
	Look = "blurhash(4,3):thumbhash():dominant():phash()" // what pixels show
	Sum  = "sha256()"
)

// Inspect analyzes a JPEG: Look by its thumbnail, or by a small decode, all else by the file. A JPEG of any size may be analyzed, because it is no
// result. The errors are those of the engine.
func Inspect(ctx context.Context, engine imaging.Engine, src imaging.Source, limits imaging.Limits) (*imaging.Info, error) {
	limits.MaxResultSide, limits.MaxResultPixels = 0, 0
	ask := func(src imaging.Source, o imaging.Operations) (*imaging.Info, error) {
		return engine.Info(ctx, src, imaging.InfoRequest{Operations: o}, limits)
	}
	whole := read(src.Reader)
	if _, err := src.Reader.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	if small := whole.thumbnail(); small != nil {
		look, err := ask(imaging.Source{Name: src.Name, Size: int64(len(small)), Reader: bytes.NewReader(small)}, imaging.Operations{Filters: Look})
		if err == nil {
			info, err := ask(src, imaging.Operations{Filters: Sum})
			if err == nil {
				info.BlurHash, info.ThumbHash, info.DominantColor, info.PHash = look.BlurHash, look.ThumbHash, look.DominantColor, look.PHash
			}
			return info, err
		}
	}
	o := imaging.Operations{Filters: Look + ":" + Sum}
	if max(whole.width, whole.height) > maxRatio*min(whole.width, whole.height) || whole.width == 0 { // out of the ordinary
		return ask(src, o)
	}
	o.Fit, o.Width, o.Height = imaging.Fit{In: true}, lookSide, lookSide
	info, err := ask(src, o)
	if err == nil {
		info.Width, info.Height = whole.width, whole.height
		if info.Orientation > 4 {
			info.Width, info.Height = whole.height, whole.width
		}
	}
	return info, err
}
