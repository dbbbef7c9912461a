package search

import (
	"testing"

	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/gallery/access"
)

// TestMerges checks how a page is read for a caller who may only view some folders. The numbers are from
// measurements of both methods: sorting 1,000 files of 200 folders takes half the time of merging, and
// sorting 10,000 files takes twice the time.
func TestMerges(t *testing.T) {
	for _, c := range []struct {
		folders, files, last, place int
		order                       string
		want                        bool
	}{
		{200, 1000, 120_000, 101, entry.FieldSize, false},
		{200, 10_000, 1_020_000, 101, entry.FieldSize, true},
		{2000, 10_000, 120_000, 101, entry.FieldSize, false},
		{200, 10_000, 1_020_000, 3101, entry.FieldSize, false},
		{200, 10_000, 1_020_000, 101, entry.FieldRating, true},
		{200, 11_000, 10_000_000, 101, entry.FieldSize, true}, // scanning the order of the whole gallery is slower
		{200, 100_000, 1_020_000, 101, entry.FieldSize, false},
		{200, 11_000, 10_000_000, 101, entry.FieldRating, false},
	} {
		conditions := New(nil, access.Scope{})
		conditions.parents = make([]int, c.folders)
		conditions.files, conditions.last, conditions.byFolder = c.files, c.last, c.files <= MaxCandidates
		if got := conditions.Merges(Order{Keys: []string{c.order, entry.FieldID}}, c.place); got != c.want {
			t.Errorf("%+v: merges %t", c, got)
		}
	}
}
