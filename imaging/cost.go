package imaging

import (
	"time"

	"github.com/safelight/safelight/fault"
)

// Cost is the estimated cost of a job; imaging/cost computes it from a plan.
type Cost struct {
	CPU     time.Duration // CPU time of one core of the machine on which the rates were measured
	Memory  int64         // peak of resident memory in bytes, beyond that of an idle process
	Unknown bool          // the values are guesses, because the cost is known only after the source is decoded
}

// Check returns fault.TooLarge if the CPU time is more than twice the timeout, because the job would only run into the
// timeout. A timeout of 0 is no limit.
func (c Cost) Check(timeout time.Duration) error {
	if timeout <= 0 || c.CPU <= 2*timeout {
		return nil
	}
	return fault.New(
		fault.TooLarge,
		"The result would take about %s of CPU time, the limit is %s; ask for fewer pixels, filters or less effort "+
			"of the encoder",
		c.CPU.Round(time.Second), 2*timeout,
	)
}

// Weight returns the name of the rate per pixel of the call's result; see imaging/cost; empty for a filter that costs
// nothing.
func (c Call) Weight() string { return specOf(c.Name).Weight }
