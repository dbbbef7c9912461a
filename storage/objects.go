package storage

import (
	"context"
	"errors"
	"io"
	"time"
)

// objects is a flat object store, on which bucket builds folders. Names are full keys, with a final slash for the
// marker of a folder. Every error but errMissing and errTaken means that the store did not answer as it should.
type objects interface {
	// head describes an object; errMissing if it does not exist.
	head(ctx context.Context, name string) (objectInfo, error)
	// get reads length bytes from offset, to the end for -1. errTaken if etag is set and not the object's any more.
	get(ctx context.Context, name string, offset, length int64, etag string) (io.ReadCloser, objectInfo, error)
	// put stores all of r, or nothing if r fails. errTaken if ifNotExist is set and the object exists.
	put(ctx context.Context, name, contentType string, ifNotExist bool, r io.Reader) error
	// copy replaces the object to; errMissing if from does not exist.
	copy(ctx context.Context, from, to string) error
	// remove deletes an object; nil if it does not exist.
	remove(ctx context.Context, name string) error
	// list returns one page of the objects whose names start with prefix, in the order of their names. With a
	// delimiter, names that go on after it are one entry that ends in it.
	list(ctx context.Context, prefix, delimiter, token string, limit int) (objectPage, error)
	close() error
}

// objectInfo describes an object.
type objectInfo struct {
	name     string
	size     int64
	modified time.Time // UTC, whole seconds on S3
	etag     string    // without quotes
	isPrefix bool      // in a list: stands for the names that start with name
}

type objectPage struct {
	objects []objectInfo
	next    string // token of the next page; empty: the last one
}

var (
	errMissing = errors.New("the object does not exist")
	errTaken   = errors.New("the object is another one than expected")
)

// eachObject calls f for every object of a list.
func eachObject(ctx context.Context, o objects, prefix, delimiter string, f func(objectInfo)) error {
	for token := ""; ; {
		page, err := o.list(ctx, prefix, delimiter, token, maxObjectPage)
		if err != nil {
			return err
		}
		for _, one := range page.objects {
			f(one)
		}
		if token = page.next; token == "" {
			return nil
		}
	}
}

// maxObjectPage is how many objects S3 lists at once.
const maxObjectPage = 1000
