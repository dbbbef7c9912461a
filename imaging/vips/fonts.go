package vips

// #include <stdlib.h>
// #include "sl_layer.h"
// #include "sl_library.h"
import "C"

import (
	"cmp"
	"crypto/sha256"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/image/font/sfnt"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// genericFonts are the families that fontconfig always resolves to a font.
var genericFonts = []string{"Monospace", "Sans", "Serif"}

// bundledFonts returns the folder with the fonts that the self-contained release ships next to its libvips. It does
// not exist for the libvips of a system.
func bundledFonts(library string) string { return filepath.Join(filepath.Dir(library), "fonts") }

// chooseFonts lets fontconfig read the configuration of the self-contained release, if this is one. It includes that of
// the system, which has precedence.
func chooseFonts() {
	_, library := Library()
	file := filepath.Join(bundledFonts(library), "fonts.conf")
	if _, err := os.Stat(file); err == nil && os.Getenv("FONTCONFIG_FILE") == "" {
		_ = os.Setenv("FONTCONFIG_FILE", file) // fails only for a malformed name
	}
}

// Fonts returns the families of the TrueType and OpenType fonts in the folders of fontconfig's configuration, sorted
// and without duplicates. It is empty if there are none. The folders are read only on the first call.
func Fonts() []string { return slices.Clone(installed()) }

var installed = sync.OnceValue(func() []string {
	chooseFonts()
	return fontsIn(fontFolders())
})

// fontsIn returns the families of the fonts in the given folders, and the generic families.
func fontsIn(folders []string) []string {
	var names []string
	seen := map[string]bool{}
	var read func(path string)
	read = func(path string) {
		real, err := filepath.EvalSymlinks(path) // a linked folder has fonts, too, and may lead back to this one
		if err != nil || seen[real] {
			return
		}
		seen[real] = true
		entries, err := os.ReadDir(real)
		if err != nil { // a file, or a folder that fontconfig cannot read either
			names = append(names, families(real)...)
		}
		for _, entry := range entries {
			read(filepath.Join(real, entry.Name()))
		}
	}
	for _, folder := range folders {
		read(folder)
	}
	if len(names) == 0 {
		return nil
	}
	names = append(names, genericFonts...)
	slices.Sort(names)
	return slices.Compact(names)
}

// fontFolders returns the folders that fontconfig is configured to read, or those that it reads without a
// configuration.
func fontFolders() []string {
	c := fontConfig{seen: map[string]bool{}}
	c.read(configPath(cmp.Or(os.Getenv("FONTCONFIG_FILE"), "fonts.conf")))
	if len(c.seen) == 0 {
		return []string{"/usr/share/fonts", "/usr/local/share/fonts",
			userFolder("XDG_DATA_HOME", ".local/share", "fonts")}
	}
	return c.folders
}

// fontConfig collects the folders in the configuration of fontconfig
// (https://www.freedesktop.org/software/fontconfig/fontconfig-user.html).
type fontConfig struct {
	folders []string
	seen    map[string]bool // files that were read
}

// read reads a file, or the files of a folder. It ignores files that cannot be read.
func (c *fontConfig) read(path string) {
	if entries, err := os.ReadDir(path); err == nil {
		for _, entry := range entries {
			if name := entry.Name(); name[0] >= '0' && name[0] <= '9' && strings.HasSuffix(name, ".conf") {
				c.read(filepath.Join(path, name))
			}
		}
		return
	}
	text, err := os.ReadFile(path)
	if err != nil || c.seen[path] {
		return
	}
	c.seen[path] = true
	var config struct {
		Elements []struct {
			XMLName xml.Name
			Prefix  string `xml:"prefix,attr"`
			Text    string `xml:",chardata"`
		} `xml:",any"`
	}
	if xml.Unmarshal(text, &config) != nil {
		return
	}
	for _, e := range config.Elements {
		name := strings.TrimSpace(e.Text)
		if e.Prefix == "relative" {
			name = filepath.Join(filepath.Dir(path), name)
		}
		switch element := e.XMLName.Local; {
		case element == "reset-dirs":
			c.folders = nil
		case element == "dir" && e.Prefix == "xdg":
			c.folders = append(c.folders, userFolder("XDG_DATA_HOME", ".local/share", name))
		case element == "dir":
			c.folders = append(c.folders, inHome(name))
		case element == "include" && e.Prefix == "xdg":
			c.read(userFolder("XDG_CONFIG_HOME", ".config", name))
		case element == "include":
			c.read(configPath(name))
		}
	}
}

// configPath returns where fontconfig finds a configuration with the given name.
func configPath(name string) string {
	if name = inHome(name); filepath.IsAbs(name) {
		return name
	}
	for _, folder := range filepath.SplitList(os.Getenv("FONTCONFIG_PATH")) {
		path := filepath.Join(folder, name)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return filepath.Join("/etc/fonts", name)
}

// userFolder returns the named folder below the folder in an XDG environment variable, or else below the folder
// otherwise in the user's home.
func userFolder(variable, otherwise, name string) string {
	return filepath.Join(cmp.Or(os.Getenv(variable), inHome("~/"+otherwise)), name)
}

// inHome replaces a ~ at the start with the user's home.
func inHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok {
		return os.Getenv("HOME") + rest
	}
	return path
}

// families returns the families of the fonts in a file; nil if it is not a TrueType or OpenType file.
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

// LoadFonts makes the fonts in the given files available, by family, to the texts that this process draws later. It
// must be called before the first text, and the files must remain. It returns fault.UnsupportedType for a file that
// libvips' libraries do not read as a font.
func (e *Engine) LoadFonts(families, paths []string) error {
	for _, path := range paths {
		if err := loadFont(path); err != nil {
			return fault.Wrap(err, fault.UnsupportedType, "the libraries of this server cannot read the font")
		}
	}
	for _, family := range families {
		if !isKnown(family) {
			return fault.New(fault.UnsupportedType,
				"the libraries of this server do not find the family %s in the font",
				fault.Quote(family))
		}
	}
	e.families = families
	return nil
}

// isKnown reports whether texts of the family are drawn in its own font, because libraries ignore fonts that they
// cannot read. It compares with two fallback fonts. A font may look like one of them, but hardly like both.
func isKnown(family string) bool {
	for _, otherwise := range []string{"monospace", "serif"} {
		ours, err := sampleOf(family + "," + otherwise)
		if err != nil { // the font cannot draw these letters
			return true
		}
		if theirs, err := sampleOf(otherwise); err != nil || ours != theirs {
			return true
		}
	}
	return false
}

// sampleOf returns a hash of the pixels of some letters in a font. Letters that it lacks are boxes.
func sampleOf(font string) (hash [sha256.Size]byte, err error) {
	mask, err := drawTextAt(imaging.TextSpec{Text: `<span fallback="false">Rag08</span>`, Font: font}, 24)
	if err != nil {
		return hash, err
	}
	defer mask.close()
	still, err := mask.copyMemory()
	if err != nil {
		return hash, err
	}
	defer still.close()
	p, ok := still.picture()
	if !ok {
		return hash, fmt.Errorf("a text has %d bands", still.bands())
	}
	return sha256.Sum256(p.Pixels), nil
}

// loadFont loads a font in a thread that never ends. libvips clears the font map of that thread, so the thread must
// not have drawn a text before (layer_text.c). The font map would be freed with the thread.
func loadFont(path string) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		name := C.CString(path)
		defer C.free(unsafe.Pointer(name))
		var err error
		if C.sl_load_font(name) != 0 {
			err = vipsError()
		}
		done <- err
		select {}
	}()
	return <-done
}
