package graph

import (
	"context"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/graph/model"
)

// Albums resolves albums.
func (q query) Albums(
	ctx context.Context, own bool, search string, first *int32, after *string,
) (*model.AlbumConnection, error) {
	last, err := albumCursors.parse(after)
	if err != nil {
		return nil, err
	}
	p, err := q.rules.Gallery.Albums(ctx, gallery.AlbumOptions{
		Own: own, Search: search, First: sizeOf(first, defaultPage), After: last,
	})
	return connection(p, albumCursors, err)
}

// Album resolves album.
func (q query) Album(ctx context.Context, id string) (*gallery.Album, error) {
	return q.album(ctx, id, "id")
}

// album returns the album with an id of the API.
func (r *resolver) album(ctx context.Context, id, field string) (*gallery.Album, error) {
	parsed, err := parseID(id, field)
	if err != nil {
		return nil, err
	}
	a, err := r.rules.Gallery.Album(ctx, parsed)
	return a, fault.WithField(err, field)
}

// CreateAlbum resolves createAlbum.
func (m mutation) CreateAlbum(ctx context.Context, in model.CreateAlbumInput) (*model.AlbumPayload, error) {
	c := gallery.ChangeAlbum{
		Title: &in.Title, Description: &in.Description, Visibility: &in.Visibility,
		Sort: in.Sort.Value(), Descending: descending(in.Order.Value()),
	}
	err := m.copyRules(ctx, &c, in.SavedSearchID.Value())
	var album *gallery.Album
	if err == nil {
		album, err = m.rules.Gallery.CreateAlbum(ctx, c)
	}
	return albumPayload(album, err)
}

// UpdateAlbum resolves updateAlbum.
func (m mutation) UpdateAlbum(ctx context.Context, in model.UpdateAlbumInput) (*model.AlbumPayload, error) {
	c := gallery.ChangeAlbum{
		Title: in.Title.Value(), Description: in.Description.Value(), Visibility: in.Visibility.Value(),
		Cover: in.CoverPath.Value(), Sort: in.Sort.Value(), Descending: descending(in.Order.Value()),
	}
	id, err := parseID(in.ID, "id")
	if err == nil {
		err = m.copyRules(ctx, &c, in.SavedSearchID.Value())
	}
	var album *gallery.Album
	if err == nil {
		album, err = m.rules.Gallery.UpdateAlbum(ctx, id, c)
	}
	return albumPayload(album, err)
}

func descending(o *model.SortOrder) *bool {
	if o == nil {
		return nil
	}
	down := *o == model.SortOrderDesc
	return &down
}

// copyRules copies a saved search of the caller to the rules of an album. It also copies the order of the
// search, unless the change sets one.
func (m mutation) copyRules(ctx context.Context, c *gallery.ChangeAlbum, id *string) error {
	if id == nil {
		return nil
	}
	parsed, err := parseID(*id, "savedSearchId")
	if err != nil {
		return err
	}
	s, err := m.rules.Accounts.SavedSearch(ctx, parsed)
	if err != nil {
		return fault.WithField(err, "savedSearchId")
	}
	c.Rules = &gallery.AlbumRules{Folder: s.Folder, Recursive: s.Recursive, Search: s.Search, Filter: s.Filter}
	if c.Sort == nil {
		sort := gallery.Sort(s.Sort)
		c.Sort, c.Descending = &sort, &s.Descending
	}
	return nil
}

func albumPayload(album *gallery.Album, err error) (*model.AlbumPayload, error) {
	p := &model.AlbumPayload{}
	if err == nil {
		p.Album = album
	}
	return p, refuse(&p.UserErrors, err)
}

// DeleteAlbum resolves deleteAlbum.
func (m mutation) DeleteAlbum(ctx context.Context, in model.DeleteAlbumInput) (*model.DeleteAlbumPayload, error) {
	id, err := byID(ctx, in.ID, "id", m.rules.Gallery.DeleteAlbum)
	p := &model.DeleteAlbumPayload{DeletedID: id}
	return p, refuse(&p.UserErrors, err)
}

// AddToAlbum resolves addToAlbum.
func (m mutation) AddToAlbum(ctx context.Context, in model.AddToAlbumInput) (*model.AlbumFilesPayload, error) {
	id, err := parseID(in.ID, "id")
	if err != nil {
		return albumFiles(nil, nil, err)
	}
	return albumFiles(m.rules.Gallery.AddToAlbum(ctx, id, in.Paths, in.Places))
}

// RemoveFromAlbum resolves removeFromAlbum.
func (m mutation) RemoveFromAlbum(
	ctx context.Context, in model.RemoveFromAlbumInput,
) (*model.AlbumFilesPayload, error) {
	id, err := parseID(in.ID, "id")
	if err != nil {
		return albumFiles(nil, nil, err)
	}
	return albumFiles(m.rules.Gallery.RemoveFromAlbum(ctx, id, in.Paths))
}

// MoveInAlbum resolves moveInAlbum.
func (m mutation) MoveInAlbum(ctx context.Context, in model.MoveInAlbumInput) (*model.AlbumFilesPayload, error) {
	id, err := parseID(in.ID, "id")
	if err != nil {
		return albumFiles(nil, nil, err)
	}
	return albumFiles(m.rules.Gallery.MoveInAlbum(ctx, id, in.Paths, in.Before))
}

func albumFiles(a *gallery.Album, results []*gallery.BulkResult, err error) (*model.AlbumFilesPayload, error) {
	p := &model.AlbumFilesPayload{Results: []*gallery.BulkResult{}}
	if err == nil {
		p.Album, p.Results = a, results
	}
	return p, refuse(&p.UserErrors, err)
}

// AlbumChanges resolves albumChanges.
func (s subscription) AlbumChanges(ctx context.Context, id *string) (<-chan *model.AlbumChange, error) {
	parsed, err := parseOptionalID(id, "id")
	if err != nil {
		return nil, err
	}
	ids, err := s.rules.Gallery.WatchAlbums(ctx, parsed)
	if err != nil {
		return nil, err
	}
	return events(ctx, ids, func(id string) *model.AlbumChange { return &model.AlbumChange{AlbumID: optional(id)} }),
		nil
}

// events converts the ids from a channel to events of a subscription, until the channel is closed or ctx
// ends.
func events[T any](ctx context.Context, ids <-chan string, event func(id string) *T) <-chan *T {
	changes := make(chan *T)
	go func() {
		defer close(changes)
		for id := range ids {
			select {
			case <-ctx.Done():
				return
			case changes <- event(id):
			}
		}
	}()
	return changes
}

type albums struct{}

// Order resolves Album.order.
func (albums) Order(_ context.Context, a *gallery.Album) (model.SortOrder, error) {
	if a.Descending() {
		return model.SortOrderDesc, nil
	}
	return model.SortOrderAsc, nil
}

// Files resolves Album.files.
func (albums) Files(
	ctx context.Context, a *gallery.Album, first *int32, after *string, skip *int32,
) (*gallery.FileConnection, error) {
	return a.Files(ctx, gallery.AlbumPage{First: first, After: value(after), Skip: value(skip)})
}

type albumRules struct{}

// Filter resolves AlbumRules.filter.
func (albumRules) Filter(_ context.Context, r *gallery.AlbumRules) (map[string]any, error) {
	return filterObject(r.Filter)
}
