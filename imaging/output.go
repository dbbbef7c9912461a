package imaging

import (
	"slices"
	"strings"

	"github.com/safelight/safelight/fault"
)

// OutputFormat returns what ops ask a picture of format source to be written as, where a header
// tells it: the last format() or autojpg() among calls, else the first of o.AutoFormat that
// this build writes, else the source's own format. It is empty for a source that cannot be
// written: PNG or JPEG then, as the picture has alpha. A format that is not in writable is
// fault.UnsupportedFormat, with a message that lists what is.
func OutputFormat(calls []Call, source Format, o Options, writable []Format) (Format, error) {
	var asked Format
	for _, c := range calls {
		switch c.Name {
		case "autojpg":
			asked = JPEG
		case "format":
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
	if slices.Contains(writable, source) {
		return source, nil
	}
	return "", nil
}

func unsupported(name string, writable []Format) error {
	list := make([]string, len(writable))
	for i, f := range writable {
		list[i] = string(f)
	}
	return fault.OnField(fault.UnsupportedFormat, "format", "output format %s is not written by this build, expected one of %s", shorten(name), strings.Join(list, " "))
}
