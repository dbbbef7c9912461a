package imaging

import (
	"context"

	"github.com/safelight/safelight/fault"
)

// Ended returns the fault of processing that picture in a context that has ended, fault.Timeout or fault.Canceled; nil
// while the context goes on.
func Ended(ctx context.Context, name string) error {
	switch err := ctx.Err(); {
	case err == nil:
		return nil
	case err == context.DeadlineExceeded || context.Cause(ctx) == context.DeadlineExceeded:
		return TimedOut(err, name)
	default:
		return Canceled(err, name)
	}
}

// TimedOut returns the fault.Timeout of processing that picture. The cause may be nil.
func TimedOut(cause error, name string) error {
	return fault.Wrap(cause, fault.Timeout, "Processing %s took longer than its limit", name)
}

// Canceled returns the fault.Canceled of processing that picture. The cause may be nil.
func Canceled(cause error, name string) error {
	return fault.Wrap(cause, fault.Canceled, "Processing %s was canceled", name)
}
