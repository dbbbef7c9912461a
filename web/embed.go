//go:build !no_ui

package web

import (
	"embed"
	"io/fs"
)

//go:embed dist/*.br dist/*.gz dist/app/*.br dist/app/*.gz
var dist embed.FS

// Files returns what `npm run build` made, index.html and app/ with everything that it loads, in compressed forms only: NAME.gz for
// each file, NAME.br where it is smaller than the file. It is nil in a build with the tag no_ui.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // dist is a constant, valid name
	}
	return files
}
