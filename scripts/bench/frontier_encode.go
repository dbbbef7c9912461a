package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
)

// encoder is a family of encoder settings that is compared with one of them.
type encoder struct {
	format    string
	base      string // the name of the settings that the others are compared with
	at        int    // its quality
	qualities []int
	settings  []variant
}

func encoders() []encoder {
	jpeg := encoder{"JPEG", "optimized", 80, []int{65, 80, 90}, nil}
	for _, v := range [][2]string{{"optimized", ",optimize_coding"}, {"optimized, 4:4:4",
		",optimize_coding,subsample_mode=off"}, {"plain", ""}} {
		jpeg.settings = append(jpeg.settings, variant{Name: v[0], Group: "JPEG",
			Flags: []string{".jpg[strip,Q=%d" + v[1] + "]"}})
	}
	webp := encoder{"WebP", "effort 4", 80, []int{65, 80, 90}, nil}
	for _, effort := range []int{2, 4, 6} {
		webp.settings = append(webp.settings, variant{Name: fmt.Sprintf("effort %d", effort), Group: "WebP",
			Flags: []string{fmt.Sprintf(".webp[strip,Q=%%d,effort=%d]", effort)}})
	}
	webp.settings = append(webp.settings, variant{Name: "effort 4, sharp", Group: "WebP",
		Flags: []string{".webp[strip,Q=%d,effort=4,smart_subsample]"}})
	avif := encoder{"AVIF", "effort 1", 50, []int{38, 50, 62}, nil}
	for _, effort := range []int{0, 1, 3} {
		avif.settings = append(avif.settings, variant{Name: fmt.Sprintf("effort %d", effort), Group: "AVIF",
			Flags: []string{fmt.Sprintf(".avif[strip,Q=%%d,effort=%d,bitdepth=8]", effort)}})
	}
	return []encoder{jpeg, webp, avif}
}

// encoders measures all encoder settings on a scaled picture.
func (f *frontier) encoders(ctx context.Context, picture, reference string) error {
	for _, e := range encoders() {
		for _, v := range e.settings {
			for _, quality := range e.qualities {
				arguments := []string{"source=" + filepath.Clean(reference), "width=100000", "height=100000",
					"mode=fit", "save=" + fmt.Sprintf(v.Flags[0], quality)}
				line, err := f.one(ctx, variant{Name: e.format + " " + v.Name, Encodes: true}, arguments, reference)
				if err != nil {
					return err
				}
				line.Picture, line.Width, line.Quality = picture, 800, quality
				if err := f.log.Encode(line); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// bytesAt returns how many bytes a curve of scores takes to reach a score, by the logarithm of the bytes between the
// two nearest, NaN if the score is outside of the curve.
func bytesAt(curve []scaled, score float64) float64 {
	curve = slices.Clone(curve)
	slices.SortFunc(curve, func(a, b scaled) int { return a.Quality - b.Quality })
	for i := 1; i < len(curve); i++ {
		low, high := curve[i-1], curve[i]
		if low.Score <= score && score <= high.Score && high.Score > low.Score {
			t := (score - low.Score) / (high.Score - low.Score)
			return math.Exp(math.Log(float64(low.Bytes))*(1-t) + math.Log(float64(high.Bytes))*t)
		}
	}
	return math.NaN()
}
