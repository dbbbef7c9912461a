// Package server contains everything that uses Fiber: routes, authentication, images, the GraphQL transport, uploads
// and the playground.
//
// A request for a picture goes through these files. responsecache.go repeats a response that is still current.
// middleware.go adds the request id, logging and recovery. framing.go rejects malformed headers. ratelimit.go and
// cors.go may reject or answer a request. image.go parses the URL and checks the signature. negotiate.go and
// clienthints.go apply the client's headers. source.go finds the versions of the sources, from which cachekey.go
// builds the ETag and the cache key; conditional.go answers 304. render.go looks up the key in the cache or renders:
// it opens the sources, source_buffer.go reads those on a network into memory, admission.go waits in the queue of
// package admission, and the engine runs. cachecontrol.go and image_headers.go set the headers. send.go sends the
// bytes, or the range that ranges.go has parsed. original.go answers raw() without an engine. errors.go maps errors to
// responses: a handler returns its error instead of answering.
//
// A GraphQL operation goes through auth.go, graphql_request.go or graphql_multipart.go, and graphql.go. uploads.go
// accepts file bodies. Package metrics and trace.go observe everything.
package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/gofiber/fiber/v2"
	"go.opentelemetry.io/otel/trace"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/accounts/signin"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/cache/singleflight"
	"github.com/safelight/safelight/fonts"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/archive"
	"github.com/safelight/safelight/gallery/shares"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/mail"
	"github.com/safelight/safelight/server/accesslog"
	"github.com/safelight/safelight/server/admission"
	"github.com/safelight/safelight/server/coalesce"
	"github.com/safelight/safelight/server/connection"
	"github.com/safelight/safelight/server/docsite"
	"github.com/safelight/safelight/server/hotswap"
	"github.com/safelight/safelight/server/limits"
	"github.com/safelight/safelight/server/metrics"
	"github.com/safelight/safelight/server/responsecache"
	"github.com/safelight/safelight/signing"
	"github.com/safelight/safelight/storage/remote"
	"github.com/safelight/safelight/timeseries"
	"github.com/safelight/safelight/uploads"
)

// Config is the configuration of a server. Fields marked required must be positive. For other fields, the comment says
// what zero means.
type Config struct {
	Unsafe         bool // everyone may use unsigned image URLs
	AutoFormat     bool // the Accept header decides the output format
	Limits         imaging.Limits
	LoadTimeout    time.Duration // timeout for opening and reading a source; required
	Workers        int           // max running jobs; required
	Queue          int           // max queued jobs, a backstop for QueueTimeout and Memory; required
	QueueTimeout   time.Duration // max time in the queue; required
	Memory         int64         // max estimated memory of all running jobs in bytes; 0: no limit
	MaxUploadBytes int64         // max size of the files of a multipart request; required
	MaxAge         time.Duration // max age of a picture in caches; 0: caches always revalidate
	GraphQLTimeout time.Duration // timeout of one operation; 0: 30 s
	// PublicSchema lets everyone read the SDL and run introspection queries without a token.
	PublicSchema    bool
	GraphQLBatch    int           // max operations in one request; 0: no batches
	Subscriptions   int           // max open subscriptions of one account or of one guest's address; required
	Archives        int           // max concurrent archive downloads, at most a quarter of them by one client; required
	Heartbeat       time.Duration // interval of checks whether the client of an event stream is connected; 0: 15 s
	Recheck         time.Duration // interval of checks of a subscription's token; 0: 5 s
	WriteTimeout    time.Duration // how long a client may stop reading a response; required
	ShutdownDelay   time.Duration // how long the server keeps serving before shutdown, while /readyz fails
	ShutdownTimeout time.Duration // how long running requests may take during shutdown; 0: 30 s

	Now func() time.Time // returns the time that decides when URLs expire and how old sources are; nil: time.Now

	ClientHints bool // DPR and Width hints affect sizes
	// Origins are the origins whose pages may read responses, as `https://host[:port]`; `*`: all; empty: none.
	Origins []string
	// Embedders are the origins whose pages may frame the application, as `https://host[:port]`; empty: none.
	Embedders   []string
	Connections int // max open connections; 0: derived from Memory
	// RateLimit is the max number of requests a minute from one address to the API and to unsigned image URLs; 0: no
	// limit.
	RateLimit      int
	TrustedProxies []netip.Prefix // proxies whose X-Forwarded-For is trusted

	ConnectionsPerClient int // max open connections of an address, a /64 in IPv6; 0: a quarter of Connections

	MetricsToken string // bearer token that /metrics requires; empty: none
	// MetricsAllow are the networks that may read /metrics; empty: all networks with MetricsToken, else private ones.
	MetricsAllow []netip.Prefix

	Docs string // who may read the documentation: DocsUsers or DocsPublic; anything else: nobody

	Guest     bool   // the login page offers guest access
	Passwords bool   // the login page asks for a password
	AppOrigin string // origin of the image URLs, as `https://host[:port]`; empty: that of the application
	// TilesOrigin is the origin of the tiles of the application's map, as `https://host[:port]`; empty: none.
	TilesOrigin string

	StaleWhileRevalidate time.Duration // how long caches may serve a stale picture while they revalidate; 0: not at all
}

// withDefaults replaces zero fields that have a default.
func (c Config) withDefaults() Config {
	set := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	set(&c.GraphQLTimeout, 30*time.Second)
	set(&c.Heartbeat, 15*time.Second)
	set(&c.Recheck, 5*time.Second)
	set(&c.ShutdownTimeout, 30*time.Second)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Connections <= 0 {
		c.Connections = defaultConnections(c.Memory)
	}
	if c.ConnectionsPerClient <= 0 {
		c.ConnectionsPerClient = max(1, c.Connections/4)
	}
	return c
}

// check returns an error for a required field that is not positive.
func (c Config) check() error {
	for _, field := range []struct {
		name  string
		value int64
	}{
		{"LoadTimeout", int64(c.LoadTimeout)},
		{"QueueTimeout", int64(c.QueueTimeout)},
		{"WriteTimeout", int64(c.WriteTimeout)},
		{"Workers", int64(c.Workers)},
		{"Queue", int64(c.Queue)},
		{"Subscriptions", int64(c.Subscriptions)},
		{"Archives", int64(c.Archives)},
		{"MaxUploadBytes", c.MaxUploadBytes},
	} {
		if field.value <= 0 {
			return fmt.Errorf("the %s of the server is %d, expected a positive value", field.name, field.value)
		}
	}
	return nil
}

// defaultConnections returns how many connections fit into a quarter of memory, at most half of the file descriptors of
// the process, and at least 64. Without a memory limit it is 8,192.
func defaultConnections(memory int64) int {
	most := int64(8192)
	if memory > 0 {
		most = min(max(memory/4/connectionMemory, 256), 65536)
	}
	var files syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files) == nil && files.Cur/2 < uint64(most) {
		most = int64(files.Cur / 2)
	}
	return max(64, int(most))
}

// Files are the services that work on one storage. Server.Replace replaces them together.
type Files struct {
	Gallery  *gallery.Gallery
	Uploads  *uploads.Uploads
	Archives *archive.Archives
	Shares   *shares.Shares
	GraphQL  graphql.GraphExecutor
}

// Deps are the dependencies of the server. All but Signin, Remote, Results, History, Tracer, Version, Web, Docs,
// Sample, Folders and LastBackup are required.
type Deps struct {
	Accounts *accounts.Accounts
	Files    Files
	Signing  *signing.Signer
	Fonts    *fonts.Fonts
	Keyring  *auth.Keyring
	Signin   *signin.Providers // nil: users sign in with passwords only
	Mail     *mail.Mailer      // nil: the server sends no e-mail
	Engine   imaging.Engine
	Remote   *remote.Fetcher      // nil: remote images are off
	Results  *cache.Cache         // nil: no result cache
	History  *timeseries.Recorder // figures of the last hour; nil: the server keeps its own
	Schema   string               // the SDL
	Log      *slog.Logger
	Tracer   trace.Tracer // nil: no traces
	Version  string
	Web      fs.FS                         // files of the application, as web.Files returns them; nil: none
	Docs     func() (*docsite.Site, error) // returns the documentation; nil: none
	// Sample returns a picture for the examples of the documentation; required with Docs.
	Sample func(path string) ([]byte, error)
	// Folders returns the local folders whose free space the metrics report, by name; nil: none.
	Folders func() map[string]string
	// LastBackup returns when the last successful backup began, and zero if there was none; nil: unknown.
	LastBackup func() time.Time
}

// Server serves the API, images and the application over HTTP. Create it with New.
type Server struct {
	config Config
	Deps
	app          *fiber.App
	filesInUse   *hotswap.Value[Files]
	work         *admission.Controller
	coalescer    *coalesce.Coalescer                         // lets results of the same source share one decode
	sourceBudget sourceBudget                                // memory of buffered sources
	flights      singleflight.Group[cache.Key, rendered]     // results being rendered
	docsExamples singleflight.Group[string, *imaging.Result] // examples of the documentation being rendered, by file
	rates        *limits.Rate                                // nil: no limit
	keys         keyBuilder
	appFiles     appFiles // of Web
	responses    *responsecache.Cache
	metrics      *metrics.Metrics
	accessLog    *accesslog.Log
	bodyBytes    atomic.Int64 // bytes of request bodies in memory
	active       atomic.Int64 // requests in progress
	writing      atomic.Int64 // writes in progress: most responses are written after their handlers have returned

	sourceDownloads  *admission.Controller
	archiveDownloads limits.Concurrent
	shareUploads     limits.Concurrent
	shareOpens       *limits.Rate
	shareWrites      *limits.Rate // of feedback
	shareNames       *limits.Rate // of new reviewers
	shareSends       *limits.Rate // requests by which visitors of share links upload files
	subscribers      limits.Concurrent
	queries          limits.Turns
	stopping         atomic.Bool
	stopStreams      chan struct{} // closed when event streams must end
}

// The limits of requests other than uploads.
const (
	maxHeaderBytes    = 32 << 10 // nested operation paths make long URLs
	maxJSONBytes      = 1 << 20
	maxAnonymousBytes = 8 << 10  // max size of a body without a token
	writeBuffer       = 8 << 10  // for headers and small responses; rendered results are written without a copy
	connectionMemory  = 64 << 10 // estimated memory of one connection: its buffers, a short body, a stack
	bodiesShare       = 16       // divisor: request bodies in memory take at most Config.Memory/bodiesShare
	headerTimeout     = 20 * time.Second
	idleTimeout       = 90 * time.Second
)

// New returns a server that does not listen yet. It returns an error if a required dependency is nil or a required
// field of c is not positive.
func New(c Config, d Deps) (*Server, error) {
	if d.Accounts == nil || d.Files.Gallery == nil || d.Signing == nil || d.Fonts == nil || d.Files.Uploads == nil ||
		d.Files.Archives == nil || d.Files.Shares == nil || d.Keyring == nil || d.Engine == nil ||
		d.Files.GraphQL == nil || d.Log == nil {
		return nil, errors.New("a dependency of the server is nil: accounts, gallery, signing, fonts, uploads, " +
			"archives, shares, keyring, engine, executor and log are required")
	}
	web, err := newAppFiles(d.Web)
	if err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	if d.History == nil {
		d.History = timeseries.New(nil)
	}
	s := &Server{
		config: c, Deps: d, appFiles: web,
		accessLog:        accesslog.New(d.Log),
		filesInUse:       hotswap.New(d.Files),
		stopStreams:      make(chan struct{}),
		rates:            limits.NewRate(c.RateLimit),
		keys:             newKeyBuilder(d.Engine.Version(), c.Limits),
		subscribers:      limits.Concurrent{What: "subscriptions", PerClient: c.Subscriptions, All: maxSubscribers},
		queries:          limits.Turns{PerClient: queriesPerClient()},
		shareOpens:       limits.NewRate(maxShareOpens),
		shareWrites:      limits.NewRate(maxShareWrites),
		shareNames:       limits.NewRate(maxShareNames),
		shareSends:       limits.NewRate(maxShareSends),
		shareUploads:     limits.Concurrent{What: "uploads", PerClient: maxShareUploads / 4, All: maxShareUploads},
		archiveDownloads: limits.Concurrent{What: "archives", PerClient: max(1, c.Archives/4), All: c.Archives},
		sourceDownloads:  admission.New(admission.Config{Slots: 4 * c.Workers, Queue: c.Queue, MaxWait: c.LoadTimeout}),
		sourceBudget:     newSourceBudget(c.Memory),
	}
	work := admission.Config{Slots: c.Workers, Queue: c.Queue, MaxWait: c.QueueTimeout, MaxMemory: c.Memory,
		Finished: func(estimated, took time.Duration) { s.metrics.JobFinished(estimated, took) }}
	if engine, ok := d.Engine.(memoryReleaser); ok {
		work.Idle = engine.ReleaseMemory
	}
	if engine, ok := d.Engine.(memoryHolder); ok {
		work.Held = engine.Held
	}
	s.work = admission.New(work)
	s.coalescer = coalesce.New(s.work, d.Engine)
	s.metrics = metrics.New(metrics.Sources{Work: s.work, Coalescer: s.coalescer, Results: s.Results,
		Engine: s.Engine, Workers: s.config.Workers,
		Requests: s.active.Load, SourceMemory: s.sourceBudget.used.Load, MaxSourceMemory: s.sourceBudget.max,
		Hour: s.History,
		State: metrics.State{Ready: s.isReady, Version: s.Version, Engine: s.Engine.Version(), Folders: s.Folders,
			LastBackup: s.LastBackup}})
	s.app = fiber.New(fiber.Config{
		AppName:                      "Safelight",
		Immutable:                    true, // strings from the context must not change after the handler returns
		DisableStartupMessage:        true,
		ReadBufferSize:               maxHeaderBytes,
		WriteBufferSize:              writeBuffer,
		ReadTimeout:                  headerTimeout,
		IdleTimeout:                  idleTimeout,
		StreamRequestBody:            true, // each route reads its own body, with its own limit
		DisablePreParseMultipartForm: true,
		BodyLimit:                    1, // max bytes that fasthttp reads before a route does
		ErrorHandler:                 s.fiberError,
		JSONEncoder:                  marshal,
	})
	s.responses = responsecache.New(responsecache.Config{
		Now: c.Now, Basis: s.basis, Current: s.isCurrent, Result: s.Results.GetMemory,
		SetBody: connection.SetBody, Origin: len(c.Origins) > 0,
	})
	s.Deps.Files = Files{} // use filesInUse, which Replace changes, instead
	s.routes()
	s.app.Server().Handler = s.beforeFiber(s.app.Handler())
	s.app.Server().HeaderReceived = checkReceived
	s.app.Server().ConnState = connection.State
	return s, nil
}

// Replace makes new requests use f at once, and returns the previous files. Requests and downloads that have begun
// keep using the previous ones, which become idle when the last such request has ended. Subscriptions to them end, so
// that clients reconnect.
func (s *Server) Replace(f Files) *hotswap.Held[Files] { return s.filesInUse.Replace(f) }

// files returns the files that the request of ctx uses.
func files(ctx context.Context) Files { return hotswap.From[Files](ctx).Value }

// App returns the Fiber application, for tests.
func (s *Server) App() *fiber.App { return s.app }

// routes registers all routes. The order matters: a path that matches no other route is treated as an image URL.
func (s *Server) routes() {
	// A panic is recovered twice: within observe, so that it is counted and logged with its status, and outside of all
	// other handlers.
	s.app.Use(
		s.recoverPanic, s.assignRequestID, s.observe, s.recoverPanic, secure,
		s.rejectMalformed, s.cors, s.limitAPI,
	)
	s.appRoutes()
	s.app.Get("/", s.landing)
	s.app.Get("/healthz", s.healthy)
	s.app.Get("/readyz", s.ready)
	s.app.Get("/metrics", s.guardMetrics, s.metrics.Handle)
	s.app.Get("/schema.graphql", s.guardSchema(), s.sdl)
	s.app.Post("/schema.graphql", s.introspect)
	s.app.Get("/openapi.json", s.openAPI)
	s.app.Get("/playground", s.playground)
	s.app.Get("/playground/:file", s.playgroundFile)
	s.docsRoutes()
	s.app.Get("/robots.txt", s.robots)
	s.app.Get("/favicon.ico", func(c *fiber.Ctx) error { return c.SendStatus(fiber.StatusNoContent) })

	login := s.app.Group("/api/auth")
	login.Post("/login", s.login)
	login.Post("/refresh", s.refresh)
	login.Post("/guest", s.guest)
	login.Post("/register", s.register)
	login.Post("/invitation", s.acceptInvitation)
	login.Post("/forgot", s.forgotPassword)
	login.Post("/reset", s.resetPassword)
	login.Post("/email", s.confirmEmail)
	login.Post("/logout", s.guard(), s.logout)
	login.Get("/me", s.guard(), s.me)
	s.factorsRoutes(login)
	s.signinRoutes()

	s.app.Post(graphQLPath, s.graphQLErrors, s.guardGraphQL(), s.graphQLPost)
	s.app.Get(graphQLPath, s.graphQLErrors, s.guardGraphQL(), s.graphQLGet)
	s.app.All(graphQLPath, wrongMethod([]string{fiber.MethodGet, fiber.MethodPost}))
	uploadRoutes{s}.register()
	archiveRoutes{s}.register()
	shareRoutes{s}.register()
	s.fontRoutes()
	s.rejectOtherMethods()
	s.app.All("/api/*", noRoute)
	s.app.Get("/*", s.image)
	s.rejectOtherMethods()
}

// rejectOtherMethods makes the paths of all routes so far answer other methods with 405 and an Allow header. It has to
// be called after the last route of a path, and before another path's route that matches the same requests.
func (s *Server) rejectOtherMethods() {
	allowed := map[string][]string{}
	for _, r := range s.app.GetRoutes(true) {
		allowed[r.Path] = append(allowed[r.Path], r.Method)
	}
	for path, list := range allowed {
		slices.Sort(list)
		reject := wrongMethod(slices.Compact(list))
		for _, method := range s.app.Config().RequestMethods {
			if !slices.Contains(list, method) {
				s.app.Add(method, path, reject)
			}
		}
	}
}

// Serve answers requests on l until ctx ends. Then it keeps serving for ShutdownDelay, and lets running requests
// finish within ShutdownTimeout. It returns an error if l fails, or if requests are still running after
// ShutdownTimeout.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	go s.History.Run(ctx)
	done := make(chan error, 1)
	go func() { done <- s.app.Listener(s.limited(l)) }()
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

// limited wraps the listener with the connection limits.
func (s *Server) limited(l net.Listener) net.Listener {
	limits := connection.Limits{
		All: s.config.Connections, PerClient: s.config.ConnectionsPerClient,
		Exempt: func(a netip.Addr) bool { return a.IsLoopback() || s.config.trusts(a) },
	}
	limited := connection.Listen(l, connection.Config{
		Metrics: s.metrics, Writing: &s.writing, WriteTimeout: s.config.WriteTimeout, Limits: limits,
	})
	s.metrics.Connections(limited.Stats)
	return limited
}

// drain makes /readyz fail and keeps serving for the shutdown delay.
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

// quietPeriod is how long the server must be without requests and writes before it stops. Responses are written some
// time after their requests have ended.
const quietPeriod = time.Second

// stop rejects new connections and waits for running requests. It does not wait for idle connections, which browsers
// open in advance.
func (s *Server) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), s.config.ShutdownTimeout)
	defer cancel()
	close(s.stopStreams)
	done := make(chan error, 1)
	go func() { done <- s.app.ShutdownWithContext(ctx) }()
	tick := time.NewTicker(quietPeriod / 10)
	defer tick.Stop()
	for idle := 0; idle < 10; {
		select {
		case err := <-done:
			if err != nil {
				return fmt.Errorf("stopping: requests still ran after %s: %w", s.config.ShutdownTimeout, err)
			}
			return nil
		case <-tick.C:
			if idle++; s.active.Load()+s.writing.Load() > 0 {
				idle = 0
			}
		}
	}
	return nil
}
