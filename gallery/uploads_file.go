package gallery

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
)

// AddFileInput is a file that is there as a whole.
type AddFileInput struct {
	Path       string
	Content    io.ReadSeeker
	OnConflict ConflictPolicy
}

// UploadFile is AddFile with ConflictError.
func (g *Gallery) UploadFile(ctx context.Context, p string, r io.ReadSeeker) (*FileItem, error) {
	return g.AddFile(ctx, AddFileInput{Path: p, Content: r})
}

// AddFile writes a picture, or a template by its name, and describes it. The file appears as a whole or
// not at all. fault.Conflict when the path exists and the policy is not to rename or replace,
// fault.UnsupportedType when the bytes are no picture, fault.CorruptImage when they cannot be read as
// one or end early, fault.TooLarge beyond a limit.
func (g *Gallery) AddFile(ctx context.Context, in AddFileInput) (*FileItem, error) {
	k, err := newFileKey(in.Path)
	if err != nil {
		return nil, err
	}
	size, err := in.Content.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("measuring an upload: %w", err)
	}
	contentType, err := g.checkFile(ctx, k, in.Content, size)
	if err != nil {
		return nil, err
	}
	s, err := g.write(ctx, k, in.OnConflict, contentType, in.Content)
	if err != nil {
		return nil, err
	}
	g.recordDone(ctx, event{action: ActionFileUpload, target: fileTarget(s.Key), after: facts{"size": s.Size, "onConflict": storedPolicy(in.OnConflict)}})
	return g.item(s), nil
}

func isTemplate(k storage.Key) bool {
	return strings.HasSuffix(strings.ToLower(k.Name()), templateSuffix)
}

// fileLimit returns how many bytes a file of that name may have; 0 is no limit.
func (g *Gallery) fileLimit(k storage.Key) int64 {
	limit := g.config.MaxFileBytes
	if isTemplate(k) && (limit == 0 || limit > maxTemplate) {
		limit = maxTemplate
	}
	return limit
}

// checkFile looks at the bytes of an upload and returns their media type; what a file is called is not
// believed. Where the reader stands afterwards is not said.
func (g *Gallery) checkFile(ctx context.Context, k storage.Key, r io.ReadSeeker, size int64) (contentType string, err error) {
	if limit := g.fileLimit(k); limit > 0 && size > limit {
		return "", fault.OnField(fault.TooLarge, "content", "the file has more than %d bytes", limit)
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return "", fmt.Errorf("reading an upload: %w", err)
	}
	if isTemplate(k) {
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
		return "", fault.OnField(fault.UnsupportedType, "content", "%s is no picture that this server reads, expected JPEG, PNG, WebP, GIF, AVIF, HEIC, TIFF, JPEG XL, JPEG 2000 or SVG", k.Name())
	}
	if g.config.Probe == nil {
		return f.ContentType(), nil
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return "", fmt.Errorf("reading an upload: %w", err)
	}
	return f.ContentType(), onContent(g.config.Probe(ctx, imaging.Source{Name: k.Name(), Size: size, Reader: r}))
}

// onContent names the argument at fault where the error names none.
func onContent(err error) error {
	if f := fault.Of(err); f != nil && f.Field == "" && f.Code != fault.Internal {
		named := *f
		named.Field = "content"
		return &named
	}
	return err
}
