package colors_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/gallery/colors"
	"github.com/safelight/safelight/imaging"
)

func rgb(hex uint32) imaging.RGB {
	return imaging.RGB{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex)}
}

type share struct {
	hex     uint32
	percent float64
}

// pictures are the palettes of photographs.
var pictures = map[string][]share{
	"a red cardinal in winter": {{0x6b5b53, 19}, {0x4f3d36, 16}, {0xa0918a, 16}, {0x82736b, 14}, {0xc1b7b2, 12},
		{0x2f1f1a, 10}, {0xe7e3e1, 8}, {0xb71b1c, 5}},
	"a desert road": {{0x704f38, 19}, {0x51392c, 19}, {0x8f6440, 13}, {0x110907, 13}, {0xa7794a, 12}, {0x352014, 11},
		{0xc3935d, 8}, {0xe7b86c, 5}},
	"a fjord": {{0x273e45, 20}, {0x2f5470, 16}, {0x182627, 16}, {0x050d11, 13}, {0xdefcfc, 13}, {0x4076a8, 12},
		{0xa1daf8, 7}, {0x64a8dc, 5}},
	"the Earth": {{0x000000, 57}, {0x00023a, 15}, {0x05070f, 9}, {0x222818, 6}, {0x3f4622, 4}, {0x747241, 3},
		{0xf9e8ad, 3}, {0xc7ae7c, 2}},
	"the milky way": {{0x482f41, 26}, {0x533b4b, 19}, {0x5d494f, 16}, {0x381f34, 14}, {0x3f243f, 12}, {0x6a565a, 8},
		{0x7b656b, 4}, {0x9a7f88, 1}},
	"a meadow": {{0x3c5d0f, 19}, {0x3d8dfc, 17}, {0x8ec0f9, 15}, {0xdceef9, 13}, {0xaeb630, 11}, {0x6c971e, 11},
		{0xf1db55, 8}, {0x294210, 6}},
	"columns": {{0xf9fefb, 41}, {0x415461, 13}, {0x829297, 13}, {0xa0afab, 10}, {0x62747d, 10}, {0x25333d, 9},
		{0xe0e7da, 3}, {0xc6c9bd, 2}},
	"a street": {{0x2b2a2a, 26}, {0x6f6a6f, 20}, {0x5b5759, 15}, {0x434246, 13}, {0x828189, 12}, {0xe1e4e7, 6},
		{0x9d9b9e, 6}, {0xbcbcbd, 2}},
	"dice": {{0x000000, 62}, {0x50241b, 9}, {0x22236b, 8}, {0x33651f, 6}, {0x963c3d, 6}, {0x588f33, 5},
		{0xaba484, 3}, {0xf6f5f2, 2}},
	"a red dot": {{0xffffff, 99}, {0xc02020, 1}},
}

// TestNames checks which pictures a search for a color finds. The expected results were chosen by looking at
// the pictures.
func TestNames(t *testing.T) {
	stored := map[string]string{}
	for name, palette := range pictures {
		var list []imaging.PaletteColour
		for _, s := range palette {
			list = append(list, imaging.PaletteColour{RGB: rgb(s.hex), Share: s.percent / 100})
		}
		stored[name] = colors.Stored(nil, list)
	}
	for _, c := range []struct {
		name string
		hex  uint32
		want []string
	}{
		{"red", 0xff0000, []string{"a red cardinal in winter", "dice"}},
		{"dark red", 0xa02020, []string{"a red cardinal in winter", "dice"}},
		{"orange", 0xe07b20, []string{"a desert road"}},
		{"yellow", 0xedc92f, []string{"a meadow"}},
		{"green", 0x3f8f3a, []string{"a meadow", "dice"}},
		{"teal", 0x1f8f8a, nil},
		{"blue", 0x2f6fc0, []string{"a fjord", "a meadow", "dice", "the Earth"}},
		{"CSS blue", 0x0000ff, []string{"a fjord", "a meadow", "dice", "the Earth"}},
		{"purple", 0x8a3fa8, []string{"the milky way"}},
		{"pink", 0xe58fb1, nil},
		{"brown", 0x7a5236, []string{"a desert road"}},
		{"black", 0x000000, []string{"dice", "the Earth"}},
		{"gray", 0x808080, []string{"a street"}},
		{"white", 0xffffff, []string{"a red dot", "columns"}},
	} {
		like := colors.Like(rgb(c.hex), nil)
		var found []string
		for name, text := range stored {
			if strings.ContainsFunc(text, func(r rune) bool { return slices.Contains(like, r) }) {
				found = append(found, name)
			}
		}
		slices.Sort(found)
		if !slices.Equal(found, c.want) {
			t.Errorf("%s finds %q, expected %q", c.name, found, c.want)
		}
	}
}

func TestWithin(t *testing.T) {
	find := func(picture, search uint32, within float64) bool {
		c := rgb(picture)
		return strings.ContainsAny(colors.Stored(&c, nil), string(colors.Like(rgb(search), &within)))
	}
	for _, c := range []struct {
		picture, search uint32
		within          float64
		want            bool
	}{
		{0x2a6f8f, 0x2a6f8f, 0, true}, // always contains its own cell
		{0x2a6f8f, 0x2c7292, 0.05, true},
		{0x2a6f8f, 0x2a6fcf, 0.05, false},
		{0x2a6f8f, 0x2a6faf, 0.15, true},
		{0x000000, 0xffffff, 0.9, false},
		{0x000000, 0xffffff, 1, true},
		{0x0000ff, 0xffff00, 0.5, false},
	} {
		if got := find(c.picture, c.search, c.within); got != c.want {
			t.Errorf("%06x, %06x within %g: %v", c.picture, c.search, c.within, got)
		}
	}
}

func TestStored(t *testing.T) {
	if got := colors.Stored(nil, nil); got != "-" {
		t.Errorf("no color: %q", got)
	}
	gray := imaging.RGB{R: 120, G: 120, B: 120}
	if got := colors.Stored(&gray, []imaging.PaletteColour{{RGB: gray, Share: 1}}); len([]rune(got)) != 1 {
		t.Errorf("the same color twice: %q", got)
	}
	// Two similar grays cover enough of the picture together.
	halves := []imaging.PaletteColour{{RGB: gray, Share: 0.13}, {RGB: imaging.RGB{R: 130, G: 130, B: 130}, Share: 0.13}}
	if got := colors.Stored(nil, halves); got == "-" {
		t.Error("two grays of 13 % are not noticed")
	}
	if got := colors.Stored(nil, halves[:1]); got != "-" {
		t.Errorf("a gray of 13 %% is noticed: %q", got)
	}
}

func TestClass(t *testing.T) {
	for want, cells := range map[string]string{"a": "a", "a-b": "ab", "a-cx": "abcx", "ac": "ac", "": ""} {
		if got := colors.Class([]rune(cells)); got != want {
			t.Errorf("%q: %q, expected %q", cells, got, want)
		}
	}
}
