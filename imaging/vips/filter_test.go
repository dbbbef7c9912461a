package vips

import (
	"testing"

	"github.com/safelight/safelight/imaging"
)

// TestFiltersHavePixels checks that the table of filters and the functions of this package are two halves of one thing:
// a row that makes a step has a function, and a function has a row.
func TestFiltersHavePixels(t *testing.T) {
	all := allFilters()
	for _, row := range imaging.FilterTable() {
		if has := all[row.Name] != nil || toneStages[row.Name] != nil; has != (row.Step != "") {
			t.Errorf("filter %s with step %q has a function: %v", row.Name, row.Step, has)
		}
		delete(all, row.Name)
	}
	for name := range all {
		t.Errorf("the function of %s has no row in imaging's table of filters", name)
	}
}
