package server

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage/remote"
)

// openSources opens the picture that the URL names and those of its layers. What it opened, p.close
// closes, after an error too.
func (s *Server) openSources(ctx context.Context, p *picture) error {
	layers, err := imaging.Layers(p.request.Operations, p.limits)
	if err != nil {
		return err
	}
	ctx, opened := loading(ctx, s.config.LoadTimeout)
	defer opened()
	if p.source, err = s.openSource(ctx, p, p.request.Image); err != nil {
		return err
	}
	for _, image := range layers {
		if imaging.IsCanvas(image) {
			if _, err := imaging.ParseCanvas(image); err != nil {
				return err
			}
			continue
		}
		src, err := s.openSource(ctx, p, image)
		if err != nil {
			return err
		}
		if p.source.Layers == nil {
			p.source.Layers = make(map[string]imaging.Source, len(layers))
		}
		p.source.Layers[image] = src
	}
	return nil
}

// openSource opens one picture, and adds what names its bytes to p.versions.
func (s *Server) openSource(ctx context.Context, p *picture, image string) (imaging.Source, error) {
	switch {
	case imaging.IsRemote(image):
		return s.fetchSource(ctx, p, image)
	case imaging.IsCanvas(image):
		colour, err := imaging.ParseCanvas(image)
		p.version(time.Time{}, "canvas")
		return imaging.Source{Name: image, Canvas: &colour}, err
	}
	object, err := s.Gallery.OpenImage(ctx, image)
	if err != nil {
		return imaging.Source{}, late(ctx, err)
	}
	p.opened = append(p.opened, object)
	st := object.Stat()
	p.version(st.Modified, fmt.Sprintf("%s %d", st.ETag, st.Size))
	return imaging.Source{Name: image, Size: st.Size, Reader: object}, checkBytes(st.Size, p.limits.MaxSourceBytes)
}

// fetchSource fetches a remote picture.
func (s *Server) fetchSource(ctx context.Context, p *picture, url string) (imaging.Source, error) {
	o, err := s.fetch(ctx, p, url)
	if err != nil {
		return imaging.Source{}, late(ctx, err)
	}
	size := int64(len(o.Data))
	p.version(o.ModTime, fmt.Sprintf("remote %s %d", o.ETag, size))
	return imaging.Source{Name: withoutQuery(url), Size: size, Reader: bytes.NewReader(o.Data)}, nil
}

// fetch asks the host for a picture. All that a request fetches may be as long as one source may be.
func (s *Server) fetch(ctx context.Context, p *picture, url string) (*remote.Object, error) {
	if s.Remote == nil {
		return nil, fault.OnField(fault.Invalid, "image", "remote images are off, expected a path in the storage")
	}
	release, err := s.loads.acquire(ctx)
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

// version notes what names the bytes of a source, and when they were written; zero when nobody knows.
func (p *picture) version(modified time.Time, name string) {
	p.versions = append(p.versions, name)
	p.dates = append(p.dates, modified)
}

// loading returns a context that ends when loading takes longer than that. After opened it lives on:
// a storage over a network reads with the context it was opened with.
func loading(ctx context.Context, most time.Duration) (_ context.Context, opened func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(most, func() { cancel(context.DeadlineExceeded) })
	return ctx, func() { timer.Stop() }
}

// late makes what failed because loading took too long a timeout.
func late(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ended(ctx)
	}
	return err
}

// withoutQuery leaves out of a URL what may hold a secret, for messages and file names.
func withoutQuery(url string) string {
	url, _, _ = strings.Cut(url, "?")
	return url
}

func checkBytes(size, most int64) error {
	if most > 0 && size > most {
		return fault.New(fault.TooLarge, "the source has %d bytes, expected at most %d", size, most)
	}
	return nil
}

func (p *picture) close() {
	for _, one := range p.opened {
		one.Close()
	}
	p.opened = nil
}

// head returns the first bytes of the main source, enough to tell its format; none for a canvas.
func (p *picture) head() ([]byte, error) {
	if p.source.Reader == nil {
		return nil, nil
	}
	head := make([]byte, imaging.SniffLength)
	n, err := io.ReadFull(p.source.Reader, head)
	if err != nil && n == 0 {
		return nil, fault.New(fault.UnsupportedType, "the source is empty, expected a picture")
	}
	return head[:n], nil
}
