package imaging

import (
	"slices"
	"strings"

	"github.com/safelight/safelight/fault"
)

// OutputFormat returns the format in which to write a picture whose source has the given format, as far as it is known
// from the header: that of the last format() or autojpg() among calls, with the client's choice for format(auto), else
// the first of o.AutoFormat that this build writes, else the source's own format. It is empty for a source format that
// cannot be written; the format is then PNG or JPEG, depending on whether the picture has alpha. A format that is not
// in writable results in fault.UnsupportedFormat, with a message that lists the writable ones.
func OutputFormat(calls []Call, source Format, o Options, writable []Format) (Format, error) {
	var asked Format
	for _, c := range calls {
		switch c.Name {
		case "autojpg":
			asked = JPEG
		case "format":
			if f, ok := negotiated(c, o, writable); ok {
				asked = f
				break
			}
			f, ok := ParseFormat(c.Text("format"))
			if !ok || !slices.Contains(writable, f) {
				return "", unsupported(c.Text("format"), writable)
			}
			asked = f
		}
	}
	if asked != "" {
		return asked, nil
	}
	for _, f := range o.AutoFormat {
		if slices.Contains(writable, f) {
			return f, nil
		}
	}
	if slices.Contains(writable, source) && o.shows(source) {
		return source, nil
	}
	return "", nil
}

// shows reports whether the client supports the format.
func (o Options) shows(f Format) bool {
	return o.Shown == nil || f == JPEG || f == PNG || f == GIF || slices.Contains(o.Shown, f)
}

// FormatAuto is the argument of format() for the format that the client likes best. FormatBest is the one for the
// format with the smallest file among those that the client supports.
const (
	FormatAuto = "auto"
	FormatBest = "best"
)

// Negotiates reports whether the client's Accept header decides the format: format(auto) or format(best).
func Negotiates(calls []Call) bool {
	for _, c := range calls {
		if c.Name == "format" && (c.Text("format") == FormatAuto || c.Text("format") == FormatBest) {
			return true
		}
	}
	return false
}

// negotiated returns the format of format(auto) and, until the sizes are known, of format(best). It is empty if the
// client supports only the formats that every client does.
func negotiated(c Call, o Options, writable []Format) (f Format, ok bool) {
	if c.Text("format") != FormatAuto && c.Text("format") != FormatBest {
		return "", false
	}
	for _, f := range o.Accept {
		if slices.Contains(writable, f) {
			return f, true
		}
	}
	return "", true
}

func unsupported(name string, writable []Format) error {
	list := make([]string, len(writable))
	for i, f := range writable {
		list[i] = string(f)
	}
	return fault.OnField(
		fault.UnsupportedFormat, "format",
		"output format %s is not written by this build, expected one of %s", fault.Quote(name),
		strings.Join(list, " "),
	)
}
