package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/safelight/safelight/cmd/safelight/supervisor"
)

// processKey marks the context of a process that runs nothing but this program, so it may start itself again.
type processKey struct{}

// withProcess marks the context.
func withProcess(ctx context.Context) context.Context {
	return context.WithValue(ctx, processKey{}, true)
}

// supervise makes this process the supervisor of a server if the settings ask for one; then it returns only if that fails. Until then nothing may listen to
// signals: the server would not hear of those that came before it.
func (p *program) supervise(s *Settings) error {
	if _, child := supervisor.Child(p.env); child || !s.Supervise || p.ctx.Value(processKey{}) == nil {
		return nil
	}
	return supervisor.Start(p.env)
}

// listen has SIGINT and SIGTERM end the context of a process, until the returned function is called.
func (p *program) listen() (stop func()) {
	if p.ctx.Value(processKey{}) == nil {
		return func() {}
	}
	p.ctx, stop = signal.NotifyContext(p.ctx, os.Interrupt, syscall.SIGTERM)
	supervisor.Listening()
	return stop
}

// pause reports the crash of the server before this one, and waits for as long as the supervisor says.
func (p *program) pause(log *slog.Logger) {
	crash, _ := supervisor.Child(p.env)
	if crash == nil {
		return
	}
	log.Error("the server crashed and is started again", "state", crash.State, "pause", crash.Pause.String())
	select {
	case <-time.After(crash.Pause):
	case <-p.ctx.Done():
	}
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
