package logs

import (
	"testing"
	"time"
)

// TestClock: times are those of time.RFC3339Nano, whichever came before.
func TestClock(t *testing.T) {
	var c clock
	place := time.FixedZone("", -12600)
	for second := range int64(3) {
		for _, ns := range []int64{0, 1, 10, 123456789, 500000000, 999999999, 1000} {
			for _, at := range []time.Time{time.Unix(second, ns), time.Unix(1795439999+second, ns).UTC(),
				time.Unix(1795439999+second, ns).In(place), time.Unix(-second, ns).UTC()} {
				if got, want := string(c.append([]byte("x"), at)), "x"+at.Format(time.RFC3339Nano); got != want {
					t.Errorf("%s, expected %s", got, want)
				}
			}
		}
	}
	if got := string(c.append(nil, time.Time{})); got != "0001-01-01T00:00:00Z" {
		t.Errorf("the zero time is %s", got)
	}
	if got := string(new(clock).append(nil, time.Unix(0, 0).UTC())); got != "1970-01-01T00:00:00Z" {
		t.Errorf("the first second of all is %s", got)
	}
}
