package vips

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/image/font/sfnt"
)

// genericFonts are the families that fontconfig always resolves to a font.
var genericFonts = []string{"Monospace", "Sans", "Serif"}

// bundledFonts returns the folder with the fonts that the self-contained release has beside its libvips. It does not
// exist beside the libvips of a system.
func bundledFonts(library string) string { return filepath.Join(filepath.Dir(library), "fonts") }

// chooseFonts lets fontconfig read the configuration of the self-contained release, if this is one. It includes that of
// the system, which has precedence.
func chooseFonts() {
	_, library := Library()
	file := filepath.Join(bundledFonts(library), "fonts.conf")
	if _, err := os.Stat(file); err == nil && os.Getenv("FONTCONFIG_FILE") == "" {
		_ = os.Setenv("FONTCONFIG_FILE", file) // an error is possible for a malformed name only
	}
}

// Fonts returns the families of fonts that texts can be drawn in, sorted, each once. It is empty if there are none.
func Fonts() []string {
	folders := []string{"/usr/share/fonts", "/usr/local/share/fonts"}
	if home, err := os.UserHomeDir(); err == nil {
		folders = append(folders, home+"/.fonts", home+"/.local/share/fonts")
	}
	_, library := Library()
	folders = append(folders, bundledFonts(library))

	var names []string
	for _, folder := range folders {
		// a folder that is missing has no fonts
		_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				names = append(names, families(path)...)
			}
			return nil
		})
	}
	if len(names) == 0 {
		return nil
	}
	names = append(names, genericFonts...)
	slices.Sort(names)
	return slices.Compact(names)
}

// families returns the families of the fonts in a file; nil if it is no TrueType or OpenType file.
func families(path string) (names []string) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".ttf", ".otf", ".ttc", ".otc":
	default:
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	collection, err := sfnt.ParseCollectionReaderAt(file)
	if err != nil {
		return nil
	}
	for i := range collection.NumFonts() {
		font, err := collection.Font(i)
		if err != nil {
			continue
		}
		name, err := font.Name(nil, sfnt.NameIDTypographicFamily)
		if err != nil {
			name, err = font.Name(nil, sfnt.NameIDFamily)
		}
		if err == nil && name != "" {
			names = append(names, name)
		}
	}
	return names
}
