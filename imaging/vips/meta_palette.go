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
// begins and k-means completes; the same pixels always have the same palette. quick is that of swatchesOf.
func paletteOf(pixels *gimage.NRGBA, n int, quick bool) []imaging.PaletteColour {
	all := swatchesOf(pixels, quick)
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
func dominantOf(pixels *gimage.NRGBA, quick bool) *imaging.RGB {
	var best *imaging.RGB
	most := 0.0
	for _, c := range paletteOf(pixels, 5, quick) {
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
// first pixels. Colours that agree in the upper 5 bits of each channel are one: their mean in
// OKLab, or, if it is to be quick, that of their channels, which differs by less than a level but
// among nearly black ones.
func swatchesOf(pixels *gimage.NRGBA, quick bool) []swatch {
	var place [1 << 15]uint16 // in the list, from 1
	list := make([]swatch, placed(pixels, &place))
	for p := pixels.Pix; len(p) >= 4; p = p[4:] {
		if p[3] == 0 {
			continue
		}
		key := keyOf(p)
		sum := (*total)(&list[place[key]-1])
		if key == 0 || !quick {
			sum.add(swatch{oklab.Of(imaging.RGB{R: p[0], G: p[1], B: p[2]}), float64(p[3])})
			continue
		}
		weight := float64(p[3]) // sums of whole numbers are exact
		sum.weight += weight
		sum.colour[0] += weight * float64(p[0])
		sum.colour[1] += weight * float64(p[1])
		sum.colour[2] += weight * float64(p[2])
	}
	exact := place[0]
	for n := range list {
		s := &list[n]
		if !quick || n+1 == int(exact) {
			*s = (*total)(s).mean()
			continue
		}
		s.colour = oklab.OfChannels(s.colour[0]/s.weight, s.colour[1]/s.weight, s.colour[2]/s.weight)
	}
	return list
}

// keyOf is the upper 5 bits of the channels of a pixel.
func keyOf(p []uint8) uint16 { return uint16(p[0]>>3)<<10 | uint16(p[1]>>3)<<5 | uint16(p[2]>>3) }

// placed numbers the keys of the pixels from 1, in the order of their first ones, and returns how many there are.
func placed(pixels *gimage.NRGBA, place *[1 << 15]uint16) (count uint16) {
	for p := pixels.Pix; len(p) >= 4; p = p[4:] {
		if at := &place[keyOf(p)]; *at == 0 && p[3] != 0 {
			count++
			*at = count
		}
	}
	return count
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
