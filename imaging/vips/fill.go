package vips

import "github.com/safelight/safelight/imaging"

// filterFill paints the missing area, the padding and what is transparent.
func filterFill(j *job, c imaging.Call) error { return nil }
