package imaging

import (
	"strconv"
	"strings"
)

// Path returns the canonical URL path of r, without a leading slash. Parse(r.Path()) == r.
func (r Request) Path() string {
	var b strings.Builder
	if r.Params {
		b.WriteString("params/")
	}
	if r.Unsafe {
		b.WriteString("unsafe/")
	} else if r.Hash != "" {
		b.WriteString(r.Hash + "/")
	}
	if r.Meta {
		b.WriteString("meta/")
	}
	r.Operations.write(&b)
	if r.Encrypted {
		b.WriteString(r.Image)
	} else {
		b.WriteString(encodeImage(r.Image, r.Base64))
	}
	return b.String()
}

// Path returns the path to be signed for the operations o on image: `300x200/filters:.../image`, canonical, without a
// leading slash.
func (o Operations) Path(image string) string {
	return Request{Operations: o, Image: image}.Path()
}

// String returns the part of a URL that contains the operations, with a final slash; empty without operations.
func (o Operations) String() string {
	var b strings.Builder
	o.write(&b)
	return b.String()
}

func (o Operations) write(b *strings.Builder) {
	o.writeAround(b, func() { o.writeSize(b) })
}

// writeAround writes all segments, and calls size to write the size segment in the middle.
func (o Operations) writeAround(b *strings.Builder, size func()) {
	o.writeTrim(b)
	o.writeCrop(b)
	if o.Fit.In {
		if o.Fit.Adaptive {
			b.WriteString("adaptive-")
		}
		if o.Fit.Full {
			b.WriteString("full-")
		}
		b.WriteString("fit-in/")
	}
	if o.Stretch {
		b.WriteString("stretch/")
	}
	size()
	for _, word := range []string{string(o.HAlign), string(o.VAlign)} {
		if word != "" {
			b.WriteString(word + "/")
		}
	}
	if o.Smart {
		b.WriteString("smart/")
	}
	if o.Filters != "" {
		b.WriteString("filters:" + string(o.Filters) + "/")
	}
}

func (o Operations) writeTrim(b *strings.Builder) {
	if !o.Trim {
		return
	}
	b.WriteString("trim")
	if o.TrimBy == CornerBottomRight {
		b.WriteString(":" + string(o.TrimBy))
	}
	if o.TrimTolerance > 0 {
		b.WriteString(":" + strconv.Itoa(int(o.TrimTolerance)))
	}
	b.WriteByte('/')
}

func (o Operations) writeCrop(b *strings.Builder) {
	if !o.hasCrop() {
		return
	}
	f := FormatDecimal
	b.WriteString(f(o.CropLeft) + "x" + f(o.CropTop) + ":" + f(o.CropRight) + "x" + f(o.CropBottom) + "/")
}

func (o Operations) writeSize(b *strings.Builder) {
	if !o.hasSize() && !o.HFlip && !o.VFlip && !o.padded() {
		return
	}
	sign := func(flip bool) string {
		if flip {
			return "-"
		}
		return ""
	}
	side := func(pixels int, own bool) string {
		if own {
			return original
		}
		return strconv.Itoa(pixels)
	}
	b.WriteString(
		sign(o.HFlip) + side(o.Width, o.WidthOriginal) + "x" + sign(o.VFlip) + side(o.Height, o.HeightOriginal) + "/",
	)
	o.writePadding(b)
}

func (o Operations) padded() bool {
	return o.PaddingLeft != 0 || o.PaddingTop != 0 || o.PaddingRight != 0 || o.PaddingBottom != 0
}

func (o Operations) writePadding(b *strings.Builder) {
	if !o.padded() {
		return
	}
	pair := func(w, h int) { b.WriteString(strconv.Itoa(w) + "x" + strconv.Itoa(h)) }
	pair(o.PaddingLeft, o.PaddingTop)
	if o.PaddingLeft != o.PaddingRight || o.PaddingTop != o.PaddingBottom {
		b.WriteByte(':')
		pair(o.PaddingRight, o.PaddingBottom)
	}
	b.WriteByte('/')
}
