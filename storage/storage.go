// Package storage keeps named byte sequences: one interface, drivers behind it, and
// storagetest, the suite that every driver must pass.
package storage

import (
	"context"
	"io"
	"time"
)

// Key names an object: relative, `/`-separated, NFC, without empty, `.` or `..` segments,
// NUL, backslash or control characters, each segment at most 255 bytes, the whole at most
// 1024. The empty key is the root folder. Make one with ParseKey only.
type Key string

// Stat describes an object or a folder.
type Stat struct {
	Key      Key
	Size     int64 // bytes; 0 for a folder
	Modified time.Time
	ETag     string // changes when the bytes change; opaque, without quotes; empty for a folder
	IsFolder bool
	// Linked is set by List for a folder that is reached through a symbolic link: its
	// contents are elsewhere too, and a walk through all folders skips it.
	Linked bool
}

// Object is an open object. It must be closed. Reads see the bytes of the moment it was
// opened or fail; they never mix two versions.
type Object interface {
	io.ReadSeekCloser
	Stat() Stat
}

// Near is an Object whose bytes are on this machine: reading it does not wait for a network.
type Near interface {
	Object
	// Near does nothing.
	Near()
}

// ListOptions says which part of a folder to list.
type ListOptions struct {
	Limit      int    // entries a page, 1..1000; 0 is 1000
	PageToken  string // from the page before; empty for the first
	ShowHidden bool   // names that start with a dot
}

// maxPage is the max number of entries in a page of a listing.
const maxPage = 1000

// PageSize returns the max number of entries in a page.
func (o ListOptions) PageSize() int {
	if o.Limit <= 0 || o.Limit > maxPage {
		return maxPage
	}
	return o.Limit
}

// Page is a part of a folder's entries, in byte order of their names; a bucket's folders stand where their names with a
// slash belong. NextToken is empty on the last.
type Page struct {
	Entries   []Stat
	NextToken string
}

// CreateOptions says how an object is written.
type CreateOptions struct {
	ContentType string // empty: unknown
	Overwrite   bool   // false: an existing object is fault.Conflict and stays as it was
	// Parts are files of the same store that hold the bytes of the reader, one after the other. S3 puts them together
	// itself, from these versions and without reading, unless a part but the last is smaller than 5 MiB; other stores
	// read. nil: the bytes are not stored yet.
	Parts []Stat
}

// Store holds objects. Every method is safe for concurrent use, honours ctx, and returns
// fault.NotFound for a key that is not there, fault.Conflict where something is in the way,
// fault.Invalid for a key that the driver cannot hold, and fault.Unavailable when the place
// behind it does not answer.
type Store interface {
	// Open opens an object for reading from its start.
	Open(ctx context.Context, key Key) (Object, error)
	// Create writes r's bytes under key, atomically: until it returns nil the object is not
	// there, or is the old one; after an error or a crash nothing half-written is visible. Parent
	// folders are made as needed. The time that a bucket returns is that of this machine's clock.
	Create(ctx context.Context, key Key, r io.Reader, opts CreateOptions) (Stat, error)
	// CreateFolder makes an empty folder and its parents; fault.Conflict when key exists.
	CreateFolder(ctx context.Context, key Key) error
	// Stat describes an object or a folder.
	Stat(ctx context.Context, key Key) (Stat, error)
	// List returns the entries directly in the folder key.
	List(ctx context.Context, key Key, opts ListOptions) (Page, error)
	// Copy copies an object or a folder with all that it holds; fault.Conflict when to exists.
	Copy(ctx context.Context, from, to Key) error
	// Move renames an object or a folder; fault.Conflict when to exists, fault.Invalid into itself.
	Move(ctx context.Context, from, to Key) error
	// Delete removes an object, or a folder with all that it holds.
	Delete(ctx context.Context, key Key) error
	// Check proves that the store can be reached; for readiness.
	Check(ctx context.Context) error
	// Close frees what the store holds.
	Close() error
}
