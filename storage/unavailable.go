package storage

import (
	"context"
	"io"
	"iter"
)

// NewUnavailable returns a store whose methods return err, except for Close, which returns nil. It stands in for a
// storage that cannot be opened with the current settings.
func NewUnavailable(err error) Store { return unavailable{err} }

type unavailable struct{ err error }

// Open returns the error.
func (u unavailable) Open(context.Context, Key) (Object, error) { return nil, u.err }

// Create returns the error.
func (u unavailable) Create(context.Context, Key, io.Reader, CreateOptions) (Stat, error) {
	return Stat{}, u.err
}

// CreateFolder returns the error.
func (u unavailable) CreateFolder(context.Context, Key) error { return u.err }

// Stat returns the error.
func (u unavailable) Stat(context.Context, Key) (Stat, error) { return Stat{}, u.err }

// List yields the error.
func (u unavailable) List(context.Context, Key, ListOptions) iter.Seq2[Stat, error] {
	return func(yield func(Stat, error) bool) { yield(Stat{}, u.err) }
}

// Copy returns the error.
func (u unavailable) Copy(context.Context, Key, Key) error { return u.err }

// Move returns the error.
func (u unavailable) Move(context.Context, Key, Key) error { return u.err }

// Delete returns the error.
func (u unavailable) Delete(context.Context, Key) error { return u.err }

// Check returns the error.
func (u unavailable) Check(context.Context) error { return u.err }

// Close does nothing.
func (u unavailable) Close() error { return nil }
