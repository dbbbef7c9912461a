package imaging

import (
	"iter"
	"strings"
)

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

// IsolatesAny reports whether work with these filters, over a source and layers with these headers, is left to a
// worker.
func (i Isolation) IsolatesAny(source Header, layers iter.Seq[Header], filters Filters) bool {
	if i.Isolates(source, filters) {
		return true
	}
	for h := range layers {
		if i.Isolates(h, "") {
			return true
		}
	}
	return false
}
