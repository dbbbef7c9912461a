package vips

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAllocationsCoverGoldens checks that the estimate of every golden is compared with a measurement:
// TestMemoryAgainstMeasurements of imaging/cost reads them. SAFELIGHT_MEASURE=1 go test -run TestMeasureAllocations
// adds what is missing.
func TestAllocationsCoverGoldens(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "cost", "testdata", "allocations.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	measured := map[string]bool{}
	for _, row := range rows {
		measured[row[1]+" "+row[12]] = row[0] == "golden"
	}
	for _, c := range goldenCases() {
		if !measured[c.source+" "+c.path] && !strings.Contains(c.path, "raw()") {
			t.Errorf("%s %s has no measurement", c.source, c.path)
		}
	}
}
