package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/server/admission"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/storage/remote"
)

// part is one of the sources of a result: the picture in the URL, or a layer.
type part struct {
	image    string
	version  string // identifies the bytes
	etag     string // ETag of the storage or the remote server; empty for a canvas
	size     int64
	modified time.Time // zero if unknown
	data     []byte    // bytes of a remote picture; nil for a file
	canvas   *imaging.Colour
}

// errChanged reports that a source or a font was replaced during the request.
var errChanged = errors.New("the source has changed")

// resolve finds the sources and their versions, without opening files.
func (s *Server) resolve(ctx context.Context, p *picture) error {
	layers, err := imaging.Layers(imaging.Operations{Filters: p.request.Operations.Filters}, s.config.Limits)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.config.LoadTimeout)
	defer cancel()
	p.parts, p.fetched = nil, 0
	for i, image := range append([]string{p.request.Image}, layers...) {
		one, err := s.resolvePart(ctx, p, image)
		if err != nil {
			return loadError(ctx, err)
		}
		if i > 0 && one.canvas != nil {
			continue // its path alone identifies the source
		}
		p.parts = append(p.parts, one)
	}
	p.fonts, err = s.Fonts.Of(p.request.Operations)
	return err
}

func (s *Server) resolvePart(ctx context.Context, p *picture, image string) (part, error) {
	switch {
	case imaging.IsRemote(image):
		return s.fetchPart(ctx, p, image, image)
	case imaging.IsCanvas(image):
		colour, err := imaging.ParseCanvas(image)
		return part{image: image, version: "canvas", canvas: &colour}, err
	}
	st, err := files(ctx).Gallery.StatImage(ctx, image)
	if url, isRemote := withScheme(s.Remote, image, err); isRemote {
		return s.fetchPart(ctx, p, image, url)
	}
	if err != nil {
		return part{}, explainMissing(err, image)
	}
	return part{image: image, version: fileVersion(st.ETag, st.Size), etag: st.ETag, size: st.Size,
		modified: st.Modified}, checkBytes(st.Size, p.limits.MaxSourceBytes)
}

// explainMissing adds a hint to the error of a missing image if its path contains an operation in the wrong place.
func explainMissing(err error, image string) error {
	hint := imaging.Misplaced(image)
	f := fault.Of(err)
	if f.Code != fault.NotFound || hint == "" {
		return err
	}
	explained := *f
	explained.Message += ". " + hint
	return &explained
}

func fileVersion(etag string, size int64) string { return fmt.Sprintf("%s %d", etag, size) }

// withScheme returns the remote URL of an image that is not in the storage and whose first folder is an allowed host,
// because URLs of thumbor and imagor omit the scheme. missing is the storage's error; f is nil if remote images are
// off.
func withScheme(f *remote.Fetcher, image string, missing error) (url string, isRemote bool) {
	host, _, more := strings.Cut(image, "/")
	if fault.CodeOf(missing) != fault.NotFound || f == nil || !more || !strings.ContainsAny(host, ".:") {
		return "", false
	}
	url = "https://" + image
	return url, f.Allowed(url) == nil
}

// fetchPart fetches the remote picture that image names.
func (s *Server) fetchPart(ctx context.Context, p *picture, image, url string) (part, error) {
	o, err := s.fetch(ctx, p, url)
	if err != nil {
		return part{}, err
	}
	size := int64(len(o.Data))
	return part{image: image, version: fmt.Sprintf("remote %s %d", o.ETag, size), etag: o.ETag, size: size,
		modified: o.ModTime, data: o.Data}, nil
}

// fetch downloads a picture. The downloads of a request together may not exceed the size limit of a source.
func (s *Server) fetch(ctx context.Context, p *picture, url string) (*remote.Object, error) {
	if s.Remote == nil {
		return nil, fault.OnField(fault.Invalid, "image", "remote images are off, expected a path in the storage")
	}
	release, err := s.sourceDownloads.Enter(ctx, admission.Work{Client: clientOf(ctx)})
	if err != nil {
		return nil, err
	}
	defer release()
	o, err := s.Remote.Fetch(ctx, url)
	if err != nil {
		return nil, err
	}
	p.fetched += int64(len(o.Data))
	return o, checkBytes(p.fetched, p.limits.MaxSourceBytes)
}

// openSources opens the sources that resolve has found. The caller must call p.close, even after an error. It returns
// errChanged if a file has changed in the meantime.
func (s *Server) openSources(ctx context.Context, p *picture) error {
	ctx = p.load(ctx, s.config.LoadTimeout)
	defer p.timer.Stop()
	for i, one := range p.parts {
		src, err := s.openPart(ctx, p, one)
		if err != nil {
			return err
		}
		if i == 0 {
			p.source = src
			continue
		}
		if p.source.Layers == nil {
			p.source.Layers = make(map[string]imaging.Source, len(p.parts))
		}
		p.source.Layers[one.image] = src
	}
	p.source.Fonts = p.fonts
	return nil
}

func (s *Server) openPart(ctx context.Context, p *picture, one part) (imaging.Source, error) {
	switch {
	case one.canvas != nil:
		return imaging.Source{Name: one.image, Canvas: one.canvas}, nil
	case one.data != nil:
		return imaging.Source{Name: withoutQuery(one.image), Size: one.size, Reader: imaging.NewMemoryFile(one.data),
			Version: one.image + " " + one.version}, nil
	}
	object, err := files(ctx).Gallery.OpenImageVersion(ctx, one.image, one.etag, one.size)
	if storage.IsChanged(err) {
		return imaging.Source{}, errChanged
	}
	if err != nil {
		return imaging.Source{}, loadError(ctx, err)
	}
	p.opened = append(p.opened, object)
	return imaging.Source{Name: one.image, Size: one.size, Reader: object, Version: one.image + " " + one.version}, nil
}

// load returns a context for opening sources, which ends after the timeout unless p.timer is stopped. It has no
// deadline, because network storage keeps using the context of the open call for later reads.
func (p *picture) load(ctx context.Context, timeout time.Duration) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	p.loading, p.timer = ctx, time.AfterFunc(timeout, func() { cancel(context.DeadlineExceeded) })
	return ctx
}

// loadError returns fault.Timeout or fault.Canceled if ctx has ended, else err.
func loadError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return admission.ContextError(ctx)
	}
	return err
}

// withoutQuery removes the query, which may contain a secret, from a URL for messages and file names.
func withoutQuery(url string) string {
	url, _, _ = strings.Cut(url, "?")
	return url
}

func checkBytes(size, limit int64) error {
	if limit > 0 && size > limit {
		return fault.New(fault.TooLarge, "the source has %d bytes, expected at most %d", size, limit)
	}
	return nil
}

func (p *picture) close() {
	for _, one := range p.opened {
		one.Close()
	}
	for _, release := range p.releases {
		release()
	}
	p.opened, p.releases = nil, nil
}
