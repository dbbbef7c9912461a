package gallery

import (
	"strings"

	"github.com/safelight/safelight/storage"
)

// TemplateSuffix ends the name of a saved template, PreviewSuffix that of the preview beside it.
const (
	TemplateSuffix = ".template.json"
	PreviewSuffix  = ".template.preview.webp"
)

// IsTemplate reports whether a file is a saved template by its name.
func IsTemplate(k storage.Key) bool {
	return strings.HasSuffix(strings.ToLower(k.Name()), TemplateSuffix)
}

// isPreview reports whether a file is the preview of a template, which listings do not show.
func isPreview(k storage.Key) bool { return strings.HasSuffix(k.Name(), PreviewSuffix) }

// MaxTemplate is the max size of a template in bytes.
const MaxTemplate = 1 << 20
