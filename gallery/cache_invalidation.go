package gallery

import (
	"context"
	"io"
	"slices"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/ent/tagging"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/purges"
	"github.com/safelight/safelight/gallery/tokenizer"
	"github.com/safelight/safelight/storage"
)

// Results is the result cache. *cache.Cache implements it, even if it is nil.
type Results interface {
	Purge(context.Context, cache.Selection) (cache.Purged, error)
	StartPurge(cache.Selection) (finish func(context.Context) (cache.Purged, error))
	Stats() cache.Stats
}

// CacheStatus holds the statistics of the result cache since the start.
type CacheStatus struct {
	Enabled bool
	cache.Stats
}

// CacheStatus describes the use of the result cache.
func (g *Gallery) CacheStatus() *CacheStatus {
	if g.config.Results == nil {
		return &CacheStatus{}
	}
	s := g.config.Results.Stats()
	return &CacheStatus{Enabled: s.Memory.On || s.Files.On || s.Remote.On, Stats: s}
}

// PurgeCache removes results from the cache and counts them. The next request renders them again. It returns
// fault.Invalid unless exactly one field of in is set.
func (g *Gallery) PurgeCache(ctx context.Context, in purges.Input) (*cache.Purged, error) {
	s, err := in.Selection()
	if err == nil && in.Tag != "" {
		s.Files, err = g.index.tagged(ctx, in.Tag)
	}
	if err != nil {
		return nil, err
	}
	g.Versions.Forget(s)
	if g.config.Results == nil {
		return &cache.Purged{}, nil
	}
	p, err := g.config.Results.Purge(ctx, s)
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "a part of the cache did not respond, try again")
	}
	facts := in.Facts()
	facts["memory"], facts["files"], facts["s3"] = p.Memory, p.Files, p.Remote
	g.audit.RecordDone(ctx, audit.Event{Action: audit.ActionCachePurge, Target: "cache", After: facts})
	return &p, nil
}

// tagged returns the paths of the files with a tag.
func (x *index) tagged(ctx context.Context, tag string) ([]string, error) {
	var ids []int
	err := x.db.Tagging.Query().Where(tagging.Key(tokenizer.Fold(tag))).Select(tagging.FieldEntryID).Scan(ctx, &ids)
	if err != nil {
		return nil, database.Translate(err)
	}
	var paths []string
	for part := range slices.Chunk(ids, 500) { // databases limit the arguments of a query
		rows, err := x.db.Entry.Query().Where(entry.IDIn(part...)).Select(entry.FieldPath).Strings(ctx)
		if err != nil {
			return nil, database.Translate(err)
		}
		paths = append(paths, rows...)
	}
	return paths, nil
}

// invalidateSources invalidates the results of these files, and of files in these folders. It logs errors.
func (g *Gallery) invalidateSources(ctx context.Context, keys ...storage.Key) {
	var s cache.Selection
	for _, k := range keys {
		if k.IsHidden() {
			continue // image URLs cannot name it
		}
		s.Files = append(s.Files, string(k))
		s.Folders = append(s.Folders, string(k))
	}
	if s.Files == nil {
		return
	}
	g.Versions.Forget(s)
	if g.config.Results == nil {
		return
	}
	aside := context.WithoutCancel(ctx)
	finish := g.config.Results.StartPurge(s)
	go func() {
		if _, err := finish(aside); err != nil {
			g.log.WarnContext(aside, "cached results of changed files were not removed", "error", err)
		}
	}()
}

// invalidatingStore invalidates the cached results of files that are changed through it.
type invalidatingStore struct {
	storage.Store
	gallery *Gallery
}

// invalidating wraps store with cache invalidation. The result implements storage.Watched if store does.
func (g *Gallery) invalidating(store storage.Store) storage.Store {
	n := invalidatingStore{store, g}
	if w, ok := store.(storage.Watched); ok {
		return struct {
			invalidatingStore
			storage.Watched
		}{n, w}
	}
	return n
}

// Unwrap returns the storage itself: listings need no invalidation.
func (w invalidatingStore) Unwrap() storage.Store { return w.Store }

// Create implements storage.Store.
func (w invalidatingStore) Create(
	ctx context.Context,
	k storage.Key,
	r io.Reader,
	o storage.CreateOptions,
) (storage.Stat, error) {
	defer w.gallery.invalidateSources(ctx, k)
	return w.Store.Create(ctx, k, r, o)
}

// Copy implements storage.Store.
func (w invalidatingStore) Copy(ctx context.Context, from, to storage.Key) error {
	defer w.gallery.invalidateSources(ctx, to)
	return w.Store.Copy(ctx, from, to)
}

// Move implements storage.Store.
func (w invalidatingStore) Move(ctx context.Context, from, to storage.Key) error {
	defer w.gallery.invalidateSources(ctx, from, to) // after an error too, because part of a folder may have moved
	return w.Store.Move(ctx, from, to)
}

// Delete implements storage.Store.
func (w invalidatingStore) Delete(ctx context.Context, k storage.Key) error {
	defer w.gallery.invalidateSources(ctx, k)
	return w.Store.Delete(ctx, k)
}
