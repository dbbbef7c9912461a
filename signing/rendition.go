package signing

import (
	"slices"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/preset"
	"github.com/safelight/safelight/signing/sealed"
)

// Rendition returns the request for a file with operations that the server has chosen, applied over those of a preset
// if presetName is not empty. It has no URL, and does not check access: the caller must have checked that the file may
// be seen. It returns fault.NotFound if the image is not a file, or if the preset does not exist.
func (s *Signer) Rendition(image, presetName string, o imaging.Operations) (*ParsedURL, error) {
	path := o.Path(image)
	if presetName != "" {
		if !s.presets().Has(presetName) {
			return nil, fault.New(fault.NotFound, "preset %s does not exist", presetName)
		}
		path = "preset(" + presetName + ")/" + path
	}
	p, err := s.presets().Parse("unsafe/" + path)
	if err != nil {
		return nil, err
	}
	if p.Image != image || p.Meta || p.Params || p.Encrypted || imaging.IsRemote(image) || imaging.IsCanvas(image) {
		return nil, fault.New(fault.NotFound, "%s is not a file", image)
	}
	p.Unsafe, p.Hash = false, ""
	a := &ParsedURL{Request: p.Request, Signed: true, IgnoreHints: true, Unpinned: unpinned(p), Labels: p.Labels()}
	if sealed.InLayers(a.Operations) {
		if err := s.decrypt(a); err != nil {
			return nil, err
		}
	}
	a.Sealed = true
	return a, a.Denied
}

// CheckWatermark returns fault.Invalid unless a preset exists, needs no arguments, and draws something on a picture.
func (s *Signer) CheckWatermark(name string) error {
	bad := func(why string) error {
		return fault.OnField(fault.Invalid, "preset", "preset %s %s", fault.Quote(name), why)
	}
	if preset.CheckName(name) != nil || !s.presets().Has(name) {
		return bad("does not exist")
	}
	a, err := s.Rendition("a.png", name, imaging.Operations{})
	if err != nil {
		return bad("cannot be applied to a picture: " + fault.Of(err).Message)
	}
	calls, _, err := a.Operations.Filters.Calls(false)
	if err != nil {
		return bad("has filters that cannot be read: " + fault.Of(err).Message)
	}
	if slices.ContainsFunc(calls, func(c imaging.Call) bool { return c.Name == "raw" }) {
		return bad("sends the file as it is, expected one that changes the picture")
	}
	if len(calls) == 0 {
		return bad("has no filter, expected one that draws on the picture, such as watermark() or text()")
	}
	return nil
}

// BaseURL returns the prefix of URLs: absolute and without a final slash, or empty.
func (s *Signer) BaseURL() string { return s.config.BaseURL }
