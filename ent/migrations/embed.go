// Package migrations holds the SQL that brings a database to the schema of package ent, for goose. The command in
// generate writes the files; a released file never changes. CONTRIBUTING.md says how to add one.
package migrations

import "embed"

// Files holds the folders sqlite and postgres.
//
//go:embed sqlite/*.sql postgres/*.sql
var Files embed.FS
