package vips

import "github.com/safelight/safelight/imaging"

// stepColourspace converts the finished picture to the space that to_colorspace() names and
// leaves the profile in it. CMYK is for the formats that print takes, JPEG and TIFF.
func stepColourspace(j *job) error {
	c, ok := j.lastCall("to_colorspace")
	if !ok {
		return nil
	}
	switch c.Text("space") {
	case "p3":
		if !holdsProfile(j.target) {
			j.warn(c.Name, "space", "filter to_colorspace: "+string(j.target)+" holds no colour profile, the result is sRGB")
			return nil
		}
		return j.convert("p3")
	case "cmyk":
		if j.target != imaging.JPEG && j.target != imaging.TIFF {
			j.warn(c.Name, "space", "filter to_colorspace: only jpeg and tiff hold cmyk, the result is sRGB")
			return nil
		}
		if err := j.flatten(imaging.Colour{R: 255, G: 255, B: 255, A: 255}); err != nil {
			return err
		}
		return j.convert("cmyk")
	}
	return nil
}

// convert takes the picture from sRGB to a profile of libvips', which stays in its header.
func (j *job) convert(profile string) error {
	j.converted = true
	return j.apply(func(i *image) (*image, error) { return i.transform(profile, "srgb") })
}
