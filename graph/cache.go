package graph

import (
	"context"

	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/gallery/purges"
	"github.com/safelight/safelight/graph/model"
)

// CacheStatus resolves cacheStatus.
func (q query) CacheStatus(context.Context) (*model.CacheStatus, error) {
	s := q.rules.Gallery.CacheStatus()
	remote := cacheTier(s.Remote)
	if remote != nil {
		remote.Entries, remote.Bytes, remote.MaxBytes = nil, nil, nil
	}
	return &model.CacheStatus{Enabled: s.Enabled, Memory: cacheTier(s.Memory), Files: cacheTier(s.Files), S3: remote,
		Misses: s.Misses, Stored: s.Stored, Dropped: s.Dropped, Queued: count(s.Waiting)}, nil
}

func cacheTier(t cache.TierStats) *model.CacheTier {
	if !t.On {
		return nil
	}
	return &model.CacheTier{
		Entries:  &t.Entries,
		Bytes:    &t.Bytes,
		MaxBytes: &t.MaxBytes,
		Hits:     t.Hits,
		Evicted:  t.Evicted,
		Corrupt:  t.Damaged,
		Failed:   t.Failed,
		Paused:   t.Paused,
	}
}

// PurgeCache resolves purgeCache.
func (m mutation) PurgeCache(ctx context.Context, input model.PurgeCacheInput) (*model.PurgeCachePayload, error) {
	p, err := m.rules.Gallery.PurgeCache(ctx, purges.Input{
		Path:     value(input.Path.Value()),
		Folder:   input.Folder.Value(),
		Tag:      value(input.Tag.Value()),
		Preset:   value(input.Preset.Value()),
		Template: value(input.Template.Value()),
		All:      value(input.All.Value()),
	})
	refused, err := userErrors(err)
	if err != nil {
		return nil, err
	}
	payload := &model.PurgeCachePayload{UserErrors: refused}
	if p != nil {
		payload.Purged = &model.PurgedResults{
			Memory: count(p.Memory),
			Files:  count(p.Files),
			S3:     count(p.Remote),
			Bytes:  p.Bytes,
		}
	}
	return payload, nil
}
