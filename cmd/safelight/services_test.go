package main

import (
	"crypto/rand"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/safelight/safelight/database/databasetest"
)

// The variables that scripts/with-services sets.
const (
	testPostgres = "SAFELIGHT_TEST_POSTGRES"
	testS3       = "SAFELIGHT_TEST_S3"
)

// postgresScript makes an empty database, which goes with the temporary server.
func postgresScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("postgres takes nothing")
	}
	address, _, err := databasetest.CreatePostgres()
	ts.Check(err)
	ts.Setenv("SAFELIGHT_DATABASE", address)
}

// s3Script names an empty place.
func s3Script(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("s3 takes nothing")
	}
	bucket, query, _ := strings.Cut(os.Getenv(testS3), "?")
	ts.Setenv("SAFELIGHT_STORAGE", bucket+"/script-"+rand.Text()+"?"+query)
	for _, key := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
		ts.Setenv(key, os.Getenv(key))
	}
}
