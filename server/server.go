// Package server is everything Fiber: routes, authentication, images, the GraphQL transport, the
// playground, and how answers look.
package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/gofiber/fiber/v2"
	"go.opentelemetry.io/otel/trace"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/cache/singleflight"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/server/admission"
	"github.com/safelight/safelight/signing"
	"github.com/safelight/safelight/storage/remote"
	"github.com/safelight/safelight/uploads"
)

// Config is what the operator decides. A zero field is the default in its comment.
type Config struct {
	Unsafe          bool // unsigned image URLs are accepted from everyone
	AutoFormat      bool // the Accept header decides the output format
	Limits          imaging.Limits
	LoadTimeout     time.Duration // of opening and reading a source; 10 s
	Workers         int           // pictures at work at once; 4
	Queue           int           // pictures that wait for a worker; 8 x Workers
	QueueTimeout    time.Duration // how long one waits; 10 s
	Memory          int64         // bytes that the pictures at work may take together, as estimated; 0 is no bound
	MaxUploadBytes  int64         // of a multipart request; 100 MiB
	MaxAge          time.Duration // how long caches may keep a picture; 7 days, negative: not without asking
	GraphQLTimeout  time.Duration // of one operation; 30 s
	ShutdownDelay   time.Duration // how long to go on serving, not ready, after the end was asked for; none
	ShutdownTimeout time.Duration // how long running requests may take at the end; 30 s

	Now func() time.Time // nil is time.Now; decides when URLs expire and how old sources are

	ClientHints    bool           // DPR and Width hints decide sizes
	Origins        []string       // whose pages may read answers, as `https://host[:port]`; `*`: everybody's; none: nobody's
	RateLimit      int            // requests a minute of one address to the API and unsigned image URLs; 0: no limit
	TrustedProxies []netip.Prefix // whose X-Forwarded-For is believed

	Guest     bool   // the login page offers to look around as a guest
	AppOrigin string // where image URLs lie besides the server itself, as `https://host[:port]`; empty: nowhere

	StaleWhileRevalidate time.Duration // how long caches may serve an old picture while they ask for the new one; 0: not
}

func (c Config) withDefaults() Config {
	set := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	set(&c.LoadTimeout, 10*time.Second)
	set(&c.MaxAge, 7*24*time.Hour)
	set(&c.GraphQLTimeout, 30*time.Second)
	set(&c.ShutdownTimeout, 30*time.Second)
	set(&c.QueueTimeout, 10*time.Second)
	if c.Workers <= 0 {
		c.Workers = 4
	}
	if c.Queue <= 0 {
		c.Queue = 8 * c.Workers
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.MaxUploadBytes <= 0 {
		c.MaxUploadBytes = 100 << 20
	}
	return c
}

// Deps is what the server works with. All but Remote, Results, Tracer, Version and Web are needed.
type Deps struct {
	Accounts *accounts.Accounts
	Gallery  *gallery.Gallery
	Signing  *signing.Signer
	Uploads  *uploads.Uploads
	Keyring  *auth.Keyring
	Engine   imaging.Engine
	GraphQL  graphql.GraphExecutor
	Remote   *remote.Fetcher // nil: remote images are off
	Results  *cache.Cache    // nil: results are not kept
	Schema   string          // the SDL
	Log      *slog.Logger
	Tracer   trace.Tracer // nil: no traces
	Version  string
	Web      fs.FS // the application, as web.Files returns it; nil: none
}

// Server serves everything over HTTP. Make it with New.
type Server struct {
	config Config
	Deps
	app          *fiber.App
	work         *admission.Controller
	loads        *admission.Controller                   // downloads
	sourceBudget sourceBudget                            // memory of what is downloaded
	flights      singleflight.Group[cache.Key, rendered] // results that are being rendered
	rates        *rateLimiter                            // nil: no limit
	keys         keyBuilder
	metrics      *metrics
	active       atomic.Int64 // requests under way

	stopping atomic.Bool
}

// The limits of what comes in besides uploads.
const (
	maxHeaderBytes = 32 << 10 // nested operation paths make long URLs
	maxJSONBytes   = 1 << 20
	writeBuffer    = 64 << 10 // most results leave in one piece
	readTimeout    = 60 * time.Second
	idleTimeout    = 90 * time.Second
)

// New returns a server that listens nowhere yet.
func New(c Config, d Deps) (*Server, error) {
	if d.Accounts == nil || d.Gallery == nil || d.Signing == nil || d.Uploads == nil || d.Keyring == nil || d.Engine == nil || d.GraphQL == nil || d.Log == nil {
		return nil, errors.New("the server lacks a part: accounts, gallery, signing, uploads, keyring, engine, executor and log are needed")
	}
	c = c.withDefaults()
	s := &Server{
		config: c, Deps: d,
		loads:        admission.New(admission.Config{Slots: 4 * c.Workers, Queue: c.Queue, MaxWait: c.LoadTimeout}),
		sourceBudget: newSourceBudget(c.Memory),
	}
	work := admission.Config{Slots: c.Workers, Queue: c.Queue, MaxWait: c.QueueTimeout, MaxMemory: c.Memory,
		Finished: func(estimated, took time.Duration) { s.metrics.jobFinished(estimated, took) }}
	if engine, ok := d.Engine.(memoryReleaser); ok {
		work.Idle = engine.ReleaseMemory
	}
	s.work = admission.New(work)
	s.rates = newRateLimiter(c.RateLimit)
	s.keys = newKeyBuilder(d.Engine.Version(), c.Limits)
	s.metrics = newMetrics(s)
	s.app = fiber.New(fiber.Config{
		AppName:                      "Safelight",
		Immutable:                    true, // strings of the context must not change under who keeps them
		DisableStartupMessage:        true,
		ReadBufferSize:               maxHeaderBytes,
		WriteBufferSize:              writeBuffer,
		ReadTimeout:                  readTimeout,
		IdleTimeout:                  idleTimeout,
		StreamRequestBody:            true, // bodies are read by their routes, each to its own limit
		DisablePreParseMultipartForm: true,
		BodyLimit:                    maxJSONBytes,
		ErrorHandler:                 s.fiberError,
	})
	s.routes()
	s.app.Server().Handler = s.frame(s.app.Handler())
	return s, nil
}

// App returns the Fiber application, for tests.
func (s *Server) App() *fiber.App { return s.app }

// routes lists every route. The order matters: what no other route takes is an image URL.
func (s *Server) routes() {
	s.app.Use(s.identify, s.observe, s.recovered, secure, s.framed, s.cors, s.limitAPI)
	s.appRoutes()
	s.app.Get("/", s.landing)
	s.app.Get("/healthz", s.healthy)
	s.app.Get("/readyz", s.ready)
	s.app.Get("/metrics", s.metrics.handle)
	s.app.Get("/schema.graphql", s.sdl)
	s.app.Get("/openapi.json", s.openAPI)
	s.app.Get("/playground", s.playground)
	s.app.Get("/playground/:file", s.playgroundFile)
	s.app.Get("/favicon.ico", func(c *fiber.Ctx) error { return c.SendStatus(fiber.StatusNoContent) })

	login := s.app.Group("/api/auth")
	login.Post("/login", s.login)
	login.Post("/refresh", s.refresh)
	login.Post("/guest", s.guest)
	login.Post("/register", s.register)
	login.Post("/logout", s.guard(s.fail), s.logout)
	login.Get("/me", s.guard(s.fail), s.me)

	s.app.Post("/api/graphql", s.guard(s.failGraphQL), s.graphQLPost)
	s.app.Get("/api/graphql", s.guard(s.failGraphQL), s.graphQLGet)
	s.uploadRoutes()
	s.methods("/", "/healthz", "/readyz", "/metrics", "/schema.graphql", "/openapi.json", "/playground", "/playground/:file", "/api/auth/me")(fiber.MethodGet, fiber.MethodHead)
	s.methods("/api/auth/login", "/api/auth/refresh", "/api/auth/guest", "/api/auth/register", "/api/auth/logout")(fiber.MethodPost)
	s.methods("/api/graphql")(fiber.MethodGet, fiber.MethodPost)
	s.app.All("/api/*", s.noRoute)
	s.app.Get("/*", s.image)
	s.methods("/*")(fiber.MethodGet, fiber.MethodHead)
}

// methods makes every other method of those routes a 405 that names the ones there are.
func (s *Server) methods(paths ...string) func(allowed ...string) {
	return func(allowed ...string) {
		for _, p := range paths {
			s.app.All(p, s.wrongMethod(allowed))
		}
	}
}

// Serve answers on l until ctx ends, then lets running requests finish within the shutdown timeout.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	done := make(chan error, 1)
	go func() { done <- s.app.Listener(countingListener{l, s.metrics}) }()
	select {
	case err := <-done:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	if err := s.drain(done); err != nil {
		return fmt.Errorf("serving: %w", err)
	}
	return s.stop()
}

// drain says that the server is not ready any more, and goes on serving for the shutdown delay.
func (s *Server) drain(done <-chan error) error {
	s.stopping.Store(true)
	if s.config.ShutdownDelay <= 0 {
		return nil
	}
	s.Log.Info("stopping", "delay", s.config.ShutdownDelay)
	select {
	case err := <-done:
		return err
	case <-time.After(s.config.ShutdownDelay):
		return nil
	}
}

// quiet is how long nothing may be under way before the end: answers are still being written when their
// handlers are done.
const quiet = time.Second

// stop refuses new connections and waits for running requests. Connections on which nothing was
// asked yet, as browsers open them ahead, are not waited for.
func (s *Server) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), s.config.ShutdownTimeout)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- s.app.ShutdownWithContext(ctx) }()
	tick := time.NewTicker(quiet / 10)
	defer tick.Stop()
	for idle := 0; idle < 10; {
		select {
		case err := <-done:
			if err != nil {
				return fmt.Errorf("stopping: requests still ran after %s: %w", s.config.ShutdownTimeout, err)
			}
			return nil
		case <-tick.C:
			if idle++; s.active.Load() > 0 {
				idle = 0
			}
		}
	}
	return nil
}

// Busy reports whether a picture is being rendered.
func (s *Server) Busy() bool { return s.work.Busy() }
