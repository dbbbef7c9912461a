// Package safelight holds the go:generate directives of the module. The ent schemas and the SDL are the sources; the
// generated code is committed.
package safelight

//go:generate go tool ent generate --feature sql/versioned-migration,sql/execquery ./ent/schema
//go:generate go tool gqlgen generate --config gqlgen.yml
