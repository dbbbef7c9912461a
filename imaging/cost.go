package imaging

import (
	"time"

	"github.com/safelight/safelight/fault"
)

// Cost estimates a job; imaging/cost makes it of a plan.
type Cost struct {
	CPU     time.Duration // of one core of the machine that the rates were measured on
	Memory  int64         // bytes of resident memory at the peak, on top of that of an idle process
	Unknown bool          // these are guesses: only decoding the source tells what it takes
}

// Check returns fault.TooLarge for a cost of over twice the timeout: the job would be ended after all that time anyway.
// A timeout of 0 is no limit.
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

// Weight returns the name of the rate of a pixel of the call's result, see imaging/cost; empty for a filter that costs
// nothing.
func (c Call) Weight() string { return specOf(c.Name).Weight }
