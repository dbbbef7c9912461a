// Package web is the application for browsers, as files. Its sources are in src; README.md says how they are
// organized and built.
package web

import _ "embed"

// Tokens is the style sheet with the colors of both themes, which the documentation has too.
//
//go:embed src/tokens.css
var Tokens []byte
