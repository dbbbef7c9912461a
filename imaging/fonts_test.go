package imaging

import (
	"slices"
	"testing"
)

func TestWithFamily(t *testing.T) {
	families := []string{"Brand", "Brand Sans", "Arial Black", "Go 2"}
	for name, want := range map[string]string{
		"brand":             "Brand,",
		"Brand bold":        "Brand, bold",
		"Brand Sans Italic": "Brand Sans, Italic",
		"Brand Serif":       "Brand Serif",
		"Brandy":            "Brandy",
		"Arial Black":       "Arial Black,",
		"Arial":             "Arial",
		"Go 2 bold":         "Go 2, bold",
		"sans":              "sans",
		"":                  "",
	} {
		if got := WithFamily(name, families); got != want {
			t.Errorf("%q is %q, expected %q", name, got, want)
		}
	}
}

func TestFontNames(t *testing.T) {
	for filters, want := range map[Filters][]string{
		"":                                     nil,
		"blur(2)":                              nil,
		"text(a,0,0,Brand-Sans-24)":            {"Brand Sans"},
		"label(a,0,0,15,black,0,Brand%20Sans)": {"Brand Sans"},
		"text(a):label(b)":                     {"sans"},
		"image(filters:text(a,0,0,Go-8p):image(filters:text(b,0,0,B-1)/c.png)/b.png)": {"B", "Go"},
		"image(": nil,
	} {
		got := FontNames(Operations{Filters: filters})
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s has the fonts %q, expected %q", filters, got, want)
		}
	}
}
