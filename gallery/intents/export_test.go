package intents

import "time"

// UnderWay is inProgress.
var UnderWay = inProgress

// Freeze makes it look as if this process had slept since a renewal.
func (t *Table) Freeze(id int, slept time.Duration) { t.set(id, time.Now().Add(-slept)) }
