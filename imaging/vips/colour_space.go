package vips

// stepColourspace converts the result to the space that to_colorspace() names and leaves the profile
// in it.
func stepColourspace(j *job) error {
	space := j.plan.Colour.Space
	if space == "" {
		return nil
	}
	if space == "cmyk" {
		if err := j.flatten(white); err != nil {
			return err
		}
	}
	return j.apply(func(i *image) (*image, error) { return i.transform(space, "srgb") })
}
