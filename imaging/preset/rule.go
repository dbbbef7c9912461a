// Package preset reads image URLs that call operations by a name: `preset(card,320)`. It holds the rules of presets
// and replaces calls with the operations of the rule. Pure Go: no I/O.
package preset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// The limits of a rule.
const (
	MaxName       = 32        // bytes of the name of a preset or of a parameter
	MaxOperations = 2048      // bytes
	MaxParameters = 8         // of a preset
	MaxValues     = 64        // of a parameter
	MaxValue      = 64        // bytes
	MaxNumber     = 1_000_000 // max value of a parameter with a range
)

// Parameter is a placeholder of a rule, with its allowed values: one of Values, or an integer from Min to Max.
type Parameter struct {
	Name    string   `json:"name"`
	Default string   `json:"default"`
	Values  []string `json:"values,omitempty"`
	Min     *int32   `json:"min,omitempty"`
	Max     *int32   `json:"max,omitempty"`
}

// Rule is the definition of a preset: operations as in a URL, such as `fit-in/{width}x0/filters:quality(80)`, and the
// parameters of their placeholders, in the order of the arguments.
type Rule struct {
	Operations string      `json:"operations"`
	Parameters []Parameter `json:"parameters,omitempty"`
}

// Check returns fault.Invalid, whose field is `operations` or `parameters`, unless the operations can be parsed with
// each allowed value, combined with the defaults of the other parameters. For a range, it tries both ends.
func (r Rule) Check() error {
	if err := r.checkParameters(); err != nil {
		return err
	}
	if err := r.checkText(); err != nil {
		return err
	}
	if _, err := r.operations(r.defaults()); err != nil {
		return err
	}
	for i, p := range r.Parameters {
		for _, value := range p.samples() {
			values := r.defaults()
			values[i] = value
			if _, err := r.operations(values); err != nil {
				return invalid("operations", "with %s %s: %s", p.Name, fault.Quote(value), fault.Of(err).Message)
			}
		}
	}
	return nil
}

func invalid(field, format string, a ...any) error {
	return fault.OnField(fault.Invalid, field, format, a...)
}

func (r Rule) checkParameters() error {
	if n := len(r.Parameters); n > MaxParameters {
		return invalid("parameters", "there are %d parameters, expected at most %d", n, MaxParameters)
	}
	for i, p := range r.Parameters {
		if !isName(p.Name) {
			return invalid(
				"parameters",
				"the parameter is named %s, expected 1 to %d of a-z, 0-9, - and _ that begin with a letter",
				fault.Quote(p.Name), MaxName,
			)
		}
		if slices.ContainsFunc(r.Parameters[:i], func(q Parameter) bool { return q.Name == p.Name }) {
			return invalid("parameters", "there are two parameters %s, expected one of each name", p.Name)
		}
		if !strings.Contains(r.Operations, "{"+p.Name+"}") {
			return invalid(
				"parameters", "the operations do not use the parameter %s, expected {%s} in them", p.Name,
				p.Name,
			)
		}
		if err := p.check(); err != nil {
			return err
		}
	}
	return nil
}

// check returns fault.Invalid unless the values are well-formed and the default is one of them.
func (p Parameter) check() error {
	switch {
	case len(p.Values) > 0 && (p.Min != nil || p.Max != nil), len(p.Values) == 0 && (p.Min == nil || p.Max == nil):
		return invalid("parameters", "parameter %s: expected either values, or min and max", p.Name)
	case len(p.Values) > MaxValues:
		return invalid(
			"parameters", "parameter %s: %d values, expected at most %d; for whole numbers, use min and max",
			p.Name, len(p.Values), MaxValues,
		)
	case p.Min != nil && (*p.Min < 0 || *p.Min > *p.Max || *p.Max > MaxNumber):
		return invalid(
			"parameters", "parameter %s: the range is %d to %d, expected min <= max and both from 0 to %d",
			p.Name, *p.Min, *p.Max, MaxNumber,
		)
	}
	for i, v := range p.Values {
		if !isValue(v) {
			return invalid(
				"parameters",
				"parameter %s: the value %s is malformed, expected 1 to %d of A-Z, a-z, 0-9, ., - and _",
				p.Name, fault.Quote(v), MaxValue,
			)
		}
		if slices.Contains(p.Values[:i], v) {
			return invalid("parameters", "parameter %s: the value %s is listed twice", p.Name, v)
		}
	}
	if !p.allows(p.Default) {
		return invalid(
			"parameters", "parameter %s: the default is %s, expected %s", p.Name, fault.Quote(p.Default),
			p.expects(),
		)
	}
	return nil
}

// checkText returns fault.Invalid for operations that are too long, contain characters that a URL cannot contain or a
// placeholder without a parameter, or begin or end with a slash.
func (r Rule) checkText() error {
	if n := len(r.Operations); n > MaxOperations {
		return invalid("operations", "the operations have %d bytes, expected at most %d", n, MaxOperations)
	}
	for i := range len(r.Operations) {
		if c := r.Operations[i]; c <= ' ' || c > '~' || c == '?' || c == '#' {
			return invalid(
				"operations",
				"the operations have %s, expected the characters of a URL's path: write others percent-encoded",
				fault.Quote(r.Operations[i:i+1]),
			)
		}
	}
	if strings.HasPrefix(r.Operations, "/") || strings.HasSuffix(r.Operations, "/") {
		return invalid(
			"operations",
			"the operations begin or end with a slash, expected segments with slashes between them",
		)
	}
	if rest := r.text(make([]string, len(r.Parameters))); strings.ContainsAny(rest, "{}") {
		return invalid(
			"operations",
			"the operations have a brace that belongs to no parameter, expected {name} of a parameter; write others "+
				"as %%7B and %%7D",
		)
	}
	return nil
}

func (r Rule) defaults() []string {
	values := make([]string, len(r.Parameters))
	for i, p := range r.Parameters {
		values[i] = p.Default
	}
	return values
}

// text returns the operations with the placeholders replaced by the given values.
func (r Rule) text(values []string) string {
	pairs := make([]string, 0, 2*len(values))
	for i, p := range r.Parameters {
		pairs = append(pairs, "{"+p.Name+"}", values[i])
	}
	return strings.NewReplacer(pairs...).Replace(r.Operations)
}

func (r Rule) operations(values []string) (imaging.Operations, error) {
	return ParseOperations(r.text(values))
}

// ParseOperations reads operations in the form that they have in a URL, without a slash at either end. It returns
// fault.Invalid, whose field is `operations`, if a part of the text is not an operation, or calls a preset.
func ParseOperations(text string) (imaging.Operations, error) {
	const image = "image"
	path := "unsafe/" + image
	if text != "" {
		path = "unsafe/" + text + "/" + image
	}
	p, err := parse(path, func(string) (imaging.Operations, error) {
		return imaging.Operations{}, invalid("operations", "the operations call a preset, expected operations only")
	})
	if err == nil && (p.Image != image || p.Meta || p.Base64) {
		err = invalid(
			"operations",
			"a part of %s is not understood, expected segments of a URL in their order, such as "+
				"fit-in/320x0/filters:quality(80)",
			fault.Quote(text),
		)
	}
	if err == nil {
		_, _, err = p.Operations.Filters.Calls(true)
	}
	if err != nil {
		return imaging.Operations{}, invalid("operations", "%s", fault.Of(err).Message)
	}
	return p.Operations, nil
}

// samples returns the values that Check tries.
func (p Parameter) samples() []string {
	if p.Min == nil {
		return p.Values
	}
	return []string{strconv.Itoa(int(*p.Min)), strconv.Itoa(int(*p.Max))}
}

// allows reports whether a parameter may have the given value. Numbers must be in canonical form.
func (p Parameter) allows(value string) bool {
	if p.Min == nil {
		return slices.Contains(p.Values, value)
	}
	n, err := strconv.ParseInt(value, 10, 32)
	return err == nil && strconv.FormatInt(n, 10) == value && n >= int64(*p.Min) && n <= int64(*p.Max)
}

// expects describes the allowed values in English.
func (p Parameter) expects() string {
	const shown = 16
	switch {
	case p.Min != nil:
		return "a whole number from " + strconv.Itoa(int(*p.Min)) + " to " + strconv.Itoa(int(*p.Max))
	case len(p.Values) == 1:
		return p.Values[0]
	case len(p.Values) > shown:
		return fmt.Sprintf("one of %s and %d others", strings.Join(p.Values[:shown], ", "), len(p.Values)-shown)
	}
	return "one of " + strings.Join(p.Values, ", ")
}

// isName reports whether text may name a preset or a parameter.
func isName(text string) bool {
	for i := range len(text) {
		c := text[i]
		if (c < 'a' || c > 'z') && (i == 0 || (c < '0' || c > '9') && c != '-' && c != '_') {
			return false
		}
	}
	return text != "" && len(text) <= MaxName
}

// CheckName returns fault.Invalid, whose field is `name`, unless the name is valid for a preset.
func CheckName(name string) error {
	if !isName(name) {
		return invalid(
			"name", "the name is %s, expected 1 to %d of a-z, 0-9, - and _ that begin with a letter",
			fault.Quote(name), MaxName,
		)
	}
	return nil
}

// isValue reports whether text may be an allowed value: none of its characters has a meaning in the grammar of URLs.
func isValue(text string) bool {
	return imaging.IsAlnum(text, ".-_") && text != "" && len(text) <= MaxValue
}
