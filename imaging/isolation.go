package imaging

import "strings"

// Isolation says which pictures are processed in workers, processes of their own (docs/contributing/decisions/0006).
type Isolation string

// The isolations.
const (
	IsolateAll Isolation = "all"
	// IsolateRisky leaves JPEG, PNG, WebP and GIF in the server, unless the work on them is unusual.
	IsolateRisky Isolation = "risky"
	IsolateNone  Isolation = "off"
)

// What of the formats that are not risky is isolated all the same.
const (
	maxCalls = 16      // filters of all levels: each adds to the depth of libvips' stack
	maxSide  = 1 << 16 // pixels of a side; only the header of a PNG has room for more
)

// Isolates reports whether work with these filters, over a source with that header or with it as a layer, is left to a
// worker. The zero value isolates nothing.
func (i Isolation) Isolates(h Header, filters Filters) bool {
	switch i {
	case IsolateAll:
		return true
	case IsolateRisky:
		unusual := !h.Format.traits().Common || h.Width >= maxSide || h.Height >= maxSide
		return countCalls(filters) > maxCalls || !h.Canvas && unusual
	}
	return false
}

// countCalls counts the filters of a list and of nested lists, roughly: by parentheses.
func countCalls(f Filters) int { return strings.Count(string(f), "(") }

// isolated reports whether a worker makes the result.
func (r PlanRequest) isolated() bool {
	isolated := r.Options.Isolation.Isolates(r.Header, r.Operations.Filters)
	for _, h := range r.Options.Layers {
		isolated = isolated || r.Options.Isolation.Isolates(h, "")
	}
	return isolated
}
