package imaging

import (
	"context"
	"errors"
	"strings"
)

// Font is the file of a font that is not installed. Texts in its family are drawn in a worker that has loaded it.
type Font struct {
	Family  string
	Version string // identifies the exact bytes
	// Load returns the file. It is called only when a worker that has not loaded it is about to work. The error is
	// ErrFontChanged if the font is gone.
	Load func(context.Context) ([]byte, error)
}

// ErrFontChanged means that a font was replaced or deleted after the operations were resolved.
var ErrFontChanged = errors.New("a font has changed")

// fontStyles are the words that Pango interprets as the style of a font
// (https://docs.gtk.org/Pango/type_func.FontDescription.from_string.html), without hyphens.
var fontStyles = words(`normal roman oblique italic smallcaps
	thin ultralight extralight light semilight demilight book regular medium semibold demibold bold ultrabold
	extrabold heavy black ultrablack extrablack ultraheavy
	ultracondensed extracondensed condensed semicondensed semiexpanded expanded extraexpanded ultraexpanded`)

func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

// FontNames returns the fonts of the texts that o draws, including those in layers, as family and style without
// duplicates. It returns nothing for operations that Layers rejects.
func FontNames(o Operations) []string {
	c := layerCount{seen: map[string]bool{}, fonts: map[string]bool{}}
	if !strings.Contains(string(o.Filters), "(") || c.add(o, 1) != nil {
		return nil
	}
	var names []string
	for name := range c.fonts {
		names = append(names, name)
	}
	return names
}

// CutFamily returns the part of a font's name after the family. ok is true if that part contains only style words. It
// ignores case.
func CutFamily(name, family string) (style string, ok bool) {
	if len(name) < len(family) || !strings.EqualFold(name[:len(family)], family) {
		return "", false
	}
	style = name[len(family):]
	if style != "" && style[0] != ' ' {
		return "", false
	}
	for _, word := range strings.Fields(style) {
		if !fontStyles[strings.ToLower(word)] {
			return "", false
		}
	}
	return strings.TrimSpace(style), true
}

// FamilyOf returns the longest of the families that matches the font's name; empty if none does.
func FamilyOf(name string, families []string) (family string) {
	for _, one := range families {
		if _, ok := CutFamily(name, one); ok && len(one) > len(family) {
			family = one
		}
	}
	return family
}

// WithFamily returns the name with a comma after its family, if that is one of the families: otherwise Pango would
// interpret a last word such as Black as a style.
func WithFamily(name string, families []string) string {
	family := FamilyOf(name, families)
	if family == "" {
		return name
	}
	style, _ := CutFamily(name, family)
	return strings.TrimSpace(family + ", " + style)
}
