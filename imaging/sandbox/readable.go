package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// shared lists the paths that drawing text and converting colours reads on common systems.
var shared = []string{
	"/etc/fonts", "/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/fontconfig", "/var/cache/fontconfig",
	"/usr/share/color", "/usr/share/poppler", "/etc/ld.so.cache", "/dev/null", "/dev/urandom", "/proc/self",
	"/sys/kernel/mm/transparent_hugepage",
}

// Readable returns the paths that libvips and its libraries read: fonts and their configuration, color profiles, the
// folders of the libraries that this process has loaded, with libvips' modules, and the paths that the environment
// sets for fontconfig.
func Readable(env []string) []string {
	list := slices.Clone(shared)
	for _, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		switch name {
		case "FONTCONFIG_FILE", "FONTCONFIG_PATH", "VIPSHOME", "FONTCONFIG_SYSROOT":
			list = append(list, filepath.SplitList(value)...)
		case "HOME":
			list = append(list, value+"/.fonts", value+"/.local/share/fonts", value+"/.cache/fontconfig")
		}
	}
	list = append(list, libraries("/proc/self/maps")...)
	list = slices.DeleteFunc(
		list,
		func(path string) bool { return !filepath.IsAbs(path) || strings.Contains(path, "\n") || path == "/" },
	)
	slices.Sort(list)
	return slices.Compact(list)
}

// libraries returns the folders of the shared libraries that are mapped.
func libraries(maps string) (folders []string) {
	text, err := os.ReadFile(maps)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		at := strings.IndexByte(line, '/')
		if at < 0 {
			continue
		}
		path := strings.TrimSpace(line[at:])
		if name := filepath.Base(path); strings.HasSuffix(name, ".so") || strings.Contains(name, ".so.") {
			folders = append(folders, filepath.Dir(path))
		}
	}
	return folders
}
