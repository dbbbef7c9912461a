package template

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// reader reads the JSON of a template. It stops at the first error, which names its location with a JSON pointer.
type reader struct {
	err      error
	unknown  []string
	warnings []string
}

// object is a JSON object that is being read into a struct. Known fields are removed one by one; the fields that
// remain at the end are unknown.
type object struct {
	r       *reader
	pointer string
	fields  map[string]json.RawMessage
	taken   map[string]bool
}

// failed records an error at pointer, unless there is an earlier one.
func (r *reader) failed(pointer, format string, a ...any) {
	if r.err != nil {
		return
	}
	place := pointer
	if place == "" {
		place = "the template"
	}
	r.err = fault.OnField(fault.Invalid, "templateJson"+pointer, "%s %s", place, fmt.Sprintf(format, a...))
}

// warn records that a known field has no effect.
func (r *reader) warn(pointer, format string, a ...any) {
	r.warnings = append(r.warnings, pointer+" "+fmt.Sprintf(format, a...))
}

// object reads raw as an object; after an error, it returns an object without fields.
func (r *reader) object(pointer string, raw json.RawMessage) *object {
	o := &object{r: r, pointer: pointer, taken: map[string]bool{}}
	if kind := jsonKind(raw); kind != "an object" {
		r.failed(pointer, "is %s, expected an object", kind)
		return o
	}
	if err := json.Unmarshal(raw, &o.fields); err != nil {
		r.failed(pointer, "cannot be read: %s", jsonProblem(err))
	}
	return o
}

// end records the fields that nobody took.
func (o *object) end() {
	for _, name := range slices.Sorted(maps.Keys(o.fields)) {
		if !o.taken[name] {
			o.r.unknown = append(o.r.unknown, o.at(name))
		}
	}
}

// at returns the pointer of a field (RFC 6901).
func (o *object) at(name string) string {
	return o.pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// take returns a field; nil if it is missing or null.
func (o *object) take(name string) json.RawMessage {
	o.taken[name] = true
	raw := o.fields[name]
	if string(bytes.TrimSpace(raw)) == "null" {
		return nil
	}
	return raw
}

// list reads each object of a list; what is the plural of what they are, for messages.
func (o *object) list(name, what string, read func(in *object)) {
	raw := o.take(name)
	if raw == nil || o.r.err != nil {
		return
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		o.r.failed(o.at(name), "is %s, expected a list of %s", jsonKind(raw), what)
		return
	}
	for i, one := range list {
		in := o.r.object(o.at(name)+"/"+strconv.Itoa(i), one)
		read(in)
		in.end()
		if o.r.err != nil {
			return
		}
	}
}

// text reads a string into to.
func (o *object) text(name string, to *string) {
	raw := o.take(name)
	if raw == nil {
		return
	}
	if kind := jsonKind(raw); kind != "text" {
		o.r.failed(o.at(name), "is %s, expected text", kind)
		return
	}
	if json.Unmarshal(raw, to) == nil && strings.ContainsRune(*to, 0) {
		o.r.failed(o.at(name), "contains a NUL, expected text without one")
	}
}

// word reads a string that must be one of words.
func (o *object) word(name string, to *string, words ...string) {
	var v string
	if o.text(name, &v); v == "" || o.r.err != nil {
		return
	}
	if !slices.Contains(words, v) {
		o.r.failed(o.at(name), "is %s, expected one of %s", fault.Quote(v), strings.Join(words, " "))
		return
	}
	*to = v
}

// flag reads a boolean into to.
func (o *object) flag(name string, to *bool) {
	raw := o.take(name)
	if raw == nil {
		return
	}
	if kind := jsonKind(raw); kind != "true or false" {
		o.r.failed(o.at(name), "is %s, expected true or false", kind)
		return
	}
	*to = string(bytes.TrimSpace(raw)) == "true"
}

// number reads a number between low and high into to.
func (o *object) number(name string, to *float64, low, high float64) {
	raw := o.take(name)
	if raw == nil {
		return
	}
	if kind := jsonKind(raw); kind != "a number" {
		o.r.failed(o.at(name), "is %s, expected a number", kind)
		return
	}
	n, err := strconv.ParseFloat(string(bytes.TrimSpace(raw)), 64)
	if err != nil || n < low || n > high {
		o.r.failed(
			o.at(name), "is %s, expected a number from %s to %s", fault.Quote(string(bytes.TrimSpace(raw))),
			imaging.FormatDecimal(low), imaging.FormatDecimal(high),
		)
		return
	}
	*to = n
}

// whole reads a number into to, rounded.
func (o *object) whole(name string, to *int, low, high float64) {
	v := float64(*to)
	o.number(name, &v, low, high)
	*to = int(math.Round(v))
}

// size reads `{"width":w,"height":h}`, both at least 1.
func (o *object) size(name string, to *imaging.Size) {
	raw := o.take(name)
	if raw == nil {
		return
	}
	in := o.r.object(o.at(name), raw)
	for _, side := range []string{"width", "height"} {
		if o.r.err == nil && in.take(side) == nil {
			o.r.failed(in.at(side), "is missing, expected pixels")
		}
	}
	in.whole("width", &to.Width, 1, maxSide)
	in.whole("height", &to.Height, 1, maxSide)
	in.end()
}

// maxSide is the longest side in a template, in pixels.
const maxSide = 1_000_000

// maxCropRatio is the max ratio between the longer and the shorter side of a crop by ratio.
const maxCropRatio = 1000

// jsonKind returns the kind of raw in English.
func jsonKind(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return "missing"
	}
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "text"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	return "a number"
}

// jsonProblem says where JSON becomes invalid.
func jsonProblem(err error) string {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Sprintf("it is not JSON at byte %d", syntax.Offset)
	}
	return "it is not JSON"
}
