package vips

// stepFlip mirrors the picture as the minus signs before its size say.
func stepFlip(j *job) error {
	if j.ops.HFlip {
		if err := j.flip(false); err != nil {
			return err
		}
	}
	if j.ops.VFlip {
		return j.flip(true)
	}
	return nil
}
