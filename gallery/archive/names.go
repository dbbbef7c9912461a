package archive

import (
	"path"
	"strconv"
	"strings"
	"unicode"
)

// reserved are names that Windows does not allow for files, with any extension.
const reserved = " con prn aux nul com1 com2 com3 com4 com5 com6 com7 com8 com9 " +
	"lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9 "

// safeSegment returns a name that every system can create in a folder. It removes separators, control
// characters, everything that Windows rejects, and characters that change the direction of text, which could
// disguise an extension. The storage's names contain no slash and do not consist of dots alone.
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

// names makes names unique, also for file systems that ignore case.
type names map[string]bool

// take returns name, or if it is taken, name with a number before its extension.
func (n names) take(name string) string {
	ext := path.Ext(name)
	stem, free := strings.TrimSuffix(name, ext), name
	for i := 2; n[strings.ToLower(free)]; i++ {
		free = stem + " (" + strconv.Itoa(i) + ")" + ext
	}
	n[strings.ToLower(free)] = true
	return free
}
