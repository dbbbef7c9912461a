package vips

import (
	gimage "image"
	"math"
	"slices"
	"sort"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/oklab"
)

// What a palette is made of and like.
const (
	paletteSide  = 128  // pixels of the thumbnail's longest side
	paletteSize  = 6    // colours where none are asked for
	paletteAlike = 0.02 // the distance in OKLab below which two colours are taken for one
)

// paletteOf returns the at most n most important colours of the pixels and their shares, the
// largest first; fewer where there are no more or they look alike, none where nothing is visible.
// A pixel counts by its alpha. The colours are the means of clusters in OKLab, which median cut
// begins and k-means completes; the same pixels always have the same palette.
func paletteOf(pixels *gimage.NRGBA, n int) []imaging.PaletteColour {
	all := swatchesOf(pixels)
	total := 0.0
	for _, s := range all {
		total += s.weight
	}
	palette := []imaging.PaletteColour{}
	for _, s := range distinct(refined(all, medianCut(all, n))) {
		share := math.Round(s.weight/total*1e4) / 1e4
		if share > 0 {
			palette = append(palette, imaging.PaletteColour{RGB: s.colour.RGB(), Share: share})
		}
	}
	sort.SliceStable(palette, func(i, j int) bool { return palette[i].Share > palette[j].Share })
	return palette
}

// dominantOf returns the colour of a palette of 5 with the highest share x (1 + 2.5 chroma), chroma
// in OKLab: pure colours, about 0.2 to 0.3, count up to 1.8 times as much as the greys that most
// backgrounds are. It returns nil where nothing is visible.
func dominantOf(pixels *gimage.NRGBA) *imaging.RGB {
	var best *imaging.RGB
	most := 0.0
	for _, c := range paletteOf(pixels, 5) {
		if score := c.Share * (1 + 2.5*oklab.Of(c.RGB).Chroma()); score > most {
			best, most = &c.RGB, score
		}
	}
	return best
}

// swatch is a colour and how much of the picture has it.
type swatch struct {
	colour oklab.Colour
	weight float64
}

// mix returns the mean colour of two swatches, with the weight of both.
func (s swatch) mix(t swatch) swatch {
	weight := s.weight + t.weight
	for k := range s.colour {
		s.colour[k] += (t.colour[k] - s.colour[k]) * t.weight / weight
	}
	s.weight = weight
	return s
}

// swatchesOf returns the colours of the pixels that are not transparent, in the order of their
// first pixels. Colours that agree in the upper 5 bits of each channel are one.
func swatchesOf(pixels *gimage.NRGBA) []swatch {
	var list []swatch
	place := make([]int32, 1<<15) // in the list, from 1
	for p := pixels.Pix; len(p) >= 4; p = p[4:] {
		if p[3] == 0 {
			continue
		}
		s := swatch{oklab.Of(imaging.RGB{R: p[0], G: p[1], B: p[2]}), float64(p[3])}
		key := uint16(p[0]>>3)<<10 | uint16(p[1]>>3)<<5 | uint16(p[2]>>3)
		if at := place[key]; at > 0 {
			list[at-1] = list[at-1].mix(s)
			continue
		}
		list = append(list, s)
		place[key] = int32(len(list))
	}
	return list
}

// distinct joins swatches that look alike, the closest first.
func distinct(list []swatch) []swatch {
	for {
		first, second, least := 0, 0, paletteAlike*paletteAlike
		for a := range list {
			for b := range a {
				if d := list[a].colour.Squared(list[b].colour); d < least {
					first, second, least = b, a, d
				}
			}
		}
		if first == second {
			return list
		}
		list[first] = list[first].mix(list[second])
		list = slices.Delete(list, second, second+1)
	}
}
