package preset

import (
	"strconv"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// The limits of calls.
const (
	MaxCall    = 1024      // bytes between the parentheses
	MaxCalls   = 8         // calls in one URL, including those in layers
	MaxVersion = 1_000_000 // number of the largest version
)

// Version is a version of a preset.
type Version struct {
	Name   string
	Number int // from 1
	Rule
}

// Set is an immutable set of all presets. A nil Set is empty. Its methods are safe for concurrent use.
type Set struct {
	presets map[string]versions
}

type versions struct {
	numbers map[int]*Version
	newest  int
}

// NewSet returns a set of versions that Check accepts.
func NewSet(list []Version) *Set {
	s := &Set{presets: make(map[string]versions)}
	for _, one := range list {
		all, known := s.presets[one.Name]
		if !known {
			all.numbers = make(map[int]*Version)
		}
		all.numbers[one.Number] = &one
		all.newest = max(all.newest, one.Number)
		s.presets[one.Name] = all
	}
	return s
}

// Has reports whether there is a preset with the given name.
func (s *Set) Has(name string) bool {
	if s == nil {
		return false
	}
	_, ok := s.presets[name]
	return ok
}

// Use is a call of a preset in a URL, and its effect.
type Use struct {
	Name       string            `json:"name"`
	Version    int               `json:"version"`
	Arguments  map[string]string `json:"arguments,omitempty"` // all parameters, including defaults
	Operations string            `json:"operations"`          // as in a URL; empty if it changes nothing
	Pinned     bool              `json:"-"`                   // the call contains the version
	Segment    string            `json:"-"`                   // the shortest equivalent call, as Format returns it
}

// Expand returns the meaning of `name`, `name@2`, or one of these with arguments, each after a comma; an empty
// argument is the default. It returns fault.NotFound for an unknown preset or version, and fault.Invalid for a
// malformed text and for arguments that the preset does not allow.
func (s *Set) Expand(text string) (Use, imaging.Operations, error) {
	v, arguments, err := s.find(text)
	if err != nil {
		return Use{}, imaging.Operations{}, err
	}
	values, err := v.values(arguments)
	if err != nil {
		return Use{}, imaging.Operations{}, err
	}
	o, err := v.operations(values)
	if err != nil {
		return Use{}, o, onCall("preset %s with these arguments: %s", v.Name, fault.Of(err).Message)
	}
	called, _, _ := strings.Cut(text, ",")
	u := Use{
		Name: v.Name, Version: v.Number, Operations: v.text(values),
		Pinned: strings.Contains(called, "@"), Segment: Format(called, v.given(values)),
	}
	for i, p := range v.Parameters {
		if u.Arguments == nil {
			u.Arguments = make(map[string]string, len(v.Parameters))
		}
		u.Arguments[p.Name] = values[i]
	}
	return u, o, nil
}

func onCall(format string, a ...any) error { return invalid("preset", format, a...) }

// find returns the version that a call names, and its arguments.
func (s *Set) find(text string) (*Version, []string, error) {
	if len(text) > MaxCall {
		return nil, nil, onCall("the preset has %d bytes, expected at most %d", len(text), MaxCall)
	}
	called, list, given := strings.Cut(text, ",")
	var arguments []string
	if given {
		arguments = strings.Split(list, ",")
	}
	name, pin, pinned := strings.Cut(called, "@")
	number, err := strconv.Atoi(pin)
	if !isName(name) || pinned && (err != nil || number < 1 || number > MaxVersion || strconv.Itoa(number) != pin) {
		return nil, nil, onCall(
			"preset(%s) is malformed, expected preset(name), preset(name,argument) or preset(name@version)",
			shorten(text),
		)
	}
	if !s.Has(name) {
		return nil, nil, fault.OnField(fault.NotFound, "preset", "there is no preset %s", name)
	}
	all := s.presets[name]
	if !pinned {
		number = all.newest
	}
	v := all.numbers[number]
	if v == nil {
		return nil, nil, fault.OnField(
			fault.NotFound, "preset", "preset %s has no version %d, the newest is %d", name, number,
			all.newest,
		)
	}
	return v, arguments, nil
}

// shorten shortens text for a message. It adds no quotes, because the text is part of a segment.
func shorten(text string) string { return strings.Trim(fault.Quote(text), `"`) }

// values returns the value of each parameter. The error fault.Invalid names a parameter whose value is not allowed.
func (v *Version) values(arguments []string) ([]string, error) {
	if n := len(arguments); n > len(v.Parameters) {
		names := make([]string, len(v.Parameters))
		for i, p := range v.Parameters {
			names[i] = p.Name
		}
		return nil, onCall(
			"preset %s: %d arguments, expected at most %d (%s)", v.Name, n, len(names),
			strings.Join(names, ", "),
		)
	}
	values := v.defaults()
	for i, a := range arguments {
		if a == "" {
			continue
		}
		if p := v.Parameters[i]; !p.allows(a) {
			return nil, onCall("preset %s: %s is %s, expected %s", v.Name, p.Name, fault.Quote(a), p.expects())
		}
		values[i] = a
	}
	return values, nil
}

// given returns the arguments that a call needs for the given values. It omits defaults unless another argument
// follows.
func (v *Version) given(values []string) (arguments []string) {
	needed := 0
	for i, p := range v.Parameters {
		if values[i] == p.Default {
			arguments = append(arguments, "")
			continue
		}
		arguments = append(arguments, values[i])
		needed = i + 1
	}
	return arguments[:needed]
}

// Format returns the segment that calls a preset, without a slash. It does not check them; see Set.Expand.
func Format(name string, arguments []string) string {
	return "preset(" + strings.Join(append([]string{name}, arguments...), ",") + ")"
}
