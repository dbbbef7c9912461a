package demo

import "testing"

// TestUnderRidge compares the short cuts of draw and under with the height of the line.
func TestUnderRidge(t *testing.T) {
	const width, aspect = 40, 1.5
	for _, l := range []*landscape{&dawn, &dunes, &forest} {
		lines := l.ridgeLines(width, aspect)
		for column, line := range lines {
			at := (float64(column) + 0.5) / width * aspect
			for ridge, height := range line {
				want := l.ridge(at, depthOf(ridge))
				if height != want {
					t.Errorf("ridge %d in column %d: %v, expected %v", ridge, column, height, want)
				}
				for row := range 200 {
					y := (float64(row) + 0.5) / 200
					if got := l.under(at, y, ridge); got != (y > want) {
						t.Errorf("(%v, %v) under ridge %d of height %v: %v", at, y, ridge, want, got)
					}
				}
			}
		}
	}
}
