package vips

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/image/font/gofont/goregular"
)

// lateFonts is set in the process that TestTextLeavesFontMapsAlone starts.
const lateFonts = "SAFELIGHT_LATE_FONTS"

// TestTextLeavesFontMapsAlone draws texts while Pango's threads are slow to sort fonts: testdata/late_fonts.c ends
// the process if a table of a font map is freed while one of them reads it.
func TestTextLeavesFontMapsAlone(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it preloads a library, as Linux does")
	}
	if os.Getenv(lateFonts) != "" {
		e, photo := open(t), jpegOf(t, gradient(60, 40, false))
		for range 5 {
			for _, path := range []string{"filters:label(Hello,5,5,10,red)", "filters:text(Hello,5,5,red)",
				"filters:text(Hello,5,5,sans 20,red,0,normal,0,low,false,word,0,150)"} {
				processed(e, path, photo, t)
			}
		}
		return
	}
	library := filepath.Join(t.TempDir(), "late_fonts.so")
	if out, err := exec.CommandContext(t.Context(), "cc", "-O1", "-shared", "-fPIC", "-o", library,
		"testdata/late_fonts.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	again.Env = append(os.Environ(), lateFonts+"=1", "LD_PRELOAD="+library)
	if out, err := again.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%.2000s", err, out)
	}
}

func TestFonts(t *testing.T) {
	fonts := Fonts()
	if !slices.Contains(fonts, "DejaVu Sans") {
		t.Skipf("DejaVu Sans is missing, there are %q", fonts)
	}
	if !slices.IsSorted(fonts) || len(slices.Compact(slices.Clone(fonts))) != len(fonts) {
		t.Errorf("fonts are not sorted, or named twice: %q", fonts)
	}
}

// TestFontFolders checks that fonts are listed from the folders that fontconfig is configured to read.
func TestFontFolders(t *testing.T) {
	at := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(at, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	config := func(text string) string {
		return `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd"><fontconfig>` + text +
			`</fontconfig>`
	}
	write("etc/fonts.conf", config(`<dir> `+at+`/srv </dir><dir>~/.fonts</dir><dir prefix="xdg">fonts</dir>
		<match><edit name="family"><string>x</string></edit></match>
		<dir prefix="relative">beside</dir><include>conf.d</include><include>missing</include>
		<include prefix="xdg">more.conf</include><include>fonts.conf</include>`))
	write("etc/conf.d/10-more.conf", config(`<dir>/more</dir>`))
	write("etc/conf.d/README", config(`<dir>/no</dir>`))
	write("config/more.conf", config(`<dir>/mine</dir>`))
	for name, value := range map[string]string{
		"FONTCONFIG_FILE": "", "FONTCONFIG_PATH": at + "/etc", "HOME": "/home/x", "XDG_DATA_HOME": "",
		"XDG_CONFIG_HOME": at + "/config",
	} {
		t.Setenv(name, value)
	}
	want := []string{
		at + "/srv", "/home/x/.fonts", "/home/x/.local/share/fonts", at + "/etc/beside", "/more", "/mine",
	}
	if got := fontFolders(); !slices.Equal(got, want) {
		t.Errorf("fonts are read from %q, expected %q", got, want)
	}
	write("only.conf", config(`<dir>/no</dir><reset-dirs/><dir>/only</dir>`))
	t.Setenv("FONTCONFIG_FILE", at+"/only.conf")
	if got := fontFolders(); !slices.Equal(got, []string{"/only"}) {
		t.Errorf("fonts are read from %q with FONTCONFIG_FILE", got)
	}

	write("elsewhere/one.ttf", string(goregular.TTF))
	write("srv/broken.ttf", "no font")
	for link, target := range map[string]string{"srv/linked": "elsewhere", "elsewhere/back": "srv"} {
		if err := os.Symlink(filepath.Join(at, target), filepath.Join(at, link)); err != nil {
			t.Fatal(err)
		}
	}
	got := fontsIn([]string{at + "/srv", at + "/none"})
	if !slices.Equal(got, []string{"Go", "Monospace", "Sans", "Serif"}) {
		t.Errorf("the fonts of a linked folder are %q", got)
	}
}
