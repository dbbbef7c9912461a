package timeline

import (
	"math"
	"time"
)

// timeOf turns nanoseconds since 1970 into a time.
func timeOf(nanoseconds int64) time.Time { return time.Unix(0, nanoseconds).UTC() }

// The first and the last time that nanoseconds since 1970 can tell.
var earliest, latest = timeOf(math.MinInt64), timeOf(math.MaxInt64)

// around returns the empty bucket of a time.
func (u Unit) around(t time.Time) Bucket {
	y, m, d := t.Date()
	var start, next time.Time
	switch u {
	case Year:
		start, next = date(y, 1, 1), date(y+1, 1, 1)
	case Day:
		start, next = date(y, m, d), date(y, m, d+1)
	default:
		start, next = date(y, m, 1), date(y, m+1, 1)
	}
	b := Bucket{Start: start, End: next.Add(-1)}
	if b.Start.Before(earliest) {
		b.Start = earliest
	}
	if b.End.After(latest) {
		b.End = latest
	}
	return b
}

func date(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }

// spans returns the empty buckets from the one of first to the one of last.
func spans(first, last time.Time, u Unit) []Bucket {
	var list []Bucket
	for b := u.around(first); ; b = u.around(b.End.Add(1)) {
		list = append(list, b)
		if !b.End.Before(last) {
			return list
		}
	}
}
