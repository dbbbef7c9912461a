// Package parsed keeps what the filters of image URLs mean: a result that is cached is found without reading them again.
package parsed

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/safelight/safelight/imaging"
)

// maxEntries is how many texts are kept, and maxText how long one may be: some 3 KB each.
const (
	maxEntries = 1000
	maxText    = 1000
)

// filters is what a text of filters means.
type filters struct {
	calls    []imaging.Call
	warnings []imaging.Warning
	layers   []string
	refused  error // the error of imaging.Layers; may be nil
}

// Cache reads filters and keeps them; when it is full, it starts over. What it returns is shared by requests and must not be changed. Its
// methods are safe for concurrent use. Make it with New.
type Cache struct {
	limits  imaging.Limits
	entries sync.Map // of *filters by imaging.Filters
	count   atomic.Int64
}

// New returns an empty cache. Filters mean what they do under these limits.
func New(limits imaging.Limits) *Cache {
	return &Cache{limits: limits}
}

// Calls is imaging.Filters.Calls.
func (c *Cache) Calls(text imaging.Filters) ([]imaging.Call, []imaging.Warning, error) {
	f, err := c.read(text)
	if err != nil {
		return nil, nil, err
	}
	return f.calls, f.warnings, nil
}

// Layers is imaging.Layers of operations with these filters.
func (c *Cache) Layers(text imaging.Filters) ([]string, error) {
	f, err := c.read(text)
	if err != nil {
		return nil, err
	}
	return f.layers, f.refused
}

// none is the meaning of no filters.
var none = &filters{}

func (c *Cache) read(text imaging.Filters) (*filters, error) {
	if text == "" {
		return none, nil
	}
	if f, ok := c.entries.Load(text); ok {
		return f.(*filters), nil
	}
	if len(text) <= maxText {
		text = imaging.Filters(strings.Clone(string(text))) // it is a part of a URL of up to 32 KB, which would be kept with it
	}
	calls, warnings, err := text.Calls(c.limits.Strict)
	if err != nil {
		return nil, err
	}
	f := &filters{calls: calls, warnings: warnings}
	f.layers, f.refused = imaging.Layers(imaging.Operations{Filters: text}, c.limits)
	if len(text) <= maxText {
		if c.count.Add(1) > maxEntries {
			c.entries.Clear()
			c.count.Store(1)
		}
		c.entries.Store(text, f)
	}
	return f, nil
}
