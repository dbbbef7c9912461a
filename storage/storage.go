// Package storage stores files under keys. It consists of one interface, Store, its drivers, and storagetest, the test
// suite that every driver must pass.
package storage

import (
	"context"
	"io"
	"iter"
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
	// Linked is set by List for a folder that is reached through a symbolic link: its contents also appear elsewhere,
	// so a walk through all folders skips it.
	Linked bool
}

// Object is an open object, which the caller must close. Reads return the bytes of the version that was opened, or
// fail; they never mix two versions.
type Object interface {
	io.ReadSeekCloser
	Stat() Stat
}

// Near is an Object whose bytes are on this machine: reading it does not wait for a network.
type Near interface {
	Object
	// Near is only a marker.
	Near()
}

// ListOptions selects the entries of a listing.
type ListOptions struct {
	ShowHidden bool // include names that start with a dot
}

// CreateOptions says how an object is written.
type CreateOptions struct {
	ContentType string // empty: unknown
	Overwrite   bool   // false: an existing object is kept, and the error is fault.Conflict
	// Parts are files of the same store whose concatenated bytes equal those of the reader; nil: none. S3 copies the
	// parts on the server instead of reading r, if all but the last one have at least 5 MiB. Other stores read r.
	Parts []Stat
}

// Store holds objects. Every method is safe for concurrent use and honors ctx. It returns fault.NotFound for a key
// that does not exist, fault.Conflict if an object exists at the key or at a parent of it, fault.Invalid for a key
// that the driver cannot store, and fault.Unavailable if the disk or the service does not respond.
type Store interface {
	// Open opens an object for reading from its start.
	Open(ctx context.Context, key Key) (Object, error)
	// Create writes r's bytes under key, atomically: until it returns nil, readers see no object or the old object.
	// After an error or a crash, no partial object is visible. Parent folders are created as needed. Buckets report
	// the time of this machine's clock as Modified.
	Create(ctx context.Context, key Key, r io.Reader, opts CreateOptions) (Stat, error)
	// CreateFolder creates an empty folder and its parents; fault.Conflict if key exists.
	CreateFolder(ctx context.Context, key Key) error
	// Stat describes an object or a folder.
	Stat(ctx context.Context, key Key) (Stat, error)
	// List yields the entries directly in the folder key, in byte order of their names; buckets compare the name of a
	// folder with a trailing slash. The listing ends after an error. It may or may not include entries that are added
	// or removed during the listing.
	List(ctx context.Context, key Key, opts ListOptions) iter.Seq2[Stat, error]
	// Copy copies an object, or a folder with its content; fault.Conflict if to exists.
	Copy(ctx context.Context, from, to Key) error
	// Move renames an object or a folder; fault.Conflict if to exists, fault.Invalid if the target is inside the
	// source.
	Move(ctx context.Context, from, to Key) error
	// Delete removes an object, or a folder with its content.
	Delete(ctx context.Context, key Key) error
	// Check returns nil if the store can be reached. Readiness probes call it.
	Check(ctx context.Context) error
	// Close frees the resources of the store.
	Close() error
}
