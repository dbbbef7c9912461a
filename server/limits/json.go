package limits

import "github.com/safelight/safelight/fault"

// The limits of a JSON body besides its size. Decoding takes about 400 ns per value, so a limit on the size alone
// would allow 0.1 s.
const (
	maxJSONValues = 20_000
	maxJSONDepth  = 100
)

// CheckJSON returns fault.InvalidRequest if text has more values or deeper nesting than any request needs. It counts
// only brackets and separators; the decoder reports malformed JSON.
func CheckJSON(text []byte) error {
	values, depth, quoted := 1, 0, false
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			quoted = !quoted
		case '\\':
			i++ // a backslash outside of strings is malformed anyway
		case ',':
			if !quoted {
				values++
			}
		case '{', '[':
			if !quoted {
				values++
				depth++
			}
		case '}', ']':
			if !quoted {
				depth--
			}
		}
		if values > maxJSONValues {
			return fault.New(fault.InvalidRequest, "the JSON has more than %d values, expected fewer", maxJSONValues)
		}
		if depth > maxJSONDepth {
			return fault.New(fault.InvalidRequest, "the JSON is nested too deeply, expected at most %d levels",
				maxJSONDepth)
		}
	}
	return nil
}
