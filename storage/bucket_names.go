package storage

import (
	"context"
	"errors"
	"slices"
	"sort"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/safelight/safelight/fault"
)

const (
	maxParallel = 16 // concurrent requests of one copy, move or delete
	maxRecopies = 3  // attempts for an object that is replaced while it is copied
)

// Copy implements Store. A folder is copied object by object; after an error, the copies are removed.
func (s *bucket) Copy(ctx context.Context, from, to Key) error {
	_, err := s.copyAll(ctx, from, to)
	return err
}

// Move implements Store: it copies, then deletes the versions that it has copied. Objects that another writer replaces
// or adds in the meantime stay at the old name. After a crash between the two steps, both names exist and nothing is
// lost.
func (s *bucket) Move(ctx context.Context, from, to Key) error {
	copied, err := s.copyAll(ctx, from, to)
	if err != nil {
		return err
	}
	s.folders.invalidate()
	return translateObject(s.removeAll(context.WithoutCancel(ctx), copied), from)
}

// copyAll returns the versions that it has copied, or none of them after an error.
func (s *bucket) copyAll(ctx context.Context, from, to Key) ([]objectInfo, error) {
	if from == "" || to == "" {
		return nil, isRoot()
	}
	if o, ok := hintsIn(ctx).version(from); ok {
		copied, err := s.copyObjects(ctx, from, to, []objectInfo{o}, false)
		if fault.CodeOf(err) != fault.NotFound {
			return copied, err
		} // the name may have become that of a folder
	}
	sources, isFolder, err := s.below(ctx, from)
	if err != nil {
		return nil, err
	}
	return s.copyObjects(ctx, from, to, sources, isFolder)
}

// copyObjects copies the object from, or all objects of the folder from, and returns the versions that it has copied.
func (s *bucket) copyObjects(
	ctx context.Context,
	from, to Key,
	sources []objectInfo,
	isFolder bool,
) (copied []objectInfo, err error) {
	if from != to && from.Holds(to) {
		return nil, intoItself(from)
	}
	if err := s.checkFree(ctx, to, false); err != nil {
		return nil, err
	}
	c := copying{o: s.o, sources: sources, made: make([]objectInfo, len(sources)), from: from, to: to}
	if isFolder {
		// Of two concurrent copies to this name, one fails to create the marker.
		if c.marker, err = s.createMarker(ctx, string(to)+"/"); errors.Is(err, errChanged) {
			return nil, exists(to)
		} else if err != nil {
			return nil, translateObject(err, to)
		}
	}
	if err := c.run(ctx, s.createMarker); err != nil {
		if e := s.removeAll(context.WithoutCancel(ctx), append(c.made, c.marker)); e != nil {
			return nil, errors.Join(err, translateObject(e, to))
		}
		return nil, err
	}
	s.folders.add(to.Parent())
	return c.sources, nil
}

// copying is the state of copying a file or folder.
type copying struct {
	o             objects
	from, to      Key
	marker        objectInfo // marker of the target folder; without a name if a file is copied
	sources, made []objectInfo
}

func (c *copying) run(ctx context.Context, mark func(context.Context, string) (objectInfo, error)) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxParallel)
	for i := range c.sources {
		group.Go(func() (err error) {
			if err := ctx.Err(); err != nil {
				return translate(err, c.from)
			}
			target := string(c.to) + strings.TrimPrefix(c.sources[i].name, string(c.from))
			if strings.HasSuffix(target, "/") { // some S3 servers cannot copy a marker
				if target != c.marker.name {
					c.made[i], err = mark(ctx, target)
				}
				if errors.Is(err, errChanged) {
					err = nil
				}
				return translateObject(err, c.to)
			}
			return c.one(ctx, i, target)
		})
	}
	return group.Wait()
}

// one copies an object, and retries if the object is replaced in the meantime. If an object of a folder is deleted in
// the meantime, it is skipped.
func (c *copying) one(ctx context.Context, i int, target string) error {
	for try := 1; ; try++ {
		if err := checkFence(ctx); err != nil {
			return err
		}
		made, err := c.o.copy(ctx, c.sources[i], target)
		if err == nil {
			c.made[i] = made
			return nil
		}
		if errors.Is(err, errChanged) {
			if _, e := c.o.head(ctx, target); e == nil {
				return exists(Key(target))
			}
			if try < maxRecopies {
				if c.sources[i], err = c.o.head(ctx, c.sources[i].name); err == nil {
					continue
				}
			}
		}
		if errors.Is(err, errMissing) && c.marker.name != "" {
			c.sources[i] = objectInfo{}
			return nil
		}
		return translateObject(err, c.from)
	}
}

// below returns the object k, or every object in the folder k including markers.
func (s *bucket) below(ctx context.Context, k Key) (all []objectInfo, isFolder bool, err error) {
	known := hintsIn(ctx)
	if !slices.Contains(known.Folders, k) {
		o, err := s.o.head(ctx, string(k))
		if err == nil {
			return []objectInfo{o}, false, nil
		}
		if !errors.Is(err, errMissing) || known.FilesOnly {
			return nil, false, translateObject(err, k)
		}
	}
	for o, err := range eachObject(ctx, s.o, string(k)+"/") {
		if err != nil {
			return nil, false, translateObject(err, k)
		}
		all = append(all, o)
	}
	if len(all) == 0 {
		return nil, false, notFound(k)
	}
	return all, true, nil
}

// removeAll deletes the given versions. Markers come last, so that no folder loses its marker before its content. It
// skips objects without a name, and objects that now have another version.
func (s *bucket) removeAll(ctx context.Context, all []objectInfo) error {
	var markers []objectInfo
	group, parallel := errgroup.WithContext(ctx)
	group.SetLimit(maxParallel)
	for _, o := range all {
		switch {
		case o.name == "":
		case strings.HasSuffix(o.name, "/"):
			markers = append(markers, o)
		default:
			group.Go(func() error { return s.removeOne(parallel, o) })
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	sort.Slice(markers, func(i, j int) bool { return markers[i].name > markers[j].name })
	for _, o := range markers {
		if err := s.removeOne(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

func (s *bucket) removeOne(ctx context.Context, o objectInfo) error {
	if err := checkFence(ctx); err != nil {
		return err
	}
	if err := s.o.remove(ctx, o); !errors.Is(err, errChanged) {
		return err
	}
	return nil
}

// Delete implements Store. Objects that are added to a folder in the meantime stay.
func (s *bucket) Delete(ctx context.Context, k Key) error {
	if k == "" {
		return isRoot()
	}
	all, _, err := s.below(ctx, k)
	if err != nil {
		return err
	}
	s.folders.invalidate()
	return translateObject(s.removeAll(ctx, all), k)
}
