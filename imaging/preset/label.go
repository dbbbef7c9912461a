package preset

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/safelight/safelight/fault"
)

// Labels say which preset or template made a result, so that a purge finds the result by it. They share a list with
// the paths of the sources, so a purge would also remove results of a file with such a name, which only costs time.
const (
	presetLabel   = "preset:"
	templateLabel = "template:"
)

// templateMark begins a call that names the template of a URL instead of a preset: `preset(@0123456789abcdef)`.
const templateMark = "@"

// Label returns the label of results of a preset, regardless of its version.
func Label(name string) string { return presetLabel + name }

// TemplateLabel returns the label of results of the template at a path.
func TemplateLabel(path string) string { return templateLabel + markOf(path) }

// TemplateCall returns the segment, without a slash, of a URL that is made by the template at a path. It contains a
// hash of the path, because people who may not see folders may get the URL. It does not change the picture.
func TemplateCall(path string) string { return "preset(" + templateMark + markOf(path) + ")" }

// markBytes is the length of a hash. Two templates with the same hash would be purged together, which only costs time.
const markBytes = 8

func markOf(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:markBytes])
}

// mark returns the template mark of a call; isMark is false for a call of a preset.
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

// addMark adds the template mark of a call; fault.Invalid for a second mark.
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

// IsOrdinary reports whether the URL calls neither presets nor a template.
func (p *Parsed) IsOrdinary() bool { return len(p.Uses) == 0 && p.Template == "" }
