package graph

import (
	"context"
	"reflect"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/uploads"
)

type subscription struct{ *resolver }

// FolderChanges resolves folderChanges.
func (s subscription) FolderChanges(
	ctx context.Context,
	folder string,
	recursive bool,
) (<-chan *gallery.FolderChange, error) {
	changes, err := s.rules.Gallery.WatchFolder(ctx, folder, recursive)
	return changes, fault.WithField(err, "folder")
}

// IndexStatus resolves indexStatus.
func (s subscription) IndexStatus(ctx context.Context) (<-chan *gallery.IndexStatus, error) {
	type state struct {
		scan    gallery.Scan
		pending int32
	}
	return poll(ctx, func(ctx context.Context) (*gallery.IndexStatus, any, bool, error) {
		status, err := s.rules.Gallery.SharedStatus(ctx, pollInterval)
		if err != nil {
			return nil, nil, false, err
		}
		pending, err := status.PendingFiles(ctx)
		return status, state{value(status.Scan), pending}, false, err
	})
}

// Upload resolves upload.
func (s subscription) Upload(ctx context.Context, id string) (<-chan *uploads.PendingUpload, error) {
	return poll(ctx, func(ctx context.Context) (*uploads.PendingUpload, any, bool, error) {
		u, err := s.rules.Uploads.Upload(ctx, id)
		if err != nil {
			return nil, nil, false, err
		}
		return u, []any{u.State, u.ReceivedBytes}, u.State == uploads.UploadDone, nil
	})
}

// pollInterval is how often a subscription checks for changes that may come from another server.
const pollInterval = 500 * time.Millisecond

// poll sends a value immediately and whenever its state changes, until the state is final, the value no
// longer exists or ctx ends. It returns an error if the value does not exist at the start.
func poll[T any](
	ctx context.Context,
	read func(context.Context) (v T, state any, last bool, err error),
) (<-chan T, error) {
	v, state, last, err := read(ctx)
	if err != nil {
		return nil, err
	}
	values := make(chan T)
	go func() {
		defer close(values)
		tick := time.NewTicker(pollInterval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case values <- v:
			}
			if last {
				return
			}
			for changed := false; !changed; {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				next, now, end, err := read(ctx)
				if fault.CodeOf(err) == fault.NotFound {
					return
				}
				if err != nil {
					continue // the next attempt may succeed
				}
				changed = !reflect.DeepEqual(state, now)
				v, state, last = next, now, end
			}
		}
	}()
	return values, nil
}
