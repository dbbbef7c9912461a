package logs

import "time"

// clock formats times. It caches the text of the last second, because many lines share it.
type clock struct {
	second       int64
	place        *time.Location
	before, zone []byte // the text before and after the fraction of the second
}

// append appends t as time.RFC3339Nano does.
func (c *clock) append(b []byte, t time.Time) []byte {
	if second, place := t.Unix(), t.Location(); second != c.second || place != c.place {
		c.second, c.place = second, place
		c.before = t.AppendFormat(c.before[:0], "2006-01-02T15:04:05")
		c.zone = t.AppendFormat(c.zone[:0], "Z07:00")
	}
	b = append(b, c.before...)
	if ns := t.Nanosecond(); ns > 0 {
		var digits [10]byte
		for i := len(digits) - 1; i > 0; i-- {
			digits[i] = '0' + byte(ns%10)
			ns /= 10
		}
		digits[0] = '.'
		end := len(digits)
		for digits[end-1] == '0' {
			end--
		}
		b = append(b, digits[:end]...)
	}
	return append(b, c.zone...)
}
