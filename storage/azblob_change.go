//go:build azblob

package storage

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
)

// put sends an object of less than cloudPart bytes in one request, and a longer one as blocks, which a last request
// joins into an object. Azure removes blocks that belong to no object after a week.
func (s *azblobContainerClient) put(
	ctx context.Context, name, contentType string, ifNotExist bool, r io.Reader,
) (etag string, err error) {
	if err := checkAzblobName(name); err != nil {
		return "", err
	}
	token := rand.Text()
	o := &blockblob.UploadStreamOptions{BlockSize: cloudPart, Metadata: map[string]*string{azblobToken: &token}}
	if contentType != "" {
		o.HTTPHeaders = &blob.HTTPHeaders{BlobContentType: &contentType}
	}
	if ifNotExist {
		o.AccessConditions = &blob.AccessConditions{ModifiedAccessConditions: ifAbsent}
	}
	err = s.do(func() error {
		made, err := s.client.NewBlockBlobClient(s.prefix+name).UploadStream(ctx, r, o)
		etag = bareAzblobETag(made.ETag)
		return err
	})
	if isRefusedByState(err) { // perhaps by the object of an earlier attempt whose response was lost
		return written(ctx, s, name, token, err)
	}
	return etag, err
}

// copy waits until the server has copied the object, which within an account is usually immediate.
func (s *azblobContainerClient) copy(ctx context.Context, from objectInfo, target string) (objectInfo, error) {
	if err := checkAzblobName(target); err != nil {
		return objectInfo{}, err
	}
	var begun blob.StartCopyFromURLResponse
	client := s.blob(target)
	counted, tries := countTries(ctx)
	err := s.do(func() (err error) {
		begun, err = client.StartCopyFromURL(counted, s.blob(from.name).URL(), &blob.StartCopyFromURLOptions{
			SourceModifiedAccessConditions: &blob.SourceModifiedAccessConditions{SourceIfMatch: quoted(from.etag)},
			AccessConditions:               &blob.AccessConditions{ModifiedAccessConditions: ifAbsent}})
		return err
	})
	if isRefusedByState(err) && tries.Load() > 1 {
		made, err := copied(ctx, s, from, target, err)
		if err != nil {
			return objectInfo{}, err
		}
		p, err := s.properties(ctx, target)
		if err != nil || deref(p.CopyStatus) != blob.CopyStatusTypePending {
			return made, err
		}
		return s.await(ctx, made, deref(p.CopyID))
	}
	if err != nil {
		return objectInfo{}, err
	}
	info := objectInfo{
		name:     target,
		size:     from.size,
		modified: deref(begun.LastModified).UTC(),
		etag:     bareAzblobETag(begun.ETag),
	}
	if deref(begun.CopyStatus) != blob.CopyStatusTypePending {
		return info, nil
	}
	return s.await(ctx, info, deref(begun.CopyID))
}

// await waits until a copy has finished. It removes the target if the copy fails or ctx ends.
func (s *azblobContainerClient) await(ctx context.Context, made objectInfo, id string) (objectInfo, error) {
	for {
		p, err := s.properties(ctx, made.name)
		if err == nil && deref(p.CopyStatus) == blob.CopyStatusTypeSuccess {
			return azblobInfo(made.name, p), nil
		}
		if err == nil && deref(p.CopyStatus) != blob.CopyStatusTypePending {
			err = errors.New("the storage aborted a copy")
		}
		if err == nil {
			select {
			case <-ctx.Done():
				err = ctx.Err()
			case <-time.After(copyPause):
				continue
			}
		}
		clean := context.WithoutCancel(ctx)
		_, _ = s.blob(made.name).AbortCopyFromURL(clean, id, nil) // the copy may already have ended
		if p, e := s.properties(clean, made.name); e == nil && deref(p.CopyID) == id {
			err = errors.Join(err, s.remove(clean, azblobInfo(made.name, p)))
		}
		return objectInfo{}, err
	}
}
