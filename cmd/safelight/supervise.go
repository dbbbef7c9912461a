package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/safelight/safelight/cmd/safelight/supervisor"
)

// processKey marks the context of a process that runs nothing but this program, so it may start itself again.
type processKey struct{}

// withProcess marks the context.
func withProcess(ctx context.Context) context.Context {
	return context.WithValue(ctx, processKey{}, true)
}

// supervise makes this process the supervisor of a server if the settings ask for one; then it returns only if that fails. The server
// itself reports the crash of the one before it, and waits for its pause.
func (p *program) supervise(s *Settings, log *slog.Logger) error {
	crash, child := supervisor.Child(p.env)
	if crash != nil {
		log.Error("the server crashed and is started again", "state", crash.State, "pause", crash.Pause.String())
		select {
		case <-time.After(crash.Pause):
		case <-p.ctx.Done():
		}
	}
	if child || !s.Supervise || p.ctx.Value(processKey{}) == nil || p.ctx.Err() != nil { // the new process would know nothing of a signal
		return nil
	}
	return supervisor.Start(p.env)
}

// exitStatus is the exit code of a command that printed all that there is to say.
type exitStatus int

// Error implements error.
func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// quietStatus returns the code of such an error.
func quietStatus(err error) (code int, ok bool) {
	var status exitStatus
	ok = errors.As(err, &status)
	return int(status), ok
}
