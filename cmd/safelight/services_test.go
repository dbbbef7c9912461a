package main

import (
	"crypto/rand"
	"database/sql"
	"net/url"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
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
	address, err := url.Parse(os.Getenv(testPostgres))
	ts.Check(err)
	db, err := sql.Open("postgres", address.String())
	ts.Check(err)
	defer db.Close()
	name := "script_" + strings.ToLower(rand.Text())
	_, err = db.Exec("CREATE DATABASE " + name)
	ts.Check(err)
	address.Path = "/" + name
	ts.Setenv("SAFELIGHT_DATABASE", address.String())
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
