package vips

import (
	"testing"

	"github.com/safelight/safelight/imaging"
)

// TestFiltersHavePixels checks that the table of filters and the functions of this package are two halves of one thing:
// a row that makes a step has a function, in one group only, and a function has a row.
func TestFiltersHavePixels(t *testing.T) {
	groups := map[string]int{}
	for _, group := range filterGroups() {
		for name := range group {
			groups[name]++
		}
	}
	for _, row := range imaging.FilterTable() {
		want := 0
		if row.Step != "" {
			want = 1
		}
		if groups[row.Name] != want {
			t.Errorf("filter %s with step %q has %d functions, expected %d", row.Name, row.Step, groups[row.Name], want)
		}
		delete(groups, row.Name)
	}
	for name := range groups {
		t.Errorf("the function of %s has no row in imaging's table of filters", name)
	}
}
