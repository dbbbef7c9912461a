package imaging

import (
	"strconv"
	"strings"

	"github.com/safelight/safelight/fault"
)

// Layer is the picture that an image() or watermark() filter lays over its parent: it has its own operation path.
// Width and Height replace the sizes of Operations if they depend on the parent.
type Layer struct {
	Operations    Operations
	Image         string
	Base64        bool // Image was written as b64:
	Encrypted     bool // Image is an encrypted path, as in Request
	Width, Height Side
}

// Side is a side that depends on the parent's: `f`, `full`, `f-20` for 20 pixels less, or `30p` for 30 percent of it.
// The zero value does not depend on it.
type Side struct {
	Full    bool
	Less    int     // pixels to subtract; negative to add
	Percent float64 // used instead of Full; above 0 and up to MaxPercent, 0: none
}

// MaxPercent is the largest side of a layer in percent of its parent's.
const MaxPercent = 1000

// Follows reports whether the side depends on the parent's.
func (s Side) Follows() bool { return s.Full || s.Percent > 0 }

// ParseLayer reads the operation path of a layer. It ignores a signature, `unsafe`, `params` and `meta` before the
// path, which have no meaning there. The errors are those of Parse.
func ParseLayer(path string) (Layer, error) { return ParseLayerWith(path, nil) }

// ParseLayerWith is to ParseLayer what ParseWith is to Parse.
func ParseLayerWith(path string, preset func(text string) error) (Layer, error) {
	if err := checkPath(path); err != nil {
		return Layer{}, err
	}
	path, _ = cutParams(path)
	_, rest := splitHash(path)
	s := scanner{rest: strings.TrimLeft(rest, "/"), layer: new(Layer)}
	s.word("meta")
	s.preset = preset
	s.operations(&s.layer.Operations)
	if s.err != nil {
		return Layer{}, s.err
	}
	if raw := strings.TrimLeft(s.rest, "/"); isEncrypted(raw) {
		s.layer.Image, s.layer.Encrypted = raw, true
		return *s.layer, nil
	}
	var err error
	s.layer.Image, s.layer.Base64, err = decodeImage(s.rest)
	return *s.layer, err
}

// Within returns the layer's operations in a parent of the given size in pixels; every side is at least one pixel.
func (l Layer) Within(width, height int) Operations {
	o := l.Operations
	o.Width, o.Height = l.Width.Within(o.Width, width), l.Height.Within(o.Height, height)
	return o
}

// Within returns the side's pixels for the given side of the parent.
func (s Side) Within(pixels, parent int) int {
	switch {
	case s.Full:
		return max(parent-s.Less, 1)
	case s.Percent > 0:
		return scaled(parent, s.Percent/100)
	}
	return pixels
}

// Path returns the layer's operation path, as ParseLayer reads it.
func (l Layer) Path() string {
	if !l.Width.Follows() && !l.Height.Follows() {
		return Request{Operations: l.Operations, Image: l.Image, Base64: l.Base64, Encrypted: l.Encrypted}.Path()
	}
	var b strings.Builder
	l.Operations.writeAround(&b, func() {
		width := l.Width.write(l.Operations.Width, l.Operations.HFlip)
		height := l.Height.write(l.Operations.Height, l.Operations.VFlip)
		b.WriteString(width + "x" + height + "/")
		l.Operations.writePadding(&b)
	})
	if l.Encrypted {
		return b.String() + l.Image
	}
	return b.String() + encodeImage(l.Image, l.Base64)
}

// MaxNesting is how deeply layers may be nested for MapLayers and presets. No server's limit can be higher.
const MaxNesting = 16

// MapLayers returns o with each layer replaced by the result of change. Inner layers are replaced before outer ones.
// Filters without a changed layer stay as written. It returns the error of change, and fault.TooLarge if layers are
// nested deeper than MaxNesting.
func (o Operations) MapLayers(change func(Layer) (Layer, error)) (Operations, error) {
	return o.mapLayers(change, 1)
}

func (o Operations) mapLayers(change func(Layer) (Layer, error), depth int) (Operations, error) {
	return o.ReplaceLayers(func(path string) (string, error) {
		if depth > MaxNesting {
			return "", TooNested()
		}
		before, err := ParseLayer(path)
		if err != nil {
			return path, nil // Layers returns it
		}
		after := before
		if after.Operations, err = before.Operations.mapLayers(change, depth+1); err != nil {
			return path, err
		}
		if after, err = change(after); err != nil || after == before {
			return path, err
		}
		return after.Argument(), nil
	})
}

// TooNested returns the error for layers that are nested deeper than MaxNesting.
func TooNested() error {
	return fault.OnField(fault.TooLarge, "image", "layers are nested more than %d deep", MaxNesting)
}

// ReplaceLayers returns o with the operation path of each layer replaced by the result of replace. Filters without a
// replaced path stay as written. It returns the error of replace.
func (o Operations) ReplaceLayers(replace func(path string) (string, error)) (Operations, error) {
	list := o.Filters.List()
	changed := false
	for i, f := range list {
		written := f.Arguments()
		if s := specOf(f.Name); s == nil || len(written) == 0 || !s.drawsLayer() {
			continue
		}
		path, err := replace(written[0])
		if err != nil {
			return o, err
		}
		if path != written[0] {
			written[0], changed = path, true
			list[i].Args = strings.Join(written, ",")
		}
	}
	if changed {
		o.Filters = FiltersOf(list...)
	}
	return o, nil
}

// Argument returns Path as an argument of a filter.
func (l Layer) Argument() string { return l.AsArgument().Path() }

// AsArgument returns l, with the image in base64 if it contains characters that would end an argument.
func (l Layer) AsArgument() Layer {
	l.Base64 = !l.Encrypted && strings.ContainsAny(l.Image, "(),")
	return l
}

func (s Side) write(pixels int, flip bool) string {
	text := ""
	if flip {
		text = "-"
	}
	switch {
	case s.Percent > 0:
		return text + FormatDecimal(s.Percent) + "p"
	case !s.Full:
		return text + strconv.Itoa(pixels)
	}
	text += "f"
	if s.Less != 0 {
		text += strconv.Itoa(-s.Less)
		if s.Less < 0 {
			text = strings.Replace(text, "f", "f+", 1)
		}
	}
	return text
}

// parseLayerSize reads a size in which at least one side depends on the parent's.
func (l *Layer) parseLayerSize(segment string) (bool, error) {
	w, h, ok := cutPair(segment)
	if !ok {
		return false, nil
	}
	w, hFlip := strings.CutPrefix(w, "-")
	h, vFlip := strings.CutPrefix(h, "-")
	width, ok1 := parseSide(w)
	height, ok2 := parseSide(h)
	if !ok1 || !ok2 || !width.Follows() && !height.Follows() {
		return false, nil
	}
	var err error
	o := l.Operations
	if !width.Follows() {
		if o.Width, err = pixels("width", w); err != nil {
			return false, err
		}
	}
	if !height.Follows() {
		if o.Height, err = pixels("height", h); err != nil {
			return false, err
		}
	}
	o.HFlip, o.VFlip = hFlip, vFlip
	l.Operations, l.Width, l.Height = o, width, height
	return true, nil
}

// parseSide reads `f`, `full`, `f-20`, `f+20`, `30p`, or digits, which give the zero Side.
func parseSide(s string) (Side, bool) {
	if percent, ok := strings.CutSuffix(s, "p"); ok {
		n, err := strconv.ParseFloat(percent, 64)
		return Side{Percent: n}, isDecimal(percent) && err == nil && n > 0 && n <= MaxPercent
	}
	rest, ok := strings.CutPrefix(s, "full")
	if !ok {
		rest, ok = strings.CutPrefix(s, "f")
	}
	if !ok {
		return Side{}, isDigits(s)
	}
	if rest == "" {
		return Side{Full: true}, true
	}
	if rest[0] != '-' && rest[0] != '+' || len(rest) < 2 || !isDigits(rest[1:]) {
		return Side{}, false
	}
	n, err := strconv.Atoi(rest)
	if err != nil || n > MaxNumber || n < -MaxNumber {
		return Side{}, false
	}
	return Side{Full: true, Less: -n}, true
}

// Layers returns the images that the layers of o name, including nested ones, without duplicates and in the order of
// their occurrence. It returns fault.TooLarge if o draws more than l.MaxLayers layers, including texts, or nests them
// deeper than l.MaxDepth, and also the errors of ParseLayer and Filters.Calls.
func Layers(o Operations, l Limits) ([]string, error) {
	c := layerCount{limits: l, seen: map[string]bool{}}
	err := c.add(o, 1)
	return c.images, err
}

type layerCount struct {
	limits Limits
	count  int
	images []string
	seen   map[string]bool
	fonts  map[string]bool // fonts of the texts; nil: not collected
}

func (c *layerCount) add(o Operations, depth int) error {
	calls, _, err := o.Filters.Calls(c.limits.Strict)
	if err != nil {
		return err
	}
	for _, call := range calls {
		path, drawn := call.LayerPath()
		if !drawn {
			continue
		}
		c.count++
		if most := c.limits.MaxLayers; most > 0 && c.count > most {
			return fault.OnField(fault.TooLarge, call.Name, "the URL draws more than %d layers", most)
		}
		if path == "" {
			if c.fonts != nil {
				name, _, _ := fontOf(call.Text("font"))
				c.fonts[name] = true
			}
			continue
		}
		if most := c.limits.MaxDepth; most > 0 && depth > most {
			return fault.OnField(fault.TooLarge, call.Name, "layers are nested more than %d deep", most)
		}
		layer, err := ParseLayer(path)
		if err != nil {
			return fault.OnField(fault.CodeOf(err), call.Name, "filter %s: %s", call.Name, fault.Of(err).Message)
		}
		if !c.seen[layer.Image] {
			c.seen[layer.Image] = true
			c.images = append(c.images, layer.Image)
		}
		if err := c.add(layer.Operations, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// LayerPath reports whether the filter draws a layer, and returns the operation path of its picture; empty
// for text.
func (c Call) LayerPath() (path string, drawn bool) {
	if c.Name == "text" || c.Name == "label" {
		return "", true
	}
	if s := specOf(c.Name); s != nil && s.drawsLayer() {
		return c.Text(s.Parameters[0].Name), true
	}
	return "", false
}
