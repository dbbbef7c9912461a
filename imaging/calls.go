package imaging

import (
	"encoding/base64"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/safelight/safelight/fault"
)

// Calls checks the filters against the table and returns them in their order. It omits a filter that is unknown, lacks
// an argument or has an argument of the wrong kind, and clamps a number that is out of range. Both result in a
// warning. With strict, or for a metadata filter, the first problem results in a fault.Invalid error instead, which
// names the filter, the argument and the expected value. A filter of another server that hides a part of the picture
// always results in fault.Invalid.
func (f Filters) Calls(strict bool) ([]Call, []Warning, error) {
	if f == "" {
		return nil, nil, nil
	}
	var calls []Call
	var warnings []Warning
	if err := f.check(); err != nil {
		return nil, nil, err
	}
	for _, filter := range f.List() {
		if slices.Contains(hiding, filter.Name) {
			return nil, nil, fault.OnField(
				fault.Invalid, filter.Name,
				"filter %s is not supported; it hides a part of the picture, so it is never skipped",
				filter.Name,
			)
		}
		call, found, ok := resolve(filter)
		if len(found) > 0 && (strict || isMeta(filter.Name)) {
			w := found[0]
			return nil, nil, fault.OnField(fault.Invalid, w.path(), "%s", w.Message)
		}
		warnings = append(warnings, found...)
		if ok {
			calls = append(calls, call)
		}
	}
	return calls, warnings, nil
}

// hiding are filters of other servers that hide a part of the picture. Without them, the result would show what must
// stay hidden.
var hiding = []string{"redact", "redact_oval"}

func (w Warning) path() string {
	if w.Field == "" {
		return w.Filter
	}
	return w.Filter + "." + w.Field
}

func isMeta(name string) bool {
	s := specOf(name)
	return s != nil && s.Meta
}

// resolve checks one filter; ok is false if it cannot be applied at all.
func resolve(f Filter) (c Call, warnings []Warning, ok bool) {
	warn := func(field, format string, a ...any) {
		warnings = append(warnings, Warning{Filter: f.Name, Field: field, Message: fmt.Sprintf(format, a...)})
	}
	s := specOf(f.Name)
	if s == nil {
		warn("", "filter %s is unknown", fault.Quote(f.Name))
		return c, warnings, false
	}
	c = Call{Name: s.Name, Args: make(map[string]Value, len(s.Parameters))}
	written := f.Arguments()
	if len(written) > 0 && len(s.Parameters) == 1 && s.Parameters[0].holdsCommas() {
		written = []string{f.Args}
	}
	if len(written) > len(s.Parameters) {
		warn("", "filter %s takes %d arguments, found %d", f.Name, len(s.Parameters), len(written))
	}
	for i, p := range s.Parameters {
		given := ""
		if i < len(written) {
			given = written[i]
		}
		v, problem, usable := p.value(given)
		if problem != "" {
			warn(p.Name, "filter %s: %s", f.Name, problem)
		}
		if !usable {
			return c, warnings, false
		}
		c.Args[p.Name] = v
	}
	c.complete()
	return c, warnings, true
}

// value reads one argument. problem is empty if the argument is valid. Otherwise usable says whether the filter can
// still be applied.
func (p Parameter) value(given string) (v Value, problem string, usable bool) {
	if given == "" {
		if !p.Optional {
			return v, fmt.Sprintf("argument %s is missing, expected %s", p.Name, p.Expects()), false
		}
		if p.Default == "" {
			return v, "", true
		}
		v, _, _ = p.read(p.Default)
		return v, "", true
	}
	v, ok := Value{}, false
	if v, problem, ok = p.read(given); !ok {
		if problem == "" {
			problem = fmt.Sprintf("argument %s is %s, expected %s", p.Name, fault.Quote(given), p.Expects())
		}
		if p.Name == "blend" {
			v, _, _ = p.read("normal") // the specification treats an unknown mode as normal
			return v, problem, true
		}
		return v, problem, false
	}
	v.Set = true
	return v, problem, true
}

// read parses text by the parameter's kind.
func (p Parameter) read(s string) (v Value, problem string, ok bool) {
	switch p.Kind {
	case KindInt, KindNumber:
		if w := strings.ToLower(s); slices.Contains(p.Words, w) {
			return Value{Text: w}, "", true
		}
		return p.readNumber(s)
	case KindColour:
		if w := strings.ToLower(s); slices.Contains(p.Words, w) {
			return Value{Text: w, Colour: Colour{Word: w}}, "", true
		}
		c, err := ParseColour(s)
		return Value{Text: s, Colour: c}, "", err == nil
	case KindWord:
		w := strings.ToLower(s)
		n, _ := strconv.ParseFloat(w, 64)
		return Value{Text: w, Number: n}, "", slices.Contains(p.Words, w)
	case KindText:
		t, ok := decodeText(s)
		return Value{Text: t}, "", ok
	case KindX, KindY:
		pos, ok := ParsePosition(s, p.Kind == KindY)
		return Value{Text: s, Position: pos}, "", ok
	case KindFocal:
		r, ok := parseFocal(s)
		return Value{Text: s, Region: r}, "", ok
	case KindCurve:
		c, problem, ok := p.readCurve(s)
		return Value{Text: s, Curve: c}, problem, ok
	}
	return Value{Text: s}, "", true
}

func (p Parameter) readNumber(s string) (v Value, problem string, ok bool) {
	n, ok := ParseNumber(s)
	if !ok && p.Max > MaxNumber { // times in milliseconds may exceed the largest pixel number
		whole, err := strconv.ParseInt(s, 10, 64)
		n, ok = float64(whole), err == nil
	}
	if !ok || p.Kind == KindInt && n != math.Trunc(n) {
		return v, "", false
	}
	if clamped := min(max(n, p.Min), p.Max); clamped != n {
		problem = fmt.Sprintf("argument %s is %s, expected %s", p.Name, fault.Quote(s), p.Expects())
		n = clamped
	}
	return Value{Text: s, Number: n}, problem, true
}

// holdsCommas reports whether the argument itself may contain commas.
func (p Parameter) holdsCommas() bool { return p.Kind == KindFocal || p.Kind == KindCurve }

func decodeText(s string) (string, bool) {
	if encoded, ok := strings.CutPrefix(s, prefixBase64); ok {
		if t, ok := decodeBase64(encoded); ok {
			return t, true
		}
	}
	t, err := url.PathUnescape(s)
	if err != nil {
		t = s
	}
	return t, !strings.ContainsRune(t, 0)
}

// EncodeText encodes text as an argument. The text may contain any character.
func EncodeText(s string) string {
	return prefixBase64 + base64.RawURLEncoding.EncodeToString([]byte(s))
}

// Expects returns the expected value of the argument in English.
func (p Parameter) Expects() string {
	switch p.Kind {
	case KindInt, KindNumber:
		words := ""
		for _, w := range p.Words {
			words += ", or " + w
		}
		if p.Max >= huge {
			return fmt.Sprintf("%s of at least %s%s", article(p.Kind), FormatDecimal(p.Min), words)
		}
		return fmt.Sprintf("%s from %s to %s%s", article(p.Kind), FormatDecimal(p.Min), FormatDecimal(p.Max), words)
	case KindWord:
		return "one of " + strings.Join(p.Words, " ")
	case KindColour:
		return strings.Join(append([]string{"a CSS color name, RGB, RRGGBB, RRGGBBAA, auto, none"}, p.Words...), ", ")
	case KindX:
		return "pixels, 20p, 0..1, left, center, right or repeat"
	case KindY:
		return "pixels, 20p, 0..1, top, center, bottom or repeat"
	case KindFocal:
		return "AxB:CxD or X,Y, separated by any of x : ,"
	case KindCurve:
		return fmt.Sprintf("optionally r, g or b, then 1 to %d points x,y from 0 to 255 in the order of x",
			MaxCurvePoints)
	}
	return "a " + string(p.Kind)
}

// complete derives the arguments that depend on each other.
func (c *Call) complete() {
	same := func(name, from string) {
		if v := c.Args[name]; !v.Set {
			v.Number = c.Args[from].Number
			c.Args[name] = v
		}
	}
	switch c.Name {
	case "blur":
		v := c.Args["sigma"]
		if second := c.Args["sigma2"]; second.Set {
			v.Number = second.Number
		} else {
			v.Number /= 2
		}
		c.Args["sigma"] = v
	case "proportion":
		if v := c.Args["percent"]; v.Number <= 1 {
			v.Number *= 100
			c.Args["percent"] = v
		}
	case "round_corner":
		same("ry", "rx")
	case "padding":
		same("top", "left")
		same("right", "left")
		same("bottom", "top")
	}
}

func article(k Kind) string {
	if k == KindInt {
		return "an " + string(k)
	}
	return "a " + string(k)
}
