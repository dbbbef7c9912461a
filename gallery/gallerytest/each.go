package gallerytest

import (
	"crypto/rand"
	"database/sql"
	"os"
	"strings"
	"testing"

	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/storage"
)

// Each runs a test on a stage with each database.
func Each(t *testing.T, c Config, test func(*Stage)) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) { test(New(t, db, name, c)) })
}

// S3Variable is the environment variable with the bucket that tests may write to.
const S3Variable = "SAFELIGHT_TEST_S3"

// clouds maps the schemes of other clouds to their environment variables. They need a binary built with the
// tags gs and azblob.
var clouds = map[string]string{"gs": "SAFELIGHT_TEST_GS", "azblob": "SAFELIGHT_TEST_AZBLOB"}

// EachStore runs a test on each database with local files, with a bucket in memory and, if their variables
// are set, with S3 and other clouds.
func EachStore(t *testing.T, c Config, test func(*Stage)) {
	t.Helper()
	stores := map[string]func(*testing.T) storage.Store{
		"files":  nil,
		"memory": func(*testing.T) storage.Store { return storage.NewMemory() },
		"s3":     bucketIn(S3Variable),
	}
	for name, variable := range clouds {
		if os.Getenv(variable) != "" {
			stores[name] = bucketIn(variable)
		}
	}
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			databasetest.Each(t, func(t *testing.T, db *sql.DB, dialect string) {
				s := New(t, db, dialect, c)
				if open != nil {
					s.Store = open(t)
					t.Cleanup(func() { s.Store.Close() })
					s.Rules = s.Again()
				}
				test(s)
			})
		})
	}
}

// bucketIn returns a function that opens a new folder in the bucket named by an environment variable.
func bucketIn(variable string) func(*testing.T) storage.Store {
	return func(t *testing.T) storage.Store {
		bucket, query, _ := strings.Cut(os.Getenv(variable), "?")
		if bucket == "" {
			t.Skip(variable + " names no bucket: make test starts a server and sets it")
		}
		store, err := storage.Open(t.Context(), bucket+"/gallery-"+rand.Text()+"?"+query)
		if err != nil {
			t.Fatal(err)
		}
		return store
	}
}
