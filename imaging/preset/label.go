package preset

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/safelight/safelight/fault"
)

// Labels say what made a result, so that a purge by it finds the result. They are in one list with the paths of its
// sources: a file of such a name would be purged too, which costs time only.
const (
	presetLabel   = "preset:"
	templateLabel = "template:"
)

// templateMark begins a call that names the template of a URL instead of a preset: `preset(@0123456789abcdef)`.
const templateMark = "@"

// Label returns the label of results that a preset makes, whatever its version.
func Label(name string) string { return presetLabel + name }

// TemplateLabel returns the label of results that the template at a path makes.
func TemplateLabel(path string) string { return templateLabel + markOf(path) }

// TemplateCall returns the segment, without a slash, of a URL that the template at a path makes. It has a hash of the
// path, because the URL may be for others than those who may see folders, and changes nothing in the picture.
func TemplateCall(path string) string { return "preset(" + templateMark + markOf(path) + ")" }

// markBytes is the length of a hash. Two templates of one hash would be purged together, which costs time only.
const markBytes = 8

func markOf(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:markBytes])
}

// mark returns what a call names as its template; isMark is false for a call of a preset.
func mark(text string) (_ string, isMark bool, err error) {
	text, isMark = strings.CutPrefix(text, templateMark)
	if b, bad := hex.DecodeString(text); isMark &&
		(bad != nil || len(b) != markBytes || text != strings.ToLower(text)) {
		err = onCall(
			"preset(@%s) is malformed, expected %d hexadecimal digits, as applyTemplate returns them",
			shorten(text), 2*markBytes,
		)
	}
	return text, isMark, err
}

// addMark adds what a call names as its template; fault.Invalid for a second one.
func (p *Parsed) addMark(mark string) error {
	if p.Template != "" {
		return fault.OnField(fault.Invalid, "preset", "the URL names two templates, expected one")
	}
	p.Template = mark
	return nil
}

// Labels returns the labels of the results of a URL, sorted; nil if it has neither presets nor a template.
func (p *Parsed) Labels() (labels []string) {
	for _, u := range p.Uses {
		labels = append(labels, Label(u.Name))
	}
	if p.Template != "" {
		labels = append(labels, templateLabel+p.Template)
	}
	slices.Sort(labels)
	return slices.Compact(labels)
}

// IsOrdinary reports whether the URL calls nothing.
func (p *Parsed) IsOrdinary() bool { return len(p.Uses) == 0 && p.Template == "" }
