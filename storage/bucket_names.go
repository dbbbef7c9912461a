package storage

import (
	"context"
	"strings"
)

// Copy implements Store. A folder is copied object by object; when that fails half-way, what was
// copied is taken back.
func (s *bucket) Copy(ctx context.Context, from, to Key) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	pairs, err := s.copyAll(ctx, from, to)
	if err != nil {
		s.deleteAll(context.WithoutCancel(ctx), pairs, to)
	}
	return err
}

// Move implements Store: a copy, then a delete. After a crash between the two both are there, and nothing is lost.
func (s *bucket) Move(ctx context.Context, from, to Key) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	copied, err := s.copyAll(ctx, from, to)
	if err != nil {
		s.deleteAll(context.WithoutCancel(ctx), copied, to)
		return err
	}
	names, err := s.below(ctx, from)
	if err != nil {
		return err
	}
	return s.deleteAll(context.WithoutCancel(ctx), names, from)
}

// copyAll returns the names that it made.
func (s *bucket) copyAll(ctx context.Context, from, to Key) (made []string, err error) {
	if from == "" || to == "" {
		return nil, isRoot()
	}
	names, err := s.below(ctx, from)
	if err != nil {
		return nil, err
	}
	if from != to && from.Holds(to) {
		return nil, intoItself(from)
	}
	if err := s.free(ctx, to, false); err != nil {
		return nil, err
	}
	for _, name := range names {
		target := string(to) + strings.TrimPrefix(name, string(from))
		if err := s.copyOne(ctx, name, target); err != nil {
			return made, translateObject(err, from)
		}
		made = append(made, target)
	}
	return made, nil
}

// copyOne copies an object. The marker of a folder is made anew: some S3 servers refuse to copy one.
func (s *bucket) copyOne(ctx context.Context, name, target string) error {
	if strings.HasSuffix(name, "/") {
		return s.mark(ctx, target)
	}
	return s.o.copy(ctx, name, target)
}

// below returns the object k, or every object in the folder k with its marker.
func (s *bucket) below(ctx context.Context, k Key) ([]string, error) {
	st, err := s.Stat(ctx, k)
	if err != nil {
		return nil, err
	}
	if !st.IsFolder {
		return []string{string(k)}, nil
	}
	var names []string
	err = eachObject(ctx, s.o, string(k)+"/", "", func(o objectInfo) { names = append(names, o.name) })
	return names, translateObject(err, k)
}

// deleteAll removes objects, the last first, so that a folder's marker outlives what it holds.
func (s *bucket) deleteAll(ctx context.Context, names []string, k Key) error {
	for i := len(names) - 1; i >= 0; i-- {
		if err := s.o.remove(ctx, names[i]); err != nil {
			return translateObject(err, k)
		}
	}
	return nil
}

// Delete implements Store.
func (s *bucket) Delete(ctx context.Context, k Key) error {
	if k == "" {
		return isRoot()
	}
	names, err := s.below(ctx, k)
	if err != nil {
		return err
	}
	return s.deleteAll(ctx, names, k)
}
