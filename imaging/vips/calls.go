package vips

import (
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// readCalls checks the job's filters by the table, and its layers by their number.
func (j *job) readCalls() error {
	calls, warnings, err := j.ops.Filters.Calls(j.limits.Strict)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		if w.Filter == "palette" && j.meta { // it tells metadata here, and metadata filters are strict
			return fault.OnField(fault.Invalid, strings.TrimSuffix("palette."+w.Field, "."), "%s", w.Message)
		}
	}
	j.calls, j.warnings = calls, warnings
	for _, c := range calls {
		if c.Name == "stretch" {
			j.ops.Stretch = true
		}
	}
	if j.parent != nil {
		return nil
	}
	_, err = imaging.Layers(j.ops, j.limits)
	return err
}

// lastCall returns the last call of that filter, which is the one that counts where only one
// can; ok is false when there is none.
func (j *job) lastCall(name string) (c imaging.Call, ok bool) {
	for _, one := range j.calls {
		if one.Name == name {
			c, ok = one, true
		}
	}
	return c, ok
}

// has says whether any of these filters is called.
func (j *job) has(names ...string) bool {
	for _, name := range names {
		if _, ok := j.lastCall(name); ok {
			return true
		}
	}
	return false
}

// stepFilters runs the filters that change pixels, in their order.
func stepFilters(j *job) error {
	table := filters()
	for _, c := range j.calls {
		f := table[c.Name]
		if f == nil {
			continue
		}
		if err := j.ended(); err != nil {
			return err
		}
		if err := f(j, c); err != nil {
			return j.failed(err)
		}
	}
	return nil
}
