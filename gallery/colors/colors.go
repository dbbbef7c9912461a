// Package colors decides by which colors a picture is found, and which of them a search for a color matches.
//
// OKLab is divided into cells, small boxes that are represented by one character each. The index stores the
// cells of a picture's noticeable colors, and a search looks for cells. So the rules for noticeable and
// similar colors are implemented only here, in Go, and both databases just compare characters.
package colors

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/oklab"
)

// None is what Stored returns for a picture without colors.
const None = "-"

// PaletteSize is the number of palette colors that Stored expects.
const PaletteSize = 8

// The sides of a cell, and the number of cells that cover the sRGB part of OKLab: a from -0.24 to 0.28, b
// from -0.32 to 0.2.
const (
	sideL, sideAB = 0.05, 0.02
	countL        = 21
	countAB       = 28
	lowestA       = -0.26
	lowestB       = -0.34
)

// firstCell is the character of the first cell, in a private use plane. Cells of the same hue and chroma are
// adjacent.
const firstCell = 0xF0000

func cellOf(c oklab.Colour) rune {
	at := func(v, low, side float64, count int) int {
		return min(max(int(math.Floor((v-low)/side)), 0), count-1)
	}
	l, a, b := at(c[0], 0, sideL, countL), at(c[1], lowestA, sideAB, countAB), at(c[2], lowestB, sideAB, countAB)
	return rune(firstCell + (a*countAB+b)*countL + l)
}

// centerOf is the color in the middle of a cell.
func centerOf(cell rune) oklab.Colour {
	n := int(cell - firstCell)
	l, b, a := n%countL, n/countL%countAB, n/countL/countAB
	return oklab.Colour{
		(float64(l) + 0.5) * sideL,
		lowestA + (float64(a)+0.5)*sideAB,
		lowestB + (float64(b)+0.5)*sideAB,
	}
}

// middle is the color in the middle of a cell.
type middle struct {
	cell        rune
	color       oklab.Colour
	chroma, hue float64 // of the color; precomputed, because it takes a millisecond per search
}

// middles are the centers of the cells that contain a color of sRGB, in the order of the cells.
var middles = sync.OnceValue(func() []middle {
	var filled [countL * countAB * countAB]bool
	for r := 0; r < 256; r += 3 {
		for g := 0; g < 256; g += 3 {
			for b := 0; b < 256; b += 3 {
				filled[cellOf(oklab.Of(imaging.RGB{R: uint8(r), G: uint8(g), B: uint8(b)}))-firstCell] = true
			}
		}
	}
	var list []middle
	for n, some := range filled {
		if some {
			cell := rune(firstCell + n)
			c := centerOf(cell)
			list = append(list, middle{cell, c, c.Chroma(), hueOf(c)})
		}
	}
	return list
})

// alike is the distance in OKLab below which palette colors count as one.
const alike = 0.08

// Stored returns the cells of a picture's noticeable colors, without duplicates, separated by spaces: the
// cell of the dominant color, and those of the palette colors that, together with similar colors, cover
// enough of the picture. It returns None for a picture without colors.
func Stored(dominant *imaging.RGB, palette []imaging.PaletteColour) string {
	var list []string
	seen := map[rune]bool{}
	add := func(c oklab.Colour) {
		if cell := cellOf(c); !seen[cell] {
			seen[cell] = true
			list = append(list, string(cell))
		}
	}
	if dominant != nil {
		add(oklab.Of(*dominant))
	}
	for _, p := range palette {
		c, share := oklab.Of(p.RGB), 0.0
		for _, other := range palette {
			if c.Squared(oklab.Of(other.RGB)) <= alike*alike {
				share += other.Share
			}
		}
		if share >= noticed(c) {
			add(c)
		}
	}
	if len(list) == 0 {
		return None
	}
	return strings.Join(list, " ")
}

// noticed returns the share of a picture from which a color is noticeable: 3 % for vivid colors, a quarter
// for gray.
func noticed(c oklab.Colour) float64 {
	const gray, vivid = 0.02, 0.13 // chroma
	vividness := min(max((c.Chroma()-gray)/(vivid-gray), 0), 1)
	return 0.25 + vividness*(0.03-0.25)
}

// Like returns the cells that a search for a color matches, in order. within is a distance in OKLab. If it is
// nil, Like returns the colors that people call by the same name. How far they extend depends on the hue.
func Like(wanted imaging.RGB, within *float64) []rune {
	c := oklab.Of(wanted)
	own := cellOf(c)
	list := []rune{own} // the center of this cell may be farther away than within
	isLike := sameName(c)
	if within != nil {
		isLike = func(m *middle) bool { return c.Squared(m.color) <= *within**within }
	}
	all := middles()
	for i := range all {
		if m := &all[i]; m.cell != own && isLike(m) {
			list = append(list, m.cell)
		}
	}
	slices.Sort(list)
	return list
}

// band is the range of colors around a hue that share its name.
type band struct{ hue, degrees, lightness float64 }

// bands are sorted by hue. Values between two hues are interpolated. Yellow and orange are narrow, because
// darker shades are olive and brown. Blue is wide, from sky blue to ink.
var bands = []band{
	{0, 15, 0.20},   // pink
	{27, 17, 0.27},  // red
	{55, 17, 0.17},  // orange, brown
	{95, 17, 0.20},  // yellow
	{142, 28, 0.34}, // green
	{192, 24, 0.28}, // teal
	{255, 30, 0.38}, // blue
	{310, 28, 0.32}, // purple
	{345, 16, 0.22}, // magenta
	{360, 15, 0.20},
}

// sameName returns a function that reports whether people would call the center of a cell by the same name as
// c.
func sameName(c oklab.Colour) func(m *middle) bool {
	const gray = 0.028 // colors with less chroma are gray, black or white
	if c.Chroma() < gray {
		return func(m *middle) bool { return m.chroma < gray && math.Abs(m.color[0]-c[0]) <= 0.13 }
	}
	least := min(max(0.45*c.Chroma(), gray), 0.05)
	hue, degrees, lightness := hueOf(c), 0.0, 0.0
	for n := 1; n < len(bands); n++ {
		if a, b := bands[n-1], bands[n]; hue >= a.hue && hue <= b.hue {
			t := (hue - a.hue) / (b.hue - a.hue)
			degrees, lightness = a.degrees+t*(b.degrees-a.degrees), a.lightness+t*(b.lightness-a.lightness)
		}
	}
	return func(m *middle) bool {
		turned := math.Abs(m.hue - hue)
		return m.chroma >= least && min(turned, 360-turned) <= degrees && math.Abs(m.color[0]-c[0]) <= lightness
	}
}

// hueOf returns the hue in degrees, 0 to 360.
func hueOf(c oklab.Colour) float64 { return math.Mod(math.Atan2(c[2], c[1])*180/math.Pi+360, 360) }

// Class returns cells as the ranges of a character class, such as a-cx-z, for GLOB and regular expressions.
func Class(cells []rune) string {
	var b strings.Builder
	for n := 0; n < len(cells); {
		end := n + 1
		for end < len(cells) && cells[end] == cells[end-1]+1 {
			end++
		}
		b.WriteRune(cells[n])
		if end > n+1 {
			b.WriteString("-" + string(cells[end-1]))
		}
		n = end
	}
	return b.String()
}
