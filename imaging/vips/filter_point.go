package vips

import "github.com/safelight/safelight/imaging"

// pointFilters look at one pixel at a time.
func pointFilters() map[string]filter {
	all := map[string]filter{"background_color": filterBackgroundColour}
	for name := range toneStages {
		all[name] = filterTone
	}
	return all
}

func filterBackgroundColour(j *job, s imaging.Step) error {
	colour, err := j.paint(s.Call.Arg("colour").Colour)
	if err != nil || colour.A == 0 {
		return err
	}
	return j.flatten(colour)
}
