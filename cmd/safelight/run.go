package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/safelight/safelight/cmd/safelight/cli"
	"github.com/safelight/safelight/cmd/safelight/logs"
	"github.com/safelight/safelight/fault"
)

// commands is the command line, for cli.New. The settings flags are added to it. Each command has a method Run(*program) error.
type commands struct {
	Config string `placeholder:"FILE" help:"Settings file with name = value lines, named like the flags. Environment: SAFELIGHT_CONFIG."`

	Serve        serveCommand        `cmd:"" default:"withargs" help:"Run the server. The default command."`
	User         userCommand         `cmd:"" help:"Manage accounts: create, list, reset-password, deactivate."`
	Keys         keysCommand         `cmd:"" help:"Manage token signing keys: rotate."`
	URL          urlCommand          `cmd:"" name:"url" help:"Sign and explain image URLs."`
	Process      processCommand      `cmd:"" help:"Process one image without a server."`
	Doctor       doctorCommand       `cmd:"" help:"Check libraries, fonts, database, storage and keys."`
	Backup       backupCommand       `cmd:"" help:"Back up database, keys, settings and, on request, files to one archive."`
	Restore      restoreCommand      `cmd:"" help:"Restore an archive of backup into an empty data folder."`
	Migrate      migrateCommand      `cmd:"" help:"Manage database migrations: status, up."`
	MoveDatabase moveDatabaseCommand `cmd:"" help:"Move the database from SQLite to PostgreSQL or back, while servers go on reading it."`
	MoveStorage  moveStorageCommand  `cmd:"" help:"Move the files from a folder to S3 or back, while servers go on reading them."`
	MigrateURLs  migrateURLsCommand  `cmd:"" name:"migrate-urls" help:"Translate image URLs of thumbor, imagor, imgproxy and imaginary."`
	Config_      configCommand       `cmd:"" name:"config" help:"Print the effective settings, with secrets masked."` //nolint:revive // Config is the flag
	Schema       schemaCommand       `cmd:"" help:"Print the GraphQL schema."`
	Demo         demoCommand         `cmd:"" help:"Create a small demo gallery of generated images."`
	Health       healthCommand       `cmd:"" help:"Check that a running server is ready."`
	Completion   completionCommand   `cmd:"" help:"Print a completion script for bash, zsh or fish."`
	Version      versionCommand      `cmd:"" help:"Print the version."`
}

// program is what a command uses: the settings, the environment and the streams.
type program struct {
	ctx            context.Context
	env            []string
	stdin          io.Reader
	stdout, stderr io.Writer
	line           *cli.Command
	settings       func() (*Settings, error)
}

// run is the whole program: it parses args, runs the command and returns its error. It also returns if ctx ends. It
// changes nothing outside of env, the streams and the folders of the settings, except for the process-wide settings of
// libvips and of Go's memory.
func run(ctx context.Context, args, env []string, stdin io.Reader, stdout, stderr io.Writer) error {
	var line commands
	given := map[string]string{}
	root := cli.New("safelight", "Image server with a gallery and a GraphQL API. Runs the server if no command is given.", &line, settingsFlags(given))
	p := &program{ctx: ctx, env: env, stdin: stdin, stdout: stdout, stderr: stderr, line: root,
		settings: func() (*Settings, error) {
			file := line.Config
			if file == "" {
				file = envValue(env, envPrefix+"CONFIG")
			}
			s, err := resolve(given, env, file)
			for _, warning := range s.unknown {
				fmt.Fprintln(stderr, "safelight: "+warning)
			}
			s.unknown = nil
			return s, err
		}}
	if len(args) == 1 && args[0] == "--version" { // as it is asked of most programs
		args = []string{"version"}
	}
	command, err := root.Parse(args)
	switch {
	case errors.Is(err, cli.ErrHelp):
		return p.help(command)
	case err != nil:
		return fmt.Errorf("%w (see safelight --help)", err)
	}
	if _, serves := command.Target.(*serveCommand); !serves { // which may have to become a supervisor first
		defer p.listen()()
	}
	return command.Target.(interface{ Run(*program) error }).Run(p)
}

// log returns the configured logger; it writes to stderr, the lines of requests some at a time.
func (p *program) log(s *Settings) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(s.LogLevel)) // the kind accepts known words only
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

// message formats an error without its code; it includes the cause if the operator can fix it.
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
