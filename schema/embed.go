// Package schema holds the GraphQL SDL, the source of truth of the API.
package schema

import (
	"embed"
	"io/fs"
	"strings"
)

// files are the SDL by subject; their order does not matter.
//
//go:embed *.graphql
var files embed.FS

// Files returns the files of the SDL, one per subject.
func Files() fs.FS { return files }

// SDL returns the whole schema as one text.
func SDL() string {
	var b strings.Builder
	names, _ := fs.Glob(files, "*.graphql") // the pattern is well-formed
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			panic("schema: embedded file " + name + " is gone")
		}
		b.Write(text)
		b.WriteByte('\n')
	}
	return b.String()
}
