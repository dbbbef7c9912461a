package imaging

import "testing"

func TestQualityScale(t *testing.T) {
	s := QualityScale{{10, 5}, {50, 25}, {90, 85}}
	for quality, want := range map[int]int{1: 1, 5: 3, 10: 5, 30: 15, 50: 25, 51: 27, 70: 55, 90: 85, 95: 95} {
		if got := s.At(quality); got != want {
			t.Errorf("%d becomes %d, expected %d", quality, got, want)
		}
	}
	if got := (QualityScale{{1, 20}, {100, 60}}).At(1); got != 20 {
		t.Errorf("the lowest quality becomes %d, expected 20", got)
	}
	for _, f := range Formats() {
		for last, quality := 0, 1; quality <= 100 && f.Quality > 0; quality++ {
			at := f.QualityScale.At(quality)
			if at < last || at < 1 || at > 100 || quality == DefaultQuality && at != f.Quality {
				t.Errorf("%s: %d becomes %d after %d", f.Format, quality, at, last)
			}
			last = at
		}
	}
}
