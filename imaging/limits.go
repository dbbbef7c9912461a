package imaging

import "time"

// DefaultLimits returns the limits that are in force when the operator sets none.
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
