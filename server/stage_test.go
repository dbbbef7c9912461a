package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"entgo.io/ent/dialect"
	_ "github.com/mattn/go-sqlite3"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/storageconfig"
	"github.com/safelight/safelight/graph"
	"github.com/safelight/safelight/graph/model"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/schema"
	"github.com/safelight/safelight/server"
	"github.com/safelight/safelight/server/admission"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/uploads"
)

// fakeEngine records its calls. Hooks simulate work.
type fakeEngine struct {
	processed atomic.Int64
	process   func(context.Context, imaging.Source) error
}

func (e *fakeEngine) Process(
	ctx context.Context, src imaging.Source, ops imaging.Operations, _ imaging.Limits,
) (*imaging.Result, error) {
	e.processed.Add(1)
	if e.process != nil {
		if err := e.process(ctx, src); err != nil {
			return nil, err
		}
	}
	_, warnings, _ := ops.Filters.Calls(false)
	return &imaging.Result{Data: []byte("picture " + ops.Path(src.Name)), ContentType: "image/webp",
		Format: imaging.WebP, Width: 1, Height: 1, Pages: 1, Warnings: warnings}, nil
}

func (e *fakeEngine) Info(context.Context, imaging.Source, imaging.InfoRequest, imaging.Limits) (*imaging.Info, error) {
	e.processed.Add(1)
	return &imaging.Info{Format: imaging.PNG, Width: 3, Height: 2, Exif: map[string]any{}}, nil
}

func (*fakeEngine) Formats() []imaging.Format {
	return []imaging.Format{imaging.JPEG, imaging.PNG, imaging.GIF, imaging.WebP, imaging.AVIF}
}

func (*fakeEngine) Version() string { return "fake 1" }

func (*fakeEngine) Efforts() map[imaging.Format]int { return nil }

// Survey returns the format, and the size that Info returns.
func (*fakeEngine) Survey(_ context.Context, src imaging.Source, _ imaging.Limits) (imaging.Header, error) {
	head, err := imaging.ReadHead(src.Reader)
	format := imaging.SniffFormat(head)
	if err == nil && format == "" {
		err = fault.New(fault.UnsupportedType, "the source is not a picture")
	}
	return imaging.Header{Format: format, Width: 3, Height: 2, Pages: 1, Bands: 3, Bytes: src.Size}, err
}

// noOperator knows no settings; cmd/safelight has the real one.
type noOperator struct{}

func (noOperator) Settings(context.Context) ([]*model.Setting, error) { return nil, nil }

func (noOperator) Diagnose(context.Context) ([]*model.Finding, error) { return nil, nil }

// logBuffer collects the log.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// stage is a whole server on a free port, with an admin, a user and a guest.
type stage struct {
	stop    func()        // begins to stop the server
	stopped chan struct{} // closed once it has stopped
	*testing.T
	server *server.Server
	url    string
	files  string // folder of the pictures
	db     *database.DB
	rules  *gallerytest.Rules
	engine *fakeEngine
	log    *logBuffer
	tokens map[string]string // by actor; anonymous has none
}

const stagePassword = "three blind mice 42"

// png is the smallest file that is detected as a PNG.
const png = "\x89PNG\r\n\x1A\n rest"

func newStage(t *testing.T, change func(*server.Config, *gallerytest.Config)) *stage {
	t.Helper()
	return newStageWith(t, change, func(*server.Deps) {})
}

func newStageWith(t *testing.T, change func(*server.Config, *gallerytest.Config), more func(*server.Deps)) *stage {
	t.Helper()
	return newStageOver(t, func(s storage.Store) storage.Store { return s }, change, more)
}

// newStageOver is newStageWith over another storage, or over one that wraps the folder.
func newStageOver(
	t *testing.T,
	over func(storage.Store) storage.Store,
	change func(*server.Config, *gallerytest.Config),
	more func(*server.Deps),
) *stage {
	t.Helper()
	s := &stage{T: t, engine: &fakeEngine{}, log: &logBuffer{}, tokens: map[string]string{}}
	// on a machine that is busy with other tests, no request of these is late
	config := server.Config{
		Limits:         imaging.DefaultLimits(),
		MaxUploadBytes: 4 << 20,
		LoadTimeout:    time.Hour,
		QueueTimeout:   time.Hour,
		GraphQLTimeout: time.Hour,
		WriteTimeout:   30 * time.Second,
		MaxAge:         7 * 24 * time.Hour,
		Workers:        4,
		Queue:          1000,
		Subscriptions:  20,
		Archives:       8,
	}
	config.Limits.Timeout = time.Hour
	rules := gallerytest.Config{Accounts: accounts.Config{Guest: true}, Uploads: uploads.Config{MaxFileBytes: 2 << 20},
		Backend: storageconfig.Config{Kind: "file", Place: "files"}}
	if change != nil {
		change(&config, &rules)
	}
	log := slog.New(slog.NewTextHandler(s.log, nil))
	dir := t.TempDir()
	db := databasetest.SQLite(t)
	store, err := storage.OpenLocal(filepath.Join(dir, "files"))
	s.must(err)
	s.files = filepath.Join(dir, "files")
	t.Cleanup(func() { store.Close() })
	keys, err := auth.OpenKeyring(auth.KeyringConfig{File: filepath.Join(dir, "keys.json"), Issuer: "i", Audience: "a",
		Lifetime: time.Hour})
	s.must(err)
	s.db = database.New(db, dialect.SQLite)
	s.rules, err = gallerytest.NewRules(t.Context(), rules, s.db, over(store), s.engine, keys, log)
	s.must(err)
	memoryOf := func(ctx context.Context) graph.Memory { return admission.LoanOf(ctx) }
	executor, err := graph.NewExecutor(graph.Config{Persisted: 100, MaxValues: 100_000, MaxBytes: 8 << 20,
		MemoryOf: memoryOf}, graph.Rules{Presets: s.rules.Presets, Webhooks: s.rules.Webhooks, Mail: s.rules.Mail,
		Fonts: s.rules.Fonts, Accounts: s.rules.Accounts, Audit: s.rules.Audit,
		Backend: s.rules.Settings, Gallery: s.rules.Gallery,
		Signing: s.rules.Signer, Templates: s.rules.Templates, Uploads: s.rules.Uploads, Archives: s.rules.Archives,
		Shares: s.rules.Shares, Operator: noOperator{}}, log)
	s.must(err)
	deps := server.Deps{Accounts: s.rules.Accounts, Mail: s.rules.Mail, Signing: s.rules.Signer,
		Files: server.Files{Gallery: s.rules.Gallery, Uploads: s.rules.Uploads, Archives: s.rules.Archives,
			Shares: s.rules.Shares, GraphQL: executor},
		Fonts: s.rules.Fonts, Keyring: keys, Engine: s.engine, Schema: schema.SDL(), Log: log, Version: "test"}
	more(&deps)
	srv, err := server.New(config, deps)
	s.must(err)
	s.server = srv
	connections := srv.App().Server() // a connection ends because of what was sent, not because time has passed
	connections.ReadTimeout, connections.IdleTimeout = time.Hour, time.Hour
	s.listen(srv)
	s.people()
	return s
}

func (s *stage) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *stage) listen(srv *server.Server) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	s.must(err)
	ctx, stop := context.WithCancel(context.Background())
	s.stop, s.stopped = stop, make(chan struct{})
	go func() { err = srv.Serve(ctx, l); close(s.stopped) }()
	s.Cleanup(func() {
		stop()
		if <-s.stopped; err != nil {
			s.Errorf("Serve: %v", err)
		}
	})
	s.url = "http://" + l.Addr().String()
}

func (s *stage) people() {
	ctx := auth.WithIdentity(s.Context(), auth.Identity{Role: auth.RoleAdmin, Scopes: auth.RoleAdmin.Scopes()})
	for _, role := range []auth.Role{auth.RoleAdmin, auth.RoleUser} {
		_, err := s.rules.CreateUser(ctx, accounts.CreateUserInput{DisplayName: string(role), Username: string(role),
			Password: stagePassword, Role: role})
		s.must(err)
		session, err := s.rules.Login(ctx, string(role), stagePassword, "stage")
		s.must(err)
		s.tokens[string(role)] = session.Token
	}
	if session, err := s.rules.GuestSession(ctx); err == nil {
		s.tokens["guest"] = session.Token
	}
	s.store("a/b.png", png)
}

// store writes a file to the gallery, replacing an existing one.
func (s *stage) store(path, content string) {
	s.Helper()
	ctx := auth.WithIdentity(s.Context(), auth.Identity{Role: auth.RoleAdmin, Scopes: auth.RoleAdmin.Scopes()})
	_ = s.rules.DeleteFile(ctx, path)
	_, err := s.rules.Uploads.AddFile(ctx, uploads.AddFileInput{Path: path, Content: strings.NewReader(content)})
	s.must(err)
}

// answer is a response with its whole body.
type answer struct {
	status int
	header http.Header
	body   string
}

// json returns a field of the body by its path.
func (a answer) json(path ...string) any {
	var v any
	if json.Unmarshal([]byte(a.body), &v) != nil {
		return nil
	}
	for _, p := range path {
		m, _ := v.(map[string]any)
		v = m[p]
	}
	return v
}

// code returns the code of a REST or the first GraphQL error.
func (a answer) code() string {
	if c, ok := a.json("error").(string); ok {
		return c
	}
	if list, ok := a.json("errors").([]any); ok && len(list) > 0 {
		e, _ := list[0].(map[string]any)
		x, _ := e["extensions"].(map[string]any)
		c, _ := x["code"].(string)
		return c
	}
	return ""
}

// do sends a request; headers come in pairs.
func (s *stage) do(method, path, body string, headers ...string) answer {
	s.Helper()
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(s.Context(), method, s.url, r)
	s.must(err)
	path, req.URL.RawQuery, _ = strings.Cut(path, "?")
	req.URL.Opaque = "//" + req.URL.Host + path // as it is, percent signs included
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	s.must(err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	s.must(err)
	return answer{res.StatusCode, res.Header, string(b)}
}

// graphQL posts an operation as one of the actors.
func (s *stage) graphQL(actor, query string, variables any) answer {
	s.Helper()
	b, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	s.must(err)
	headers := []string{"Content-Type", "application/json"}
	if token := s.tokens[actor]; token != "" {
		headers = append(headers, "Authorization", "Bearer "+token)
	}
	return s.do("POST", "/api/graphql", string(b), headers...)
}

// signed returns the signed URL path of operations and image.
func (s *stage) signed(path string) string { return s.rules.SignPath(path) }
