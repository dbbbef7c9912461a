package vips

import (
	"math"
	"strconv"
	"strings"
)

// pathArguments is how many numbers a command of a path takes.
var pathArguments = map[byte]int{'M': 2, 'L': 2, 'T': 2, 'H': 1, 'V': 1, 'C': 6, 'S': 4, 'Q': 4, 'A': 7, 'Z': 0}

// pathLength returns how long a path is at most, along its control points, and of how many segments it is. It reads up
// to what it does not understand, where the renderer stops as well.
func pathLength(d string) (length float64, segments int) {
	p := pathReader{text: d}
	var x, y, startX, startY float64
	for command := byte(0); ; segments++ {
		if c := p.command(); c != 0 {
			command = c
		} else if command == 0 || command|0x20 == 'z' {
			return length, segments
		}
		upper, relative := command&^0x20, command >= 'a'
		count, known := pathArguments[upper]
		n, ok := p.numbers(count, upper == 'A')
		if !known || !ok {
			return length, segments
		}
		originX, originY := 0.0, 0.0
		if relative {
			originX, originY = x, y
		}
		to := func(atX, atY float64) {
			length += math.Hypot(atX-x, atY-y)
			x, y = atX, atY
		}
		switch upper {
		case 'Z':
			to(startX, startY)
		case 'H':
			to(originX+n[0], y)
		case 'V':
			to(x, originY+n[0])
		case 'M':
			x, y = originX+n[0], originY+n[1]
			startX, startY = x, y
			command -= 'M' - 'L' // pairs that follow are lines
		case 'A':
			fromX, fromY := x, y
			to(originX+n[5], originY+n[6])
			length += 2 * math.Pi * max(math.Abs(n[0]), math.Abs(n[1]), math.Hypot(x-fromX, y-fromY))
		default:
			for i := 0; i < count; i += 2 {
				to(originX+n[i], originY+n[i+1])
			}
		}
	}
}

// pathReader reads the tokens of a path.
type pathReader struct{ text string }

// command returns the next command's letter; 0 if a number is next, or nothing.
func (p *pathReader) command() byte {
	p.text = strings.TrimLeft(p.text, " \t\r\n\f,")
	if p.text == "" {
		return 0
	}
	if c := p.text[0]; c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
		p.text = p.text[1:]
		return c
	}
	return 0
}

// numbers returns the next n numbers; those of an arc hold two flags of one digit each.
func (p *pathReader) numbers(n int, isArc bool) (list [7]float64, ok bool) {
	for i := range n {
		p.text = strings.TrimLeft(p.text, " \t\r\n\f,")
		end := numberEnd(p.text)
		if isArc && (i == 3 || i == 4) {
			end = min(end, 1)
		}
		x, err := strconv.ParseFloat(p.text[:end], 64)
		if math.IsInf(x, 0) { // out of range, which is an error as well
			x, err = math.Copysign(math.MaxFloat32, x), nil
		}
		if err != nil {
			return list, false
		}
		list[i], p.text = x, p.text[end:]
	}
	return list, true
}

// numberEnd returns where the number at the start of a text ends.
func numberEnd(text string) int {
	n, isFraction, hasExponent := 0, false, false
	for ; n < len(text); n++ {
		switch c := text[n]; {
		case c >= '0' && c <= '9':
		case (c == '+' || c == '-') && (n == 0 || text[n-1]|0x20 == 'e'):
		case c == '.' && !isFraction && !hasExponent:
			isFraction = true
		case c|0x20 == 'e' && n > 0 && !hasExponent && n+1 < len(text) && strings.IndexByte("+-0123456789", text[n+1]) >= 0:
			hasExponent = true
		default:
			return n
		}
	}
	return n
}
