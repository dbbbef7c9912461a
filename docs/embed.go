// Package docs is the documentation as Markdown. server/docsite makes pages of it.
package docs

import "embed"

// Files are the documents and their pictures, by path.
//
//go:embed README.md glossary.md contributing guides images reference start
var Files embed.FS
