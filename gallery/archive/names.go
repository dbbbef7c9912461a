package archive

import (
	"path"
	"strconv"
	"strings"
	"unicode"
)

// reserved are names that Windows does not let a file have, whatever follows the first dot.
const reserved = " con prn aux nul com1 com2 com3 com4 com5 com6 com7 com8 com9 " +
	"lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9 "

// safeSegment returns a name that every system can create in a folder: without separators, control characters,
// characters that change the direction of text and so disguise an extension, and what Windows rejects. The storage's
// names hold no slash and are not dots alone.
func safeSegment(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, name)
	if trimmed := strings.TrimRight(name, ". "); trimmed != name {
		name = trimmed + "_"
	}
	stem, _, _ := strings.Cut(strings.ToLower(name), ".")
	if strings.Contains(reserved, " "+stem+" ") {
		name = "_" + name
	}
	return name
}

// names makes names unique, as a file system that ignores case sees them.
type names map[string]bool

// take returns name, or with a number before its extension if it is taken.
func (n names) take(name string) string {
	ext := path.Ext(name)
	stem, free := strings.TrimSuffix(name, ext), name
	for i := 2; n[strings.ToLower(free)]; i++ {
		free = stem + " (" + strconv.Itoa(i) + ")" + ext
	}
	n[strings.ToLower(free)] = true
	return free
}
