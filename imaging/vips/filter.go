package vips

import (
	"maps"

	"github.com/safelight/safelight/imaging"
)

// filterGroups returns the functions of filters by name, one map for each kind. imaging's table of filters is the other
// half: a row whose Step is set has a function here, a row without one says something about loading or saving. A filter
// finds an 8-bit sRGB image of 3 or 4 bands, of one or more stacked frames, and leaves one.
func filterGroups() []map[string]filter {
	return []map[string]filter{areaFilters(), pointFilters(), shapeFilters(), layerFilters()}
}

// allFilters merges the groups.
func allFilters() map[string]filter {
	all := map[string]filter{}
	for _, group := range filterGroups() {
		maps.Copy(all, group)
	}
	return all
}

// pointFilters look at one pixel at a time.
func pointFilters() map[string]filter {
	all := map[string]filter{"background_color": filterBackgroundColour}
	for name := range toneStages {
		all[name] = filterTone
	}
	return all
}

func filterBackgroundColour(j *job, s imaging.Step) error {
	colour, err := j.paint(s.Call.Arg("color").Colour)
	if err != nil || colour.A == 0 {
		return err
	}
	return j.flatten(colour)
}
