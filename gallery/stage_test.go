package gallery_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"image"
	_ "image/png"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	_ "github.com/lib/pq"
	_ "github.com/mattn/go-sqlite3"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
)

// postgresVariable names a server on which tests may make databases.
const postgresVariable = "SAFELIGHT_TEST_POSTGRES"

// eachDatabase runs a test on SQLite and, where one is given, on PostgreSQL.
func eachDatabase(t *testing.T, test func(t *testing.T, db *sql.DB, name string)) {
	t.Run("sqlite", func(t *testing.T) {
		db, err := sql.Open("sqlite3", "file:"+filepath.Join(t.TempDir(), "db")+"?_fk=1&_journal_mode=WAL&_busy_timeout=5000&_synchronous=OFF&_txlock=immediate")
		must(t, err)
		t.Cleanup(func() { db.Close() })
		test(t, db, dialect.SQLite)
	})
	t.Run("postgres", func(t *testing.T) {
		address := os.Getenv(postgresVariable)
		if address == "" {
			t.Skip(postgresVariable + " names no server: make test starts one and sets it")
		}
		test(t, newPostgres(t, address), dialect.Postgres)
	})
}

func newPostgres(t *testing.T, address string) *sql.DB {
	t.Helper()
	admin, err := sql.Open("postgres", address)
	must(t, err)
	name := "test_" + strings.ToLower(rand.Text())
	_, err = admin.Exec("CREATE DATABASE " + name)
	must(t, err)
	u, err := url.Parse(address)
	must(t, err)
	u.Path = "/" + name
	db, err := sql.Open("postgres", u.String())
	must(t, err)
	db.SetMaxIdleConns(40) // as a server keeps them: a new one costs PostgreSQL more than what is asked of it
	t.Cleanup(func() {
		db.Close()
		_, err := admin.Exec("DROP DATABASE " + name)
		if err != nil {
			t.Error(err)
		}
		admin.Close()
	})
	return db
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, err error, code fault.Code, doing string) {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Errorf("%s: %v, expected code %q", doing, err, code)
	}
}

// clock is a time that tests move.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

// headerEngine reads sizes with the standard library, and makes of every picture the words that ask for it.
type headerEngine struct{ imaging.Engine }

func (*headerEngine) Info(_ context.Context, src imaging.Source, _ imaging.InfoRequest, _ imaging.Limits) (*imaging.Info, error) {
	c, format, err := image.DecodeConfig(src.Reader)
	if err != nil {
		return nil, fault.Wrap(err, fault.CorruptImage, "the picture %s cannot be decoded", src.Name)
	}
	return &imaging.Info{Format: imaging.Format(format), Width: c.Width, Height: c.Height, Pages: 1, Orientation: 1}, nil
}

func (*headerEngine) Process(_ context.Context, src imaging.Source, ops imaging.Operations, _ imaging.Limits) (*imaging.Result, error) {
	return &imaging.Result{Data: []byte("RIFF    WEBP " + ops.Path(src.Name)), Format: imaging.WebP, ContentType: "image/webp", Width: 1, Height: 1, Pages: 1}, nil
}

// stage is a gallery with its parts.
type stage struct {
	*testing.T
	*gallery.Gallery
	store  storage.Store
	engine *headerEngine
	keys   *auth.Keyring
	clock  *clock
	again  func() *gallery.Gallery // another one on the same database
	dir    string                  // of the storage
}

func newStage(t *testing.T, db *sql.DB, name string, c gallery.Config) *stage {
	t.Helper()
	must(t, gallery.Migrate(t.Context(), db, name))
	s := &stage{T: t, engine: &headerEngine{}, clock: &clock{time.Now().Truncate(time.Second)}}
	var err error
	s.dir = t.TempDir()
	s.store, err = storage.OpenLocal(s.dir)
	must(t, err)
	t.Cleanup(func() { s.store.Close() })
	s.keys, err = auth.OpenKeyring(auth.KeyringConfig{File: filepath.Join(t.TempDir(), "keys.json"), Issuer: "i", Audience: "a", Lifetime: time.Hour, Now: s.clock.now})
	must(t, err)
	c.Now = s.clock.now
	client := ent.NewClient(ent.Driver(entsql.OpenDB(name, db)))
	s.again = func() *gallery.Gallery {
		g, err := gallery.New(t.Context(), c, client, s.store, s.engine, s.keys, slog.New(slog.DiscardHandler))
		must(t, err)
		return g
	}
	s.Gallery = s.again()
	return s
}

const password = "three blind mice 42"

// as returns the context of a person that a session proves.
func (s *stage) as(session *gallery.Session) context.Context {
	s.Helper()
	claims, err := s.keys.Parse(session.Token)
	must(s.T, err)
	i, err := s.Authenticate(s.Context(), claims)
	must(s.T, err)
	return auth.WithIdentity(s.Context(), i)
}

// admits says whether a session's token is still accepted.
func (s *stage) admits(session *gallery.Session) bool {
	claims, err := s.keys.Parse(session.Token)
	if err != nil {
		return false
	}
	_, err = s.Authenticate(s.Context(), claims)
	return err == nil
}

// person makes an account and logs it in.
func (s *stage) person(name string, role auth.Role) *gallery.Session {
	s.Helper()
	_, err := s.CreateUser(s.Context(), gallery.CreateUserInput{DisplayName: name, Username: name, Password: password, Role: role})
	must(s.T, err)
	session, err := s.Login(s.Context(), name, password, "home")
	must(s.T, err)
	return session
}
