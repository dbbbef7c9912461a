package uploads

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
)

// fileLimit returns the maximum size in bytes of a file with a name; 0 means no limit.
func (u *Uploads) fileLimit(k storage.Key) int64 {
	limit := u.config.MaxFileBytes
	if gallery.IsTemplate(k) && (limit == 0 || limit > gallery.MaxTemplate) {
		limit = gallery.MaxTemplate
	}
	return limit
}

// checkFile checks the content of an upload and returns its media type, regardless of the extension. The
// position of the reader is undefined afterwards.
func (u *Uploads) checkFile(
	ctx context.Context,
	k storage.Key,
	r io.ReadSeeker,
	size int64,
) (contentType string, err error) {
	if limit := u.fileLimit(k); limit > 0 && size > limit {
		return "", fault.OnField(fault.TooLarge, "content", "the file has more than %d bytes", limit)
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return "", fmt.Errorf("reading an upload: %w", err)
	}
	if gallery.IsTemplate(k) {
		text, err := io.ReadAll(r)
		if err != nil {
			return "", fmt.Errorf("reading an upload: %w", err)
		}
		if !strings.HasPrefix(strings.TrimSpace(string(text)), "{") || !json.Valid(text) {
			return "", fault.OnField(fault.UnsupportedType, "content", "%s is not a JSON object", k.Name())
		}
		return "application/json", nil
	}
	head, err := bufio.NewReaderSize(r, imaging.SniffLength).Peek(imaging.SniffLength)
	if err != nil && err != io.EOF {
		return "", fmt.Errorf("reading an upload: %w", err)
	}
	f := imaging.SniffFormat(head)
	if f == "" {
		return "", fault.OnField(
			fault.UnsupportedType, "content",
			"%s is not in a format that this server reads, expected JPEG, PNG, WebP, GIF, AVIF, HEIC, TIFF, BMP, "+
				"JPEG XL, JPEG 2000 or SVG", k.Name(),
		)
	}
	if u.config.Probe == nil {
		return f.ContentType(), nil
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return "", fmt.Errorf("reading an upload: %w", err)
	}
	return f.ContentType(), onContent(u.config.Probe(ctx, imaging.Source{Name: k.Name(), Size: size, Reader: r}))
}

// onContent sets the field of an error to content, if it has none.
func onContent(err error) error {
	if f := fault.Of(err); f != nil && f.Field == "" && f.Code != fault.Internal {
		named := *f
		named.Field = "content"
		return &named
	}
	return err
}
