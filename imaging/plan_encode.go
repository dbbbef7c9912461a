package imaging

import (
	"slices"

	"github.com/safelight/safelight/fault"
)

// DefaultQuality applies to URLs without a quality.
const DefaultQuality = 80

// Encode says how the result is written. Quality uses the scale of URLs.
type Encode struct {
	Format      Format
	Quality     int  // 1..100; 0 if the encoder has no quality
	AutoQuality bool // search for the lowest quality that still looks like the picture
	MaxBytes    int  // lower the quality until the file is no larger; 0: no limit
	Lossless    bool
	Effort      int  // effort of the encoder; -1: its default
	Compression int  // zlib level for PNG; -1: the encoder's default
	Bits        int  // bits per pixel of a palette PNG; 0: as many as the colours need
	Palette     bool // a palette PNG
	Flatten     bool // composite transparent pixels over white
	Gray        bool // one band, or two with alpha, because the picture has no color
	StripAll    bool // all metadata
	StripEXIF   bool
	// KeepMetadata keeps the harmless parts of EXIF, IPTC and XMP; otherwise only copyright, artist and credit are
	// kept.
	KeepMetadata bool
	By           Library // encodes the result, unless it carries metadata: libvips then encodes it
}

// finish plans how the result is written. A layer is not written.
func (p *planner) finish() error {
	if p.described.Known() {
		p.now.Width, p.now.Height = p.described.Width, p.described.Height
	}
	p.plan.Result = p.now
	if p.plan.Request.Child {
		return nil
	}
	if err := p.settleTarget(); err != nil {
		return err
	}
	p.space()
	formats := []Format{p.target}
	if p.best() && !p.plan.Request.Options.Describe {
		formats = p.candidates()
	}
	for n, f := range formats {
		e := p.encode(f)
		if err := p.checkFormat(e); err != nil {
			if n == 0 && !p.plan.Request.Options.Describe {
				return err
			}
			if n > 0 {
				continue
			}
		}
		p.plan.Encode = append(p.plan.Encode, e)
	}
	if len(p.plan.Encode) == 0 {
		p.plan.Encode = []Encode{p.encode(p.target)}
	}
	if !p.target.HasAlpha() || p.plan.Colour.Space == "cmyk" {
		p.plan.Result.Alpha = false
	}
	return nil
}

// settleTarget chooses PNG or JPEG for a source format that cannot be written at all, or that was not requested and
// cannot be written at this size.
func (p *planner) settleTarget() error {
	if p.target != "" && !p.has("format", "autojpg") && p.checkFormat(p.encode(p.target)) != nil {
		p.target = ""
	}
	if p.target == "" {
		p.target = JPEG
		if p.now.Alpha {
			p.target = PNG
		}
	}
	return nil
}

// encode returns the plan for writing the format.
func (p *planner) encode(f Format) Encode {
	t := f.traits()
	e := Encode{Format: f, Effort: -1, Compression: -1, Flatten: t.Opaque && p.now.Alpha}
	e.StripAll, e.StripEXIF = p.has("strip_metadata"), p.has("strip_metadata", "strip_exif")
	e.KeepMetadata = p.plan.Request.Limits.KeepMetadata || p.has("keep_metadata")
	e.Gray = t.Gray && p.gray() && !(f == PNG && p.has("bitdepth", "palette"))
	e.Lossless = t.Lossless && p.has("lossless")
	if t.Quality > 0 {
		e.Quality = DefaultQuality
		if c, ok := p.plan.Call("quality"); ok && c.Text("n") == "auto" {
			e.AutoQuality = !e.Lossless
		} else if ok {
			e.Quality = c.Int("n")
		}
	}
	if c, ok := p.plan.Call("max_bytes"); ok {
		e.MaxBytes = c.Int("n")
	}
	e.setEffort(t.Effort)
	if n := p.plan.Request.Options.Efforts[f]; n > 0 {
		e.setEffort(n)
	}
	if c, ok := p.plan.Call("speed"); ok {
		e.setEffort(f.EffortAt(Speed(c.Text("of"))))
	}
	if t.PreviewEffort > 0 && p.has("preview") {
		e.Effort = t.PreviewEffort - 1 // a user of an editor waits for the encoder, not for the download
	}
	if e.Lossless && t.LosslessEffort > 0 {
		e.Effort = t.LosslessEffort // the next effort takes five times as long for 5 % less
	}
	if f != PNG {
		return e
	}
	if c, ok := p.plan.Call("compression"); ok {
		e.Compression = c.Int("level")
	}
	if c, ok := p.plan.Call("bitdepth"); ok {
		e.Bits = c.Int("bits")
	}
	e.Palette = p.has("bitdepth", "palette")
	return e
}

// setEffort sets the effort of the encoder, for PNG the zlib level; 0: the encoder's default.
func (e *Encode) setEffort(n int) {
	if n == 0 {
		n = -1
	}
	if e.Format == PNG {
		e.Compression = n
	} else {
		e.Effort = n
	}
}

// gray reports whether the result has no color, because of a gray source or grayscale(), and because no later filter
// adds color.
func (p *planner) gray() bool {
	h := p.plan.Request.Header
	gray := !h.Canvas && !h.Format.traits().Vector && (h.Bands == 1 || h.Bands == 2)
	for _, s := range p.plan.Filters {
		if s.Skip {
			continue
		}
		switch s.Call.Name {
		case "grayscale":
			gray = true
		case "image", "watermark", "text", "label", "rgb", "white_balance":
			gray = false
		case "curve":
			gray = gray && s.Call.Arg("points").Curve.Channel == ""
		case "background_color": // visible only where the picture is transparent
			c := s.Call.Arg("color").Colour
			gray = gray && (!s.Before.Alpha || c.Word != "" || c.R == c.G && c.G == c.B)
		default:
			c := s.Call.Arg("color").Colour
			gray = gray && (c.Word != "" || c.R == c.G && c.G == c.B)
		}
	}
	_, converted := p.plan.Call("to_colorspace")
	return gray && !converted
}

// checkFormat rejects a picture that the format cannot hold.
func (p *planner) checkFormat(e Encode) error {
	t := e.Format.traits()
	width, height, frames := p.now.Width, p.now.Height, p.now.Frames
	if t.MaxSide > 0 && (width > t.MaxSide || height > t.MaxSide) {
		return fault.New(
			fault.TooLarge, "The result has %dx%d pixels; a side of a %s file can have at most %d", width,
			height, e.Format, t.MaxSide,
		)
	}
	limit := t.MaxPixels
	if e.Lossless {
		limit = t.MaxExactPixels
	}
	if limit > 0 && Product(width, height, frames) > int64(limit) {
		return fault.New(
			fault.TooLarge, "The result has %dx%d pixels%s; as %s it can have at most %d pixels",
			width, height, p.inFrames(frames), e.Format, limit,
		)
	}
	return nil
}

// candidates returns the formats of format(best): those that every client supports and those that this client accepts,
// if they can hold the picture.
func (p *planner) candidates() []Format {
	var list []Format
	r := p.plan.Request
	add := func(f Format) {
		if slices.Contains(r.Options.Writable, f) {
			list = append(list, f)
		}
	}
	moves := p.now.Frames > 1
	switch {
	case moves:
		add(GIF)
	case p.now.Alpha:
		add(PNG)
	default:
		add(JPEG)
		if !r.Header.Format.IsLossy() { // a drawing may be smaller as PNG, but a photograph never is
			add(PNG)
		}
	}
	for _, f := range r.Limits.Accept {
		if !moves || f.CanAnimate() {
			add(f)
		}
	}
	return list
}

// colour plans whether the result may stay in the source's RGB space.
func (p *planner) colour() error {
	keep := !p.plan.Request.Child && !p.has("strip_icc", "strip_metadata", "to_colorspace") &&
		p.target.traits().Profiles
	for _, c := range p.plan.Calls {
		s := specOf(c.Name)
		keep = keep && (s.Step == "" || s.Neutral)
	}
	p.plan.Colour.KeepProfile, p.plan.Colour.Target = keep, p.target
	return nil
}

// space plans to_colorspace() on the result. CMYK is for JPEG and TIFF, the formats for print.
func (p *planner) space() {
	c, ok := p.plan.Call("to_colorspace")
	if !ok {
		return
	}
	switch space := c.Text("space"); {
	case space == "p3" && !p.target.traits().Profiles:
		p.warn(
			c.Name, "space",
			"filter to_colorspace: "+string(p.target)+" has no color profile, the result is sRGB",
		)
	case space == "cmyk" && p.target != JPEG && p.target != TIFF:
		p.warn(c.Name, "space", "filter to_colorspace: only jpeg and tiff hold cmyk, the result is sRGB")
	case space == "p3", space == "cmyk":
		p.plan.Colour.Space = space
	}
}

// Format returns the format of the result, or the first candidate if the smallest file decides.
func (p Plan) Format() Format {
	if len(p.Encode) == 0 {
		return ""
	}
	return p.Encode[0].Format
}

// Bands returns the number of channels of the result.
func (p Plan) Bands() int {
	bands := 3
	if len(p.Encode) > 0 && p.Encode[0].Gray {
		bands = 1
	}
	if p.Colour.Space == "cmyk" || p.Result.Alpha {
		bands++
	}
	return bands
}
