package imaging

import "time"

// The limits of a path that no setting changes.
const (
	MaxPathBytes = 32 << 10 // a path, or that of a layer; a URL has no room for more
	MaxFilters   = 64       // filters of one level
)

// DefaultLimits returns the limits of programs and tests without settings. For the server, settings replace all but
// MaxDepth: their defaults are in cmd/safelight/settings_table.go, and TestDefaultLimits compares both.
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
