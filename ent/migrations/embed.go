// Package migrations holds the SQL that brings a database to the schema of package ent, for goose. The
// files are made by `make migration NAME=...` and never changed once released.
package migrations

import "embed"

// Files holds the folders sqlite and postgres.
//
//go:embed sqlite/*.sql postgres/*.sql
var Files embed.FS
