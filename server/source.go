package server

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// openSources opens the picture that the URL names and those of its layers. What it opened, p.close
// closes, after an error too.
func (s *Server) openSources(ctx context.Context, p *picture) error {
	layers, err := imaging.Layers(p.request.Operations, p.limits)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.config.LoadTimeout)
	defer cancel()
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
		p.versions = append(p.versions, "canvas")
		return imaging.Source{Name: image, Canvas: &colour}, err
	}
	object, err := s.Gallery.OpenImage(ctx, image)
	if err != nil {
		return imaging.Source{}, err
	}
	p.opened = append(p.opened, object)
	st := object.Stat()
	p.versions = append(p.versions, fmt.Sprintf("%s %d", st.ETag, st.Size))
	return imaging.Source{Name: image, Size: st.Size, Reader: object}, checkBytes(st.Size, p.limits.MaxSourceBytes)
}

// fetchSource fetches a remote picture. All that a request fetches may be as long as one source may be.
func (s *Server) fetchSource(ctx context.Context, p *picture, url string) (imaging.Source, error) {
	if s.Remote == nil {
		return imaging.Source{}, fault.OnField(fault.Invalid, "image", "remote images are off, expected a path in the storage")
	}
	release, err := s.loads.acquire(ctx)
	if err != nil {
		return imaging.Source{}, err
	}
	defer release()
	o, err := s.Remote.Fetch(ctx, url)
	if err != nil {
		return imaging.Source{}, err
	}
	size := int64(len(o.Data))
	p.fetched += size
	p.versions = append(p.versions, fmt.Sprintf("remote %s %d", o.ETag, size))
	return imaging.Source{Name: withoutQuery(url), Size: size, Reader: bytes.NewReader(o.Data)}, checkBytes(p.fetched, p.limits.MaxSourceBytes)
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
