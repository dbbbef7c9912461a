// Package safelight holds the go:generate directives of the module. The ent schemas and the SDL are the sources; the
// generated code is committed.
package safelight

//go:generate go tool ent generate --feature sql/versioned-migration,sql/execquery,sql/lock,sql/upsert,sql/modifier --template dir=./ent/template ./ent/schema
// enttest needs the field Schema that ent/template leaves out of the client
//go:generate rm -r ent/enttest
//go:generate go tool gqlgen generate --config gqlgen.yml
