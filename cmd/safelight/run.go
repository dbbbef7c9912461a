package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/safelight/safelight/cmd/safelight/logs"
	"github.com/safelight/safelight/fault"
)

// program is the environment of a command: its context, environment variables, streams and setting flags.
type program struct {
	ctx            context.Context
	env            []string
	stdin          io.Reader
	stdout, stderr io.Writer

	configFile string            // value of the flag --config
	given      map[string]string // values of the flags of settings, by name
}

// run is the whole program: it parses args, runs the command and returns its error. It also returns when ctx ends.
// Apart from the streams and the folders of the settings, it changes only process-wide settings of libvips and of Go's
// memory.
func run(ctx context.Context, args, env []string, stdin io.Reader, stdout, stderr io.Writer) error {
	p := &program{ctx: ctx, env: env, stdin: stdin, stdout: stdout, stderr: stderr, given: map[string]string{}}
	defer p.listen()()
	line := p.commandLine()
	line.SetArgs(args)
	line.SetIn(stdin)
	line.SetOut(stdout)
	line.SetErr(stderr)
	return line.Execute()
}

// settings returns the effective settings, and prints warnings about unknown variables of the environment.
func (p *program) settings() (*Settings, error) {
	file := p.configFile
	if file == "" {
		file = envValue(p.env, envPrefix+"CONFIG")
	}
	s, err := resolve(p.given, p.env, file)
	for _, warning := range s.warnings {
		fmt.Fprintln(p.stderr, "safelight: "+warning)
	}
	return s, err
}

// log returns the configured logger. It writes to stderr, and buffers the lines of requests.
func (p *program) log(s *Settings) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(s.LogLevel)) // the setting's kind accepts only known words
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: logs.Shorten}
	format := s.LogFormat
	if format == "" {
		format = "json"
		if isTerminal(p.stderr) {
			format = "text"
		}
	}
	return slog.New(logs.NewHandler(logs.NewWriter(p.stderr), format == "json", options))
}

// exitCode prints err for the operator and returns the exit code of the process.
func exitCode(err error, stderr io.Writer) int {
	if err == nil {
		return 0
	}
	if code, ok := quietStatus(err); ok {
		return code
	}
	for _, line := range strings.Split(message(err), "\n") {
		fmt.Fprintln(stderr, "safelight: "+line)
	}
	return 1
}

// message formats an error without its code. It includes the cause of errors that the operator may be able to fix.
func message(err error) string {
	var f *fault.Error
	if !errors.As(err, &f) {
		return err.Error()
	}
	switch f.Code {
	case fault.Internal, fault.Unavailable, fault.CorruptImage:
		if f.Err != nil {
			return f.Message + ": " + message(f.Err)
		}
	}
	return f.Message
}

// envValue returns the value of a variable; empty if it is not set.
func envValue(env []string, key string) string {
	value := ""
	for _, pair := range env {
		if k, v, _ := strings.Cut(pair, "="); k == key {
			value = v
		}
	}
	return value
}

// processKey marks the context of a process that runs only this program, and may therefore handle signals and restart
// itself. Tests call run without it.
type processKey struct{}

// withProcess adds that mark to a context.
func withProcess(ctx context.Context) context.Context {
	return context.WithValue(ctx, processKey{}, true)
}

// listen makes SIGINT and SIGTERM cancel the context of a process, until stop is called.
func (p *program) listen() (stop func()) {
	if p.ctx.Value(processKey{}) == nil {
		return func() {}
	}
	p.ctx, stop = signal.NotifyContext(p.ctx, os.Interrupt, syscall.SIGTERM)
	return stop
}

// exitStatus is the exit code of a command that has already printed everything.
type exitStatus int

// Error implements error.
func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// quietStatus returns the exit code if err is an exitStatus.
func quietStatus(err error) (code int, ok bool) {
	var status exitStatus
	ok = errors.As(err, &status)
	return int(status), ok
}
