package imaging

import (
	"strconv"
	"strings"

	"github.com/safelight/safelight/fault"
)

// minHash is the min number of characters of a path segment that can be a signature.
const minHash = 17

// MaxNumber is the largest pixel number that a URL may name. A larger number is an error; it does not make the segment
// an image.
const MaxNumber = 1_000_000_000

// Parse reads the path of an image URL in the form that it has in the URL, without percent-decoding and without the
// query. It ignores leading slashes. A segment that does not fit the grammar at its place starts the image. It returns
// fault.Invalid for a path that names no image, for a number over 1,000,000,000, for a path that exceeds MaxPathBytes
// or MaxFilters, and for an image that leaves the root, contains a NUL or is absolute.
func Parse(path string) (Request, error) { return ParseWith(path, nil) }

// ParseWith is Parse for a path that may have presets anywhere among its operations. preset is called with the text
// between the parentheses of each `preset(...)`, in their order, and its error is returned. The request has the other
// operations.
func ParseWith(path string, preset func(text string) error) (Request, error) {
	var r Request
	if err := checkPath(path); err != nil {
		return r, err
	}
	path, r.Params = cutParams(path)
	hash, rest := splitHash(path)
	r.Unsafe = hash == "unsafe"
	if !r.Unsafe {
		r.Hash = hash
	}
	s := scanner{rest: strings.TrimLeft(rest, "/")}
	s.word("debug") // thumbor's debug flag, which has no effect here
	r.Meta = s.word("meta")
	s.preset = preset
	s.operations(&r.Operations)
	if s.err != nil {
		return Request{}, s.err
	}
	if raw := strings.TrimLeft(s.rest, "/"); isEncrypted(raw) {
		r.Image, r.Encrypted = raw, true
		return r, nil
	}
	var err error
	r.Image, r.Base64, err = decodeImage(s.rest)
	if err != nil {
		return Request{}, err
	}
	return r, nil
}

func checkPath(path string) error {
	if len(path) > MaxPathBytes {
		return fault.New(fault.Invalid, "the path is %d bytes long, expected at most %d", len(path), MaxPathBytes)
	}
	return nil
}

// rawImage returns the undecoded image of a path that Parse accepts.
func rawImage(path string) string {
	path, _ = cutParams(path)
	_, rest := splitHash(path)
	s := scanner{rest: strings.TrimLeft(rest, "/")}
	s.word("debug")
	s.word("meta")
	s.operations(&Operations{})
	return strings.TrimLeft(s.rest, "/")
}

// IsImage reports whether the rest of a URL after its operations is only an image, with no segment or slash in front
// of it.
func IsImage(rest string) bool { return rawImage("unsafe/"+rest) == rest }

// SplitSigned splits a raw URL path into its signature, which may be `unsafe`, and the exact bytes after it that were
// signed. Leading slashes and `params/` are omitted. The hash is empty if the path has no signature; signed is then
// the whole path.
func SplitSigned(path string) (hash, signed string) {
	path, _ = cutParams(path)
	return splitHash(path)
}

func cutParams(path string) (rest string, params bool) {
	path = strings.TrimLeft(path, "/")
	if after, ok := strings.CutPrefix(path, "params/"); ok {
		return strings.TrimLeft(after, "/"), true
	}
	return path, false
}

func splitHash(path string) (hash, rest string) {
	segment, after, ok := strings.Cut(path, "/")
	if ok && (segment == "unsafe" || isHash(segment)) {
		return segment, after
	}
	return "", path
}

// isHash reports whether a segment is interpreted as a signature: it is long enough, has only characters of
// signatures, and is not a word or a size of the grammar.
func isHash(s string) bool {
	if len(s) < minHash || new(Operations).parseFit(s) {
		return false
	}
	if w, h, ok := cutPair(s); ok && isDigits(strings.TrimPrefix(w, "-")) && isDigits(strings.TrimPrefix(h, "-")) {
		return false
	}
	return IsAlnum(s, base64URL+"=")
}

// IsAlnum reports whether text contains only ASCII letters, digits, and characters of others, which must also be
// ASCII.
func IsAlnum(text, others string) bool {
	for i := range len(text) {
		if c := text[i]; !isAlnum(c) && strings.IndexByte(others, c) < 0 {
			return false
		}
	}
	return true
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// original is thumbor's word for a side that keeps the picture's size.
const original = "orig"

// scanner removes segments from the start of a path.
type scanner struct {
	rest  string
	err   error
	layer *Layer // layer whose sizes may depend on the parent's; nil for a URL

	preset func(text string) error // handles presets; nil: presets are not allowed
}

// operations reads every segment between the signature and the image, in the grammar's order.
func (s *scanner) operations(o *Operations) {
	s.take(o.parseTrim)
	s.take(s.number(o.parseCrop))
	s.take(o.parseFit)
	o.Stretch = s.word("stretch")
	if s.take(s.number(o.parseSize)) || s.layer != nil && s.take(s.number(s.layer.parseLayerSize)) {
		s.take(s.number(o.parsePadding))
	}
	for _, a := range []HAlign{HAlignLeft, HAlignCenter, HAlignRight} {
		if o.HAlign == "" && s.word(string(a)) {
			o.HAlign = a
		}
	}
	for _, a := range []VAlign{VAlignTop, VAlignMiddle, VAlignBottom} {
		if o.VAlign == "" && s.word(string(a)) {
			o.VAlign = a
		}
	}
	o.Smart = s.word("smart")
	s.presets()
	if f, rest, ok := cutFilters(s.rest); ok {
		o.Filters, s.rest = f, rest
		if err := f.check(); err != nil && s.err == nil {
			s.err = err
		}
		s.presets()
	}
}

// presets reads the presets at the start of the path.
func (s *scanner) presets() {
	for s.preset != nil && s.err == nil {
		segment, after, ok := strings.Cut(s.rest, "/")
		text, begins := strings.CutPrefix(segment, presetPrefix)
		text, ends := strings.CutSuffix(text, ")")
		if !ok || !begins || !ends {
			return
		}
		s.err, s.rest = s.preset(text), after
	}
}

func (s *scanner) word(w string) bool {
	return s.take(func(segment string) bool { return segment == w })
}

// take removes the first segment if accept returns true for it. It never removes the last segment, which is the image.
func (s *scanner) take(accept func(string) bool) bool {
	s.presets()
	segment, after, ok := strings.Cut(s.rest, "/")
	if !ok || !accept(segment) {
		return false
	}
	s.rest = after
	return true
}

// number adapts a segment parser that may find a number that is too large.
func (s *scanner) number(parse func(string) (bool, error)) func(string) bool {
	return func(segment string) bool {
		ok, err := parse(segment)
		if err != nil && s.err == nil {
			s.err = err
		}
		return ok
	}
}

func (o *Operations) parseTrim(segment string) bool {
	rest, ok := strings.CutPrefix(segment, "trim")
	if !ok {
		return false
	}
	t := Operations{Trim: true}
	for _, c := range []Corner{CornerTopLeft, CornerBottomRight} {
		if after, found := strings.CutPrefix(rest, ":"+string(c)); found && t.TrimBy == "" {
			rest, t.TrimBy = after, c
		}
	}
	if t.TrimBy == CornerTopLeft {
		t.TrimBy = "" // the default, so that both spellings result in the same value
	}
	if after, found := strings.CutPrefix(rest, ":"); found {
		n, err := strconv.ParseUint(after, 10, 30)
		if err != nil {
			return false
		}
		t.TrimTolerance, rest = float64(n), ""
	}
	if rest != "" {
		return false
	}
	o.Trim, o.TrimBy, o.TrimTolerance = true, t.TrimBy, t.TrimTolerance
	return true
}

func (o *Operations) parseCrop(segment string) (bool, error) {
	from, to, ok := strings.Cut(segment, ":")
	if !ok {
		return false, nil
	}
	l, t, ok1 := cutPair(from)
	r, b, ok2 := cutPair(to)
	if !ok1 || !ok2 {
		return false, nil
	}
	texts := []string{l, t, r, b}
	if !all(isDecimal, texts) {
		return false, nil
	}
	var v [4]float64
	for i, text := range texts {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || f > MaxNumber {
			return false, tooLargeNumber("crop", text)
		}
		v[i] = f
	}
	o.CropLeft, o.CropTop, o.CropRight, o.CropBottom = v[0], v[1], v[2], v[3]
	return true, nil
}

func (o *Operations) parseFit(segment string) bool {
	rest, adaptive := strings.CutPrefix(segment, "adaptive-")
	rest, full := strings.CutPrefix(rest, "full-")
	if rest != "fit-in" {
		return false
	}
	o.Fit = Fit{In: true, Adaptive: adaptive, Full: full}
	return true
}

func (o *Operations) parseSize(segment string) (bool, error) {
	w, h, ok := cutPair(segment)
	if !ok {
		return false, nil
	}
	w, hFlip := strings.CutPrefix(w, "-")
	h, vFlip := strings.CutPrefix(h, "-")
	wide, high := w == original, h == original
	if !wide && !isDigits(w) || !high && !isDigits(h) {
		return false, nil
	}
	w, h = strings.TrimPrefix(w, original), strings.TrimPrefix(h, original)
	width, err := pixels("width", w)
	if err != nil {
		return false, err
	}
	height, err := pixels("height", h)
	if err != nil {
		return false, err
	}
	o.Width, o.Height, o.HFlip, o.VFlip = width, height, hFlip, vFlip
	o.WidthOriginal, o.HeightOriginal = wide, high
	return true, nil
}

func (o *Operations) parsePadding(segment string) (bool, error) {
	from, to, long := strings.Cut(segment, ":")
	if !long {
		to = from
	}
	l, t, ok1 := cutPair(from)
	r, b, ok2 := cutPair(to)
	if !ok1 || !ok2 {
		return false, nil
	}
	texts := []string{l, t, r, b}
	if !all(func(s string) bool { return s != "" && isDigits(s) }, texts) {
		return false, nil
	}
	var v [4]int
	for i, text := range texts {
		n, err := pixels("padding", text)
		if err != nil {
			return false, err
		}
		v[i] = n
	}
	o.PaddingLeft, o.PaddingTop, o.PaddingRight, o.PaddingBottom = v[0], v[1], v[2], v[3]
	return true, nil
}

// cutPair splits AxB at its x.
func cutPair(s string) (a, b string, ok bool) { return strings.Cut(s, "x") }

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// all reports whether every text has the given form. The form is checked before the size, because a segment that does
// not match the grammar is an image, however large its numbers are.
func all(is func(string) bool, texts []string) bool {
	for _, s := range texts {
		if !is(s) {
			return false
		}
	}
	return true
}

func isDecimal(s string) bool {
	whole, part, dot := strings.Cut(s, ".")
	return isDigits(whole) && isDigits(part) && (whole != "" || part != "") && (!dot || part != "")
}

func pixels(field, text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n > MaxNumber {
		return 0, tooLargeNumber(field, text)
	}
	return n, nil
}

func tooLargeNumber(field, text string) error {
	if len(text) > 24 {
		text = text[:24] + "..."
	}
	return fault.OnField(fault.Invalid, field, "%s %s is too large, expected at most %d", field, text, MaxNumber)
}
