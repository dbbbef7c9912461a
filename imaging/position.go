package imaging

import (
	"math"
	"strconv"
	"strings"
)

// ParsePosition reads a position along one axis: pixels (negative values count from the far edge), percent such as
// `20p`, a fraction with a point between -1 and 1, an edge word with an optional offset outward (`left-20`, `r-10`,
// `left-5p`), or repeat.
func ParsePosition(s string, vertical bool) (Position, bool) {
	s = strings.ToLower(s)
	word, offset, share := s, 0, 0.0
	if i := strings.IndexAny(s, "+-"); i > 0 {
		if percent, ok := strings.CutSuffix(s[i:], "p"); ok {
			n, ok := ParseNumber(percent)
			if !ok {
				return Position{}, false
			}
			word, share = s[:i], -n/100
		} else {
			n, err := strconv.Atoi(s[i:])
			if err != nil || n < -MaxNumber || n > MaxNumber {
				return Position{}, false
			}
			word, offset = s[:i], -n // left-20 lies 20 pixels outside
		}
	}
	if unit, ok := edgeUnit(word, vertical); ok {
		return Position{Unit: unit, Number: share, Offset: offset}, true
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

// ParseNumber reads a finite decimal number of between -1e9 and 1e9, without hexadecimal digits or an exponent.
func ParseNumber(s string) (float64, bool) {
	digits := strings.TrimPrefix(strings.TrimPrefix(s, "-"), "+")
	if len(s)-len(digits) > 1 || !isDecimal(strings.TrimSuffix(digits, ".")) {
		return 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil && math.Abs(n) <= MaxNumber
}

// parseFocal reads a region, `AxB:CxD`, or a point, `X,Y`, in pixels, or in fractions if all numbers are at most 1 and
// one has a point or is below 1. `x`, `:` and `,` are all accepted as separators, because editors and libraries mix
// them.
func parseFocal(s string) (Region, bool) {
	s = strings.ReplaceAll(s, " ", "")
	parts := strings.Split(strings.NewReplacer(":", ",", "x", ",").Replace(s), ",")
	if len(parts) != 2 && len(parts) != 4 {
		return Region{}, false
	}
	var v [4]float64
	for n, part := range parts {
		f, ok := ParseNumber(part)
		if !ok || f < 0 {
			return Region{}, false
		}
		v[n] = f
	}
	isRegion := len(parts) == 4
	r := Region{Left: v[0], Top: v[1], Right: v[0], Bottom: v[1], Point: !isRegion}
	if isRegion {
		if r.Right, r.Bottom = v[2], v[3]; r.Right <= r.Left || r.Bottom <= r.Top {
			return Region{}, false
		}
	}
	r.Fraction = r.Right <= 1 && r.Bottom <= 1 && (strings.Contains(s, ".") || isRegion)
	return r, true
}
