package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/safelight/safelight/cmd/safelight/files"
	"github.com/safelight/safelight/cmd/safelight/idle"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/graph"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/schema"
	"github.com/safelight/safelight/server"
	"github.com/safelight/safelight/storage/remote"
	"github.com/safelight/safelight/timeseries"
	"github.com/safelight/safelight/web"
)

// serve runs the server until the context ends, and lets running requests finish.
func (p *program) serve() error {
	s, err := p.settings()
	if err != nil {
		return err
	}
	log := p.log(s)
	if s.Supervise && p.canSupervise() {
		return p.supervise(log)
	}
	serving := false
	err = p.start(s, log, &serving)
	if p.ctx.Err() != nil && !serving && err != nil { // the start was interrupted, which is not an error
		log.Info("stopped before serving", "cause", message(err))
		return nil
	}
	return err
}

// start opens the engine and calls serveSite.
func (p *program) start(s *Settings, log *slog.Logger, serving *bool) error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	if err := checkFirstStart(p.ctx, s); err != nil {
		return err
	}
	limitGoMemory(p.env, memoryLimit(s))
	local, stop, err := openEngine(s, log, s.unisolated)
	if err != nil {
		return err
	}
	defer stop()
	engine, unchecked, stopWorkers, err := isolate(s, local, log)
	if err != nil {
		return err
	}
	defer stopWorkers()
	return p.serveSite(s, engine, unchecked, log, serving)
}

// serveSite opens the site and serves on the address of the settings until the context ends. It sets serving before the
// first request. unchecked is the engine for files that nothing has decoded yet.
func (p *program) serveSite(s *Settings, engine, unchecked imaging.Engine, log *slog.Logger, serving *bool) error {
	background := &queuedEngine{Engine: unchecked}
	at, err := open(p.ctx, s, background, true, log)
	if err != nil {
		return err
	}
	defer at.Close()
	listener, err := listen(p.ctx, s)
	if err != nil {
		return err
	}
	defer listener.Close()
	at.lock.describe(listener.Addr().String())
	tracer, flush, err := openTracing(p.ctx, s, log)
	if err != nil {
		return err
	}
	defer flush()
	inspector := &inspector{at: at, engine: engine, history: timeseries.New(nil)}
	app, err := at.app(inspector, tracer, log)
	if err != nil {
		return err
	}
	background.admit = app.Admit
	if err := at.greet(p, log, listener.Addr().String()); err != nil {
		return err
	}
	debug.FreeOSMemory() // hashing the first password has used 64 MiB
	if err := at.releaseUploads(p.ctx); err != nil {
		return err
	}
	periods := time.NewTicker(idle.Period)
	defer periods.Stop()
	defer idle.WhenIdle(idle.GiveBack, periods.C, idle.Used)()
	defer at.syncClock(p.ctx, log)()
	defer at.watchDatabase(p.ctx, log)()
	defer at.pruneAudit(p.ctx, log)()
	defer at.onOneServer(p.ctx, "webhooks", at.Webhooks.Run)()
	if at.Mail.On() {
		defer at.onOneServer(p.ctx, "mail", at.Mail.Run)()
	}
	defer at.live.Run(files.Work{
		Start: func(f *files.Files) func() { return at.maintainFiles(p.ctx, f) },
		Serve: func(f *files.Files) (<-chan struct{}, error) {
			replaced, err := at.served(f, inspector, log)
			if err != nil {
				return nil, err
			}
			return app.Replace(replaced).Idle(), nil
		},
	})()
	defer at.followFleet(p.ctx, log)()
	log.Info("serving", "address", listener.Addr().String(), "version", version)
	*serving = true
	err = app.Serve(p.ctx, listener)
	log.Info("stopped")
	return err
}

// served converts files to the type of package server.
func (at *site) served(f *files.Files, i *inspector, log *slog.Logger) (server.Files, error) {
	executor, err := graph.NewExecutor(graphConfig(at.Settings), graph.Rules{Accounts: at.Accounts, Audit: at.Audit,
		Backend: f.Backend, Gallery: f.Gallery,
		Signing: at.Signing, Presets: at.Presets, Templates: f.Templates, Uploads: f.Uploads, Archives: f.Archives,
		Shares: f.Shares, Figures: i.history, Fonts: at.Fonts, Webhooks: at.Webhooks, Mail: at.Mail,
		MapTiles: mapTiles(at.Settings),
		Operator: i}, log)
	return server.Files{Gallery: f.Gallery, Uploads: f.Uploads, Archives: f.Archives, Shares: f.Shares,
		GraphQL: executor}, err
}

// app creates the HTTP server.
func (at *site) app(i *inspector, tracer trace.Tracer, log *slog.Logger) (*server.Server, error) {
	served, err := at.served(at.Files(), i, log)
	if err != nil {
		return nil, err
	}
	fetcher, err := openRemote(at.Settings)
	if err != nil {
		return nil, err
	}
	c := serverConfig(at.Settings)
	c.Now = at.Clock.Now
	return server.New(c, server.Deps{
		History:  i.history,
		Remote:   fetcher,
		Results:  at.Results,
		Accounts: at.Accounts,
		Files:    served,
		Fonts:    at.Fonts,
		Signing:  at.Signing,
		Keyring:  at.Keys,
		Signin:   at.Signin,
		Mail:     at.Mail,
		Engine:   i.engine,
		Schema:   schema.SDL(),
		Log:      log,
		Tracer:   tracer,
		Version:  version,
		Web:      web.Files(),
		Docs:     documentation,
		Sample:   sample,

		Folders:    at.localFolders,
		LastBackup: func() time.Time { return lastBackup(at.Settings) },
	})
}

// localFolders returns the folders whose free space the metrics report, by name.
func (at *site) localFolders() map[string]string {
	folders := map[string]string{"data": at.Settings.Data, "cache": at.Results.Folder(), "storage": at.Files().Folder}
	maps.DeleteFunc(folders, func(_, folder string) bool { return folder == "" })
	return folders
}

// openRemote returns the fetcher of remote pictures; nil if no host is allowed.
func openRemote(s *Settings) (*remote.Fetcher, error) {
	if len(s.Remote.Hosts) == 0 {
		return nil, nil
	}
	c := s.Remote
	c.MaxBytes, c.Timeout, c.UserAgent = s.Limits.MaxSourceBytes, s.Server.LoadTimeout, "Safelight/"+version
	return remote.New(c)
}

// greet creates the first admin and the sample picture if they are missing, and prints the addresses of the server.
// The admin's password is printed to stderr once, and never logged.
func (at *site) greet(p *program, log *slog.Logger, address string) error {
	s := at.Settings
	base := localURL(address)
	if s.BaseURL != "" {
		base = s.BaseURL
	}
	data, err := filepath.Abs(s.Data)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "Safelight %s at %s\n", version, base)
	fmt.Fprintf(p.stdout, "  playground  %s/playground\n", base)
	if s.Server.Docs != server.DocsOff {
		fmt.Fprintf(p.stdout, "  docs        %s/docs\n", base)
	}
	if err := at.greetPicture(p.ctx, p.stdout, base, log); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "  data        %s\n", quoteForShell(data))
	return at.greetAdmin(p.ctx, p.stderr, base)
}

// greetPicture prints the signed URL of a picture if the gallery has one.
func (at *site) greetPicture(ctx context.Context, out io.Writer, base string, log *slog.Logger) error {
	image, err := ensureSample(ctx, at.Files().Store)
	if fault.CodeOf(err) == fault.Unavailable {
		log.ErrorContext(ctx, "the storage cannot be used: the server starts, but is not ready until it can", "error",
			err)
		return nil
	}
	if err != nil || image == "" {
		return err
	}
	address, err := at.Signing.GenerateURL(operator(ctx), image,
		imaging.Operations{Fit: imaging.Fit{In: true}, Width: 900,
			Height: 600})
	if err != nil {
		return err
	}
	if at.Settings.BaseURL == "" {
		address = base + address
	}
	fmt.Fprintf(out, "  a picture   %s\n", quoteForShell(address))
	return nil
}

// quoteForShell returns text quoted as one word of a POSIX shell. It adds quotes only where they are needed, so that
// terminals recognize URLs.
func quoteForShell(text string) string {
	isSafe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("%+,-./:=@_", r)
	}
	if text != "" && strings.TrimFunc(text, isSafe) == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// greetAdmin creates the first admin and prints its name and password. If the operator has turned that off, it prints
// the URL of the setup page. The token in it is a fragment, which browsers do not send to servers.
func (at *site) greetAdmin(ctx context.Context, out io.Writer, base string) error {
	s := at.Settings
	if s.AdminName == "" {
		if token := at.Accounts.SetupToken(); token != "" {
			fmt.Fprintf(out, "  set up      %s/setup#%s (create the first account there)\n", base, token)
		}
		return nil
	}
	created, generated, err := at.Accounts.EnsureAdmin(operator(ctx), s.AdminName, s.AdminPassword)
	if err != nil {
		return fmt.Errorf("creating the first admin: %w", err)
	}
	if created && !s.PasswordLogin {
		name := quoteForShell(s.AdminName)
		fmt.Fprintf(out, "  log in      through a provider, or with safelight user emergency-password %s\n", name)
	} else if created && generated != "" {
		fmt.Fprintf(out, "  log in as   %s with password %s (shown once)\n", s.AdminName, generated)
	} else if created {
		fmt.Fprintf(out, "  log in as   %s with the password of admin-password\n", s.AdminName)
	}
	return nil
}
