//go:build no_ui

package web

import "io/fs"

// Files returns nil: this build leaves the application out.
func Files() fs.FS { return nil }
