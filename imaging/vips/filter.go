package vips

import "maps"

// filterGroups returns the functions of filters by name, one map for each file. imaging's table of filters is the other
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
