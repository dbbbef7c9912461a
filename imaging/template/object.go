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

// reader reads the JSON of a template. The first fault ends the reading; it names its place by a
// JSON pointer.
type reader struct {
	err      error
	unknown  []string
	warnings []string
}

// object is one JSON object on its way into a struct: known fields are taken out one by one, and what is left
// at the end is unknown.
type object struct {
	r       *reader
	pointer string
	fields  map[string]json.RawMessage
	taken   map[string]bool
}

// failed notes a fault at pointer; the first one stands.
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

// warn notes that something known has no effect.
func (r *reader) warn(pointer, format string, a ...any) {
	r.warnings = append(r.warnings, pointer+" "+fmt.Sprintf(format, a...))
}

// object reads raw as an object; one without fields after a fault.
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

// end names what nobody took.
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

// take returns a field; nil when it is missing or null.
func (o *object) take(name string) json.RawMessage {
	o.taken[name] = true
	raw := o.fields[name]
	if string(bytes.TrimSpace(raw)) == "null" {
		return nil
	}
	return raw
}

// list reads each object of a list; what says in the plural what they are.
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

// maxSide is the longest side that a template may name, in pixels.
const maxSide = 1_000_000

// maxCropRatio is how many times as wide as high, or as high as wide, a crop of a ratio may be.
const maxCropRatio = 1000

// jsonKind says in English what raw is.
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

// jsonProblem says where JSON stops being JSON.
func jsonProblem(err error) string {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Sprintf("it is not JSON at byte %d", syntax.Offset)
	}
	return "it is not JSON"
}
