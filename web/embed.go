//go:build !no_ui

package web

import (
	"embed"
	"io/fs"
)

//go:embed dist
var dist embed.FS

// Files returns what `npm run build` made: index.html, and app/ with everything that it loads. It is nil in a build
// with the tag no_ui.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // dist is a constant, valid name
	}
	return files
}
