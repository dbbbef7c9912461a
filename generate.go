// Package safelight holds no code: it is where `go generate` finds the generators of the module. The ent
// schemas and the SDL are the sources; what comes of them is committed.
package safelight

//go:generate go tool ent generate --feature sql/versioned-migration,sql/execquery,sql/lock,sql/upsert,sql/modifier --template dir=./ent/template ./ent/schema
// enttest needs the field Schema that ent/template leaves out of the client
//go:generate rm -r ent/enttest
//go:generate go tool gqlgen generate --config gqlgen.yml
