package imaging

import "time"

// The fixed limits of a path.
const (
	MaxPathBytes = 32 << 10 // bytes of a path, or of a layer's path; a URL has no room for more
	MaxFilters   = 64       // filters on one level
)

// DefaultLimits returns the limits of programs and tests without settings. In the server, settings replace all but
// MaxDepth. Their defaults are in cmd/safelight/settings_table.go, and TestDefaultLimits compares both.
func DefaultLimits() Limits {
	return Limits{
		MaxSourcePixels: 100_000_000,
		MaxSourceBytes:  100 << 20,
		MaxResultSide:   16383,
		MaxResultPixels: 50_000_000,
		MaxFrames:       1000,
		MaxLayers:       32,
		MaxDepth:        8,
		Timeout:         20 * time.Second,
	}
}
