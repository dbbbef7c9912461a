package graph

import (
	"cmp"
	"context"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/archive"
	"github.com/safelight/safelight/graph/model"
)

// CreateArchive resolves createArchive.
func (m mutation) CreateArchive(ctx context.Context, in model.CreateArchiveInput) (*model.CreateArchivePayload, error) {
	made, err := m.createArchive(ctx, in)
	p := &model.CreateArchivePayload{Archive: made}
	return p, refuse(&p.UserErrors, err)
}

func (m mutation) createArchive(ctx context.Context, in model.CreateArchiveInput) (*archive.Archive, error) {
	name := value(in.Name.Value())
	if in.AlbumID.Value() == nil {
		return m.rules.Archives.Create(ctx, in.Paths, name)
	}
	if len(in.Paths) > 0 {
		return nil, fault.OnField(fault.Invalid, "paths", "there are %d paths and an album, expected one of them",
			len(in.Paths))
	}
	album, err := m.album(ctx, *in.AlbumID.Value(), "albumId")
	if err != nil {
		return nil, err
	}
	paths, err := album.Paths(ctx)
	if err != nil {
		return nil, err
	}
	return m.rules.Archives.CreateAlbum(ctx, paths, cmp.Or(name, archive.NameOf(album.Title())))
}
