package metadata

import (
	"strings"
	"time"
)

// WithoutNUL returns a copy of EXIF values without the character U+0000, which PostgreSQL cannot store.
func WithoutNUL(v any) any {
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(v, "\x00", "")
	case map[string]any:
		clean := make(map[string]any, len(v))
		for name, value := range v {
			clean[strings.ReplaceAll(name, "\x00", "")] = WithoutNUL(value)
		}
		return clean
	case []any:
		clean := make([]any, len(v))
		for i, value := range v {
			clean[i] = WithoutNUL(value)
		}
		return clean
	case []string:
		clean := make([]string, len(v))
		for i, value := range v {
			clean[i] = strings.ReplaceAll(value, "\x00", "")
		}
		return clean
	}
	return v
}

// maxText is the maximum length in bytes of a text in the index. PostgreSQL allows 2,700 bytes in a database
// index.
const maxText = 200

// textOf returns the beginning of a field as clean text, or an empty text if there is no such field.
func textOf(fields map[string]any, name string) string {
	s, _ := fields[name].(string)
	s = strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(s, ""), "\x00", ""))
	return strings.TrimSpace(strings.ToValidUTF8(s[:min(len(s), maxText)], ""))
}

// Lens returns the model of the lens.
func Lens(fields map[string]any) string { return textOf(fields, "LensModel") }

// Camera joins make and model. Many models already start with the make.
func Camera(fields map[string]any) string {
	maker, model := textOf(fields, "Make"), textOf(fields, "Model")
	if maker == "" || strings.HasPrefix(strings.ToLower(model), strings.ToLower(strings.Fields(maker)[0])) {
		return model
	}
	return strings.TrimSpace(maker + " " + model)
}

// Taken returns when a picture was taken. It returns false if the time is missing or outside the years 1801
// to 2199. Without a time zone, it assumes UTC.
func Taken(fields map[string]any) (time.Time, bool) {
	for _, names := range [][2]string{
		{"DateTimeOriginal", "OffsetTimeOriginal"},
		{"DateTimeDigitized", "OffsetTimeDigitized"},
	} {
		text, _ := fields[names[0]].(string)
		zone, _ := fields[names[1]].(string)
		zoned := strings.TrimSpace(text) + " " + strings.TrimSpace(zone)
		if t, err := time.Parse("2006:01:02 15:04:05 -07:00", zoned); err == nil {
			return t, sane(t)
		}
		if t, err := time.Parse("2006:01:02 15:04:05", strings.TrimSpace(text)); err == nil {
			return t, sane(t)
		}
	}
	return time.Time{}, false
}

// sane excludes times from clocks that were never set, and times outside the range of int64 nanoseconds.
func sane(t time.Time) bool { return t.Year() > 1800 && t.Year() < 2200 }
