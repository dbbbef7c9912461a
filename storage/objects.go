package storage

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"
)

// objects is a flat object store, on which bucket implements folders. Names are full keys, with a final slash for the
// marker of a folder. Every error but errMissing and errChanged means that the store failed.
type objects interface {
	// head describes an object, with its token and sum; errMissing if the object does not exist.
	head(ctx context.Context, name string) (objectInfo, error)
	// get reads length bytes from offset, or up to the end for -1. It returns errChanged if etag is set and differs
	// from the object's. The returned ETag is empty if the response does not contain it.
	get(ctx context.Context, name string, offset, length int64, etag string) (io.ReadCloser, objectInfo, error)
	// put stores all of r, or nothing if r fails, and returns the ETag. It returns errChanged if ifNotExist is set and
	// the object exists.
	put(ctx context.Context, name, contentType string, ifNotExist bool, r io.Reader) (etag string, err error)
	// copy copies this version of an object to a new object, which it returns. It returns errMissing if from does not
	// exist, and errChanged if from has another version or to exists.
	copy(ctx context.Context, from objectInfo, to string) (objectInfo, error)
	// remove deletes this version of an object; it returns nil if the object does not exist, and errChanged if it has
	// another version.
	remove(ctx context.Context, o objectInfo) error
	// list yields the objects whose names start with prefix, in pages that are in the order of names. It ends after an
	// error. With folders set, names that share the part up to the next slash after prefix are grouped into one entry,
	// which ends in that slash. limit is the size of a page, 1 to 1000.
	list(ctx context.Context, prefix string, folders bool, limit int) iter.Seq2[objectPage, error]
	close() error
}

// composer is an object store that can join objects on the server.
type composer interface {
	// compose joins these versions of objects into the object name, and returns its ETag. It returns errNotComposed if
	// the server cannot do that, errMissing if a part does not exist, and errChanged if a part has another version, or
	// if ifNotExist is set and the object exists.
	compose(ctx context.Context, parts []objectInfo, name, contentType string, ifNotExist bool) (etag string, err error)
}

// objectInfo describes an object.
type objectInfo struct {
	name     string
	size     int64
	modified time.Time // UTC, whole seconds on S3
	etag     string    // without quotes
	isPrefix bool      // in a list: represents all names that start with name
	token    string    // the writeToken; empty if another program has created the object
	sum      string    // a checksum of the bytes, if the store has one
}

// objectPage is a page of a list, in any order.
type objectPage []objectInfo

var (
	errMissing = errors.New("the object does not exist")
	errChanged = errors.New("the object has another version than expected")
	// errNotComposed means that the bytes have to be uploaded.
	errNotComposed = errors.New("the store cannot put these objects together")
)

// maxObjectPage is how many objects S3 lists at once.
const maxObjectPage = 1000

// eachObject yields every object below prefix, in no order.
func eachObject(ctx context.Context, o objects, prefix string) iter.Seq2[objectInfo, error] {
	return func(yield func(objectInfo, error) bool) {
		for page, err := range o.list(ctx, prefix, false, maxObjectPage) {
			if err != nil {
				yield(objectInfo{}, err)
				return
			}
			for _, one := range page {
				if !yield(one, nil) {
					return
				}
			}
		}
	}
}
