package metadata

import (
	"fmt"
	"testing"

	"github.com/safelight/safelight/ent"
)

// TestTogether checks which pictures share a batch.
func TestTogether(t *testing.T) {
	rows := func(tries ...int) (list []*ent.Entry) {
		for n, one := range tries {
			list = append(list, &ent.Entry{ID: n, MetaTries: int8(one)})
		}
		return list
	}
	for _, c := range []struct {
		rows    []*ent.Entry
		workers int
		want    string
	}{
		{nil, 2, "[]"}, {rows(0), 2, "[[0]]"}, {rows(0, 0, 0), 2, "[[0] [1] [2]]"},
		{rows(0, 0, 0, 0, 0, 0, 0, 0), 2, "[[0 1] [2 3] [4 5] [6 7]]"}, {rows(0, 1, 0, 2, 0), 1, "[[1] [0 2] [3] [4]]"},
	} {
		if got := fmt.Sprint(Together(c.rows, c.workers)); got != c.want {
			t.Errorf("%d rows for %d workers: %s, expected %s", len(c.rows), c.workers, got, c.want)
		}
	}
	if got := Together(rows(make([]int, 200)...), 1); len(got) != 13 || len(got[0]) != maxTogether {
		t.Errorf("200 rows: %d batches of %d", len(got), len(got[0]))
	}
}
