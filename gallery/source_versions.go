package gallery

import (
	"context"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// StatImage describes the file that an image URL names: fault.NotFound for folders and hidden files, as for OpenImage. It answers
// from memory for Config.SourceCheck.
func (g *Gallery) StatImage(ctx context.Context, image string) (storage.Stat, error) {
	if s, ok := g.Versions.Get(image, g.config.Now()); ok {
		return s, nil
	}
	k, err := imageKey(image)
	if err != nil {
		return storage.Stat{}, err
	}
	asked := g.Versions.Changes()
	s, err := g.store.Stat(ctx, k)
	if err != nil {
		return s, err
	}
	if s.IsFolder {
		return s, fault.OnField(fault.NotFound, "path", "%s is a folder, expected a file", k)
	}
	g.Versions.Put(image, s, asked, g.config.Now())
	return s, nil
}

// IsImageUnchanged reports whether the file that an image URL names certainly still is the one that StatImage described with that ETag and
// size. false says nothing.
func (g *Gallery) IsImageUnchanged(image, tag string, size int64) bool {
	return g.Versions.Age <= 0 && storage.IsUnchanged(g.store, storage.Key(image), tag, size)
}
