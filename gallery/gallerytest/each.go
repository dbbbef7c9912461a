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

// Each runs a test on a stage of each database.
func Each(t *testing.T, c Config, test func(*Stage)) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) { test(New(t, db, name, c)) })
}

// S3Variable names a bucket in which tests may write.
const S3Variable = "SAFELIGHT_TEST_S3"

// clouds name others, for programs that are built with the tags gs and azblob.
var clouds = map[string]string{"gs": "SAFELIGHT_TEST_GS", "azblob": "SAFELIGHT_TEST_AZBLOB"}

// EachStore runs a test on each database with files, a bucket in memory and, if their variables are set, S3 and others.
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

// bucketIn opens a new folder of the bucket that a variable names.
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
