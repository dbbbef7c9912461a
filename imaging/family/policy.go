// Package family reads image URLs in which a browser chooses the width, the density, the format and the quality, each
// from the values that a signed policy allows. Pure Go: no I/O.
//
//	/<signature>/family(<policy>)/<choice>/<operations>/<image>
package family

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// The limits of a policy. A choice may omit any dimension, which counts as one of its values.
const (
	MaxWidths  = 64   // after a range is expanded
	MaxChoices = 1000 // of one policy
	MaxWidth   = 65535
	MaxBytes   = 1024         // length of a policy's text
	maxUntil   = 253402300799 // the end of the year 9999 in Unix seconds; RFC 3339 has no later times
	minDensity = 0.5
	maxDensity = 4.0
)

// Quality is a quality class that a browser may choose.
type Quality string

// The quality classes.
const (
	Low    Quality = "low"
	Medium Quality = "medium"
	High   Quality = "high"
)

// qualities maps the classes to the quality scale that all formats share.
var qualities = []struct {
	Quality
	value int
}{{Low, 45}, {Medium, 65}, {High, 85}}

// formats are the formats that a policy may allow. Their names are those of format().
var formats = []imaging.Format{imaging.AVIF, imaging.WebP, imaging.JPEG, imaging.PNG, imaging.JXL, imaging.GIF}

// Policy is what a browser may choose. A dimension without values cannot be chosen.
type Policy struct {
	Widths    []int     // CSS pixels, ascending
	Densities []float64 // device pixels per CSS pixel, ascending
	Formats   []imaging.Format
	Qualities []Quality
	Key       string    // id of the signing key; empty: the processor secret
	Until     time.Time // when the policy expires, in whole seconds; zero: never

	ranged bool // the widths were given as a range
}

// ParsePolicy reads the text between the parentheses. It returns fault.Invalid, which names the token, unless the text
// is a list of known tokens without duplicates, whose numbers ascend and are in canonical form, as String writes them.
func ParsePolicy(text string) (Policy, error) {
	var p Policy
	if len(text) > MaxBytes {
		return p, invalid("the policy has %d bytes, expected at most %d", len(text), MaxBytes)
	}
	for token := range strings.SplitSeq(text, ",") {
		if err := p.read(token); err != nil {
			return Policy{}, err
		}
	}
	return p, p.check()
}

func invalid(format string, a ...any) error {
	return fault.OnField(fault.Invalid, "family", format, a...)
}

// read adds a token to the policy.
func (p *Policy) read(token string) error {
	if name, value, ok := strings.Cut(token, "="); ok {
		return p.readOption(token, name, value)
	}
	if from, to, step, ok := cutRange(token); ok {
		return p.addRange(token, from, to, step)
	}
	if n, ok := parseWidth(token); ok && !p.ranged {
		p.Widths = append(p.Widths, n)
		return nil
	}
	if d, ok := parseDensity(token); ok {
		p.Densities = append(p.Densities, d)
		return nil
	}
	if f := imaging.Format(token); slices.Contains(formats, f) {
		p.Formats = append(p.Formats, f)
		return nil
	}
	if q := Quality(token); q.value() > 0 {
		p.Qualities = append(p.Qualities, q)
		return nil
	}
	return invalid(
		"the family has %s, expected widths as 320w or 320-1920-160w, densities as 1.5x, formats of %s, low, "+
			"medium, high, key= or until=",
		fault.Quote(token), join(formats),
	)
}

func (p *Policy) readOption(token, name, value string) error {
	switch {
	case name == "key" && p.Key == "" && IsKeyID(value):
		p.Key = value
		return nil
	case name == "until" && p.Until.IsZero():
		n, err := strconv.ParseInt(value, 10, 64)
		if err == nil && n > 0 && n <= maxUntil && strconv.FormatInt(n, 10) == value {
			p.Until = time.Unix(n, 0).UTC()
			return nil
		}
	}
	return invalid(
		"the family has %s, expected key= with 1 to 32 of A-Z, a-z, 0-9, - and _, and until= with a Unix time in "+
			"seconds, each once",
		fault.Quote(token),
	)
}

func (p *Policy) addRange(token string, from, to, step int) error {
	if len(p.Widths) > 0 || from > to || (to-from)/step >= MaxWidths {
		return invalid(
			"the family has %s, expected one range of at most %d widths and no others", fault.Quote(token),
			MaxWidths,
		)
	}
	p.ranged = true
	for n := from; n <= to; n += step {
		p.Widths = append(p.Widths, n)
	}
	return nil
}

// check returns fault.Invalid unless the values are in range, ascend and do not exceed the limits.
func (p Policy) check() error {
	switch {
	case !ascending(p.Widths) || len(p.Widths) > 0 && (p.Widths[0] < 1 || p.Widths[len(p.Widths)-1] > MaxWidth):
		return invalid("the widths of the family are not ascending whole numbers from 1 to %d", MaxWidth)
	case len(p.Widths) > MaxWidths:
		return invalid("the family has %d widths, expected at most %d", len(p.Widths), MaxWidths)
	case !ascending(p.Densities):
		return invalid("the densities of the family do not ascend")
	case repeats(p.Formats) || repeats(p.Qualities):
		return invalid("the family names a format or a quality twice")
	case p.Choices() > MaxChoices:
		return invalid("the family has %d choices, expected at most %d", p.Choices(), MaxChoices)
	}
	return nil
}

// Choices returns how many choices a policy allows. A dimension that is not chosen counts as one.
func (p Policy) Choices() int {
	return (len(p.Widths) + 1) * (len(p.Densities) + 1) * (len(p.Formats) + 1) * (len(p.Qualities) + 1)
}

// New returns p with its values sorted and without duplicates; fault.Invalid if ParsePolicy would not accept its text.
func New(p Policy) (Policy, error) {
	p.Widths, p.Densities = sorted(p.Widths), sorted(p.Densities)
	p.Formats, p.Qualities = unique(p.Formats), unique(p.Qualities)
	p.Until = p.Until.Truncate(time.Second)
	if p.String() == "" {
		return p, invalid(
			"the family lets a browser choose nothing, expected at least one width, density, format or quality",
		)
	}
	return ParsePolicy(p.String())
}

// String returns the canonical text of a policy, which is the part between the parentheses.
func (p Policy) String() string {
	var tokens []string
	for _, n := range p.Widths {
		tokens = append(tokens, formatWidth(n))
	}
	for _, d := range p.Densities {
		tokens = append(tokens, formatDensity(d))
	}
	for _, f := range p.Formats {
		tokens = append(tokens, string(f))
	}
	for _, q := range p.Qualities {
		tokens = append(tokens, string(q))
	}
	if p.Key != "" {
		tokens = append(tokens, "key="+p.Key)
	}
	if !p.Until.IsZero() {
		tokens = append(tokens, "until="+strconv.FormatInt(p.Until.Unix(), 10))
	}
	return strings.Join(tokens, ",")
}
