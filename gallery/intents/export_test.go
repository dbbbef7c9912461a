package intents

import "time"

// UnderWay is inProgress.
var UnderWay = inProgress

// Freeze simulates that this process has slept since its last renewal.
func (t *Table) Freeze(id int, slept time.Duration) { t.set(id, time.Now().Add(-slept)) }
