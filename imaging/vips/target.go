package vips

import (
	"slices"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// chooseTarget sets the job's target from the filters, the client's wishes and the header. It
// stays empty for a source that cannot be written, until its alpha is known.
func (j *job) chooseTarget(writable []imaging.Format) error {
	if j.parent != nil { // a layer is never written; it moves where its parent can
		j.target = imaging.PNG
		if j.parent.target.CanAnimate() {
			j.target = imaging.WebP
		}
		return nil
	}
	animated := loaders[j.format].frames && j.header.pages > 1 && !j.has("page")
	if c, ok := j.lastCall("max_frames"); ok && c.Int("n") == 1 {
		animated = false
	}
	options := j.limits.Options
	if animated { // what the client likes best must not cost the motion
		still := func(f imaging.Format) bool { return !f.CanAnimate() }
		options.AutoFormat = slices.DeleteFunc(slices.Clone(options.AutoFormat), still)
		options.Accept = slices.DeleteFunc(slices.Clone(options.Accept), still)
	}
	target, err := imaging.OutputFormat(j.calls, j.format, options, writable)
	if err != nil {
		return err
	}
	if c, ok := j.lastCall("fallback_format"); ok && animated && !target.CanAnimate() {
		f, known := imaging.ParseFormat(c.Text("format"))
		if !known || !slices.Contains(writable, f) {
			return fault.OnField(fault.UnsupportedFormat, "fallback_format", "The fallback format %s is not written by this build", c.Text("format"))
		}
		target = f
	}
	j.target = target
	if j.best() && !target.HasAlpha() { // nothing may be lost before the choice is made
		j.target = imaging.PNG
	}
	return nil
}

// best says whether the smallest file of several formats is asked for.
func (j *job) best() bool {
	c, ok := j.lastCall("format")
	return ok && c.Text("format") == imaging.FormatBest
}

// settleTarget chooses PNG or JPEG for a source that cannot be written, or not at this size
// where nobody asked for the format.
func settleTarget(j *job) error {
	if j.target != "" && !j.dry && !j.has("format", "autojpg") && j.checkTarget() != nil {
		j.target = ""
	}
	if j.target == "" {
		j.target = imaging.JPEG
		if j.image.hasAlpha() {
			j.target = imaging.PNG
		}
	}
	if !j.target.HasAlpha() && !j.meta { // hashes and averages have rules of their own
		return j.flatten(white)
	}
	return nil
}
