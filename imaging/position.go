package imaging

import (
	"math"
	"strconv"
	"strings"
)

// ParsePosition reads a position along one axis: pixels (negative from the far edge), `20p`
// percent, a fraction with a point between -1 and 1, an edge word with an optional offset
// outward (`left-20`, `r-10`), or repeat.
func ParsePosition(s string, vertical bool) (Position, bool) {
	s = strings.ToLower(s)
	word, offset := s, 0
	if i := strings.IndexAny(s, "+-"); i > 0 {
		n, err := strconv.Atoi(s[i:])
		if err != nil || n < -maxNumber || n > maxNumber {
			return Position{}, false
		}
		word, offset = s[:i], -n // left-20 lies 20 pixels outside
	}
	if unit, ok := edgeUnit(word, vertical); ok {
		return Position{Unit: unit, Offset: offset}, true
	}
	if s == "repeat" {
		return Position{Unit: UnitRepeat}, true
	}
	if percent, ok := strings.CutSuffix(s, "p"); ok {
		n, ok := ParseNumber(percent)
		return Position{Unit: UnitFraction, Number: n / 100}, ok
	}
	n, ok := ParseNumber(s)
	if ok && strings.Contains(s, ".") && math.Abs(n) <= 1 {
		return Position{Unit: UnitFraction, Number: n}, true
	}
	return Position{Unit: UnitPixels, Number: n}, ok
}

func edgeUnit(word string, vertical bool) (Unit, bool) {
	switch word {
	case "center", "centre", "middle":
		return UnitCentre, true
	case "left", "l":
		return UnitStart, !vertical
	case "right", "r":
		return UnitEnd, !vertical
	case "top", "t":
		return UnitStart, vertical
	case "bottom", "b":
		return UnitEnd, vertical
	}
	return 0, false
}

// ParseNumber reads a finite decimal number of at most 1e9 either way; no hexadecimal, no exponent.
func ParseNumber(s string) (float64, bool) {
	digits := strings.TrimPrefix(strings.TrimPrefix(s, "-"), "+")
	if len(s)-len(digits) > 1 || !isDecimal(strings.TrimSuffix(digits, ".")) {
		return 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil && math.Abs(n) <= maxNumber
}

// parseFocal reads `AxB:CxD` (a region) or `X,Y` or `XxY` (a point), in pixels, or in fractions when
// all numbers are at most 1 and one has a point or is below 1.
func parseFocal(s string) (Region, bool) {
	s = strings.ReplaceAll(s, " ", "")
	from, to, isRegion := strings.Cut(s, ":")
	pair := func(s string) (a, b float64, ok bool) {
		x, y, found := strings.Cut(strings.Replace(s, ",", "x", 1), "x")
		a, ok1 := ParseNumber(x)
		b, ok2 := ParseNumber(y)
		return a, b, found && ok1 && ok2 && a >= 0 && b >= 0
	}
	l, t, ok := pair(from)
	if !ok {
		return Region{}, false
	}
	r := Region{Left: l, Top: t, Right: l, Bottom: t, Point: !isRegion}
	if isRegion {
		if r.Right, r.Bottom, ok = pair(to); !ok || r.Right <= l || r.Bottom <= t {
			return Region{}, false
		}
	}
	r.Fraction = r.Right <= 1 && r.Bottom <= 1 && (strings.Contains(s, ".") || isRegion)
	return r, true
}
