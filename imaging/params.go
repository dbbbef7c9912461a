package imaging

import (
	"strings"

	"github.com/safelight/safelight/fault"
)

// ParamsResponse is the response of /params. Its JSON omits zero values.
type ParamsResponse struct {
	Path           string   `json:"path,omitempty"` // the part after the signature, undecoded
	Image          string   `json:"image,omitempty"`
	Base64Image    bool     `json:"base64_image,omitempty"`
	Unsafe         bool     `json:"unsafe,omitempty"`
	Hash           string   `json:"hash,omitempty"`
	Meta           bool     `json:"meta,omitempty"`
	Trim           bool     `json:"trim,omitempty"`
	TrimBy         Corner   `json:"trim_by,omitempty"`
	TrimTolerance  float64  `json:"trim_tolerance,omitempty"`
	CropLeft       float64  `json:"crop_left,omitempty"`
	CropTop        float64  `json:"crop_top,omitempty"`
	CropRight      float64  `json:"crop_right,omitempty"`
	CropBottom     float64  `json:"crop_bottom,omitempty"`
	FitIn          bool     `json:"fit_in,omitempty"`
	AdaptiveFitIn  bool     `json:"adaptive_fit_in,omitempty"`
	FullFitIn      bool     `json:"full_fit_in,omitempty"`
	Stretch        bool     `json:"stretch,omitempty"`
	Width          int      `json:"width,omitempty"`
	Height         int      `json:"height,omitempty"`
	WidthOriginal  bool     `json:"width_original,omitempty"`
	HeightOriginal bool     `json:"height_original,omitempty"`
	PaddingLeft    int      `json:"padding_left,omitempty"`
	PaddingTop     int      `json:"padding_top,omitempty"`
	PaddingRight   int      `json:"padding_right,omitempty"`
	PaddingBottom  int      `json:"padding_bottom,omitempty"`
	HFlip          bool     `json:"h_flip,omitempty"`
	VFlip          bool     `json:"v_flip,omitempty"`
	HAlign         HAlign   `json:"h_align,omitempty"`
	VAlign         VAlign   `json:"v_align,omitempty"`
	Smart          bool     `json:"smart,omitempty"`
	Filters        []Filter `json:"filters,omitempty"`
	ValidSignature *bool    `json:"valid_signature,omitempty"`
	Explain        []string `json:"explain,omitempty"`
	Warnings       []string `json:"warnings,omitempty"`
}

// Params explains a URL. path is the raw URL path from which Parse made r. valid says whether its signature is
// correct; nil: it has none.
func Params(path string, r Request, valid *bool) ParamsResponse {
	_, signed := SplitSigned(path)
	o := r.Operations
	p := ParamsResponse{
		Path: signed, Image: r.Image, Base64Image: r.Base64, Unsafe: r.Unsafe, Hash: r.Hash, Meta: r.Meta,
		Trim: o.Trim, TrimBy: o.TrimBy, TrimTolerance: o.TrimTolerance,
		CropLeft: o.CropLeft, CropTop: o.CropTop, CropRight: o.CropRight, CropBottom: o.CropBottom,
		FitIn: o.Fit.In, AdaptiveFitIn: o.Fit.Adaptive, FullFitIn: o.Fit.Full, Stretch: o.Stretch,
		Width: o.Width, Height: o.Height, WidthOriginal: o.WidthOriginal, HeightOriginal: o.HeightOriginal,
		HFlip: o.HFlip, VFlip: o.VFlip,
		PaddingLeft: o.PaddingLeft, PaddingTop: o.PaddingTop, PaddingRight: o.PaddingRight,
		PaddingBottom: o.PaddingBottom,
		HAlign:        o.HAlign, VAlign: o.VAlign, Smart: o.Smart, Filters: o.Filters.List(),
		Explain: r.Explain(),
	}
	if o.Trim {
		p.TrimBy = cornerOf(o.TrimBy)
	}
	if r.Hash != "" {
		p.ValidSignature = valid
	}
	for _, w := range r.warnings(path) {
		p.Warnings = append(p.Warnings, w.String())
	}
	return p
}

// warnings returns warnings about filters and segments of the URL that are not applied as written. path is the raw
// path of the URL.
func (r Request) warnings(path string) []Warning {
	_, warnings, err := r.Operations.Filters.Calls(false)
	if err != nil {
		warnings = append(warnings, Warning{Message: fault.Of(err).Message})
	}
	if r.Operations.TrimTolerance > maxTolerance {
		warnings = append(warnings, Warning{Field: "trim", Message: tooTolerant})
	}
	if first, _, more := strings.Cut(rawImage(path), "/"); more && !r.Base64 && looksMisplaced(first) {
		warnings = append(warnings, Warning{
			Message: "segment " + fault.Quote(first) +
				" is treated as a folder of the image: it is malformed or out of order",
		})
	}
	if !r.Meta {
		for _, f := range r.Operations.Filters.List() {
			if isMeta(f.Name) {
				warnings = append(warnings, Warning{
					Filter:  f.Name,
					Message: "filter " + fault.Quote(f.Name) + " is a metadata filter and has no effect outside /meta",
				})
			}
		}
	}
	return warnings
}

const (
	maxTolerance = 442
	tooTolerant  = "the trim tolerance exceeds 442, the maximum distance between two colors"
)

// looksMisplaced reports whether a folder of an image was probably meant to be an operation.
func looksMisplaced(folder string) bool {
	return isGrammar(folder) && !isHash(folder) || strings.HasPrefix(folder, "trim:")
}
