//go:build azblob

package storage

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
)

// put sends an object of one part in one request, and a longer one as blocks, of which a last request makes an object.
func (s *azblobContainerClient) put(ctx context.Context, name, contentType string, ifNotExist bool, r io.Reader) (etag string, err error) {
	if err := checkAzblobName(name); err != nil {
		return "", err
	}
	w := azblobWrite{s: s, client: s.client.NewBlockBlobClient(s.prefix + name), metadata: map[string]*string{azblobToken: to.Ptr(rand.Text())}}
	if contentType != "" {
		w.headers = &blob.HTTPHeaders{BlobContentType: &contentType}
	}
	if ifNotExist {
		w.conditions = &blob.AccessConditions{ModifiedAccessConditions: ifAbsent}
	}
	source := bufio.NewReader(r)
	var part bytes.Buffer
	last, err := readPart(&part, source)
	if err != nil {
		return "", err
	}
	ctx, tries := countTries(ctx)
	if last {
		etag, err = w.whole(ctx, part.Bytes())
	} else if err = w.blocks(ctx, &part, source); err == nil {
		tries.Store(0)
		etag, err = w.commit(ctx)
	}
	if isAnswered(err) && tries.Load() > 1 { // the answer to an earlier try may be lost
		return s.written(ctx, name, *w.metadata[azblobToken], err)
	}
	return etag, err
}

// written returns the ETag of the object name if the write with this token made it, or the error of that write, or the one
// for which that cannot be known.
func (s *azblobContainerClient) written(ctx context.Context, name, token string, failed error) (string, error) {
	p, err := s.properties(ctx, name)
	switch {
	case err == nil && blobMetadata(p.Metadata, azblobToken) == token:
		return bareAzblobETag(p.ETag), nil
	case err != nil && !errors.Is(err, errMissing):
		return "", err
	}
	return "", failed
}

// azblobWrite is the making of one object.
type azblobWrite struct {
	s          *azblobContainerClient
	client     *blockblob.Client
	metadata   map[string]*string
	headers    *blob.HTTPHeaders
	conditions *blob.AccessConditions
	ids        []string // of the blocks that are there
}

func (w *azblobWrite) whole(ctx context.Context, data []byte) (etag string, err error) {
	err = w.s.do(func() error {
		made, err := w.client.Upload(ctx, streaming.NopCloser(bytes.NewReader(data)),
			&blockblob.UploadOptions{Metadata: w.metadata, HTTPHeaders: w.headers, AccessConditions: w.conditions})
		etag = bareAzblobETag(made.ETag)
		return err
	})
	return etag, err
}

// blocks sends part and what is left of source. Blocks that no request makes an object of are gone after a week.
func (w *azblobWrite) blocks(ctx context.Context, part *bytes.Buffer, source *bufio.Reader) error {
	for last := false; ; {
		id := base64.StdEncoding.EncodeToString([]byte(rand.Text())) // two writers of a name must not meet
		err := w.s.do(func() error {
			_, err := w.client.StageBlock(ctx, id, streaming.NopCloser(bytes.NewReader(part.Bytes())), nil)
			return err
		})
		if err != nil {
			return err
		}
		if w.ids = append(w.ids, id); last {
			return nil
		}
		if last, err = readPart(part, source); err != nil {
			return err
		}
	}
}

func (w *azblobWrite) commit(ctx context.Context) (etag string, err error) {
	err = w.s.do(func() error {
		made, err := w.client.CommitBlockList(ctx, w.ids, &blockblob.CommitBlockListOptions{Metadata: w.metadata, HTTPHeaders: w.headers, AccessConditions: w.conditions})
		etag = bareAzblobETag(made.ETag)
		return err
	})
	return etag, err
}

// copy waits until the server has copied. Within an account that is at once, as a rule.
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
	if isAnswered(err) && tries.Load() > 1 {
		return s.copied(ctx, from, target, err)
	}
	if err != nil {
		return objectInfo{}, err
	}
	info := objectInfo{name: target, size: from.size, modified: deref(begun.LastModified).UTC(), etag: bareAzblobETag(begun.ETag)}
	if deref(begun.CopyStatus) != blob.CopyStatusTypePending {
		return info, nil
	}
	return s.await(ctx, info, deref(begun.CopyID))
}

// await waits for the end of a copy; one that is given up or fails is removed.
func (s *azblobContainerClient) await(ctx context.Context, made objectInfo, id string) (objectInfo, error) {
	for {
		p, err := s.properties(ctx, made.name)
		if err == nil && deref(p.CopyStatus) == blob.CopyStatusTypeSuccess {
			return azblobInfo(made.name, p), nil
		}
		if err == nil && deref(p.CopyStatus) != blob.CopyStatusTypePending {
			err = errors.New("the storage gave up a copy")
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
		_, _ = s.blob(made.name).AbortCopyFromURL(clean, id, nil) // it may have ended by now
		if p, e := s.properties(clean, made.name); e == nil && deref(p.CopyID) == id {
			err = errors.Join(err, s.remove(clean, azblobInfo(made.name, p)))
		}
		return objectInfo{}, err
	}
}

// copied describes the object target if a copy of this version of from made it, one whose answer was lost; or it returns
// the error of the repetition, or the one for which that cannot be known.
func (s *azblobContainerClient) copied(ctx context.Context, from objectInfo, target string, failed error) (objectInfo, error) {
	made, err := s.properties(ctx, target)
	if errors.Is(err, errMissing) {
		return objectInfo{}, failed
	} else if err != nil {
		return objectInfo{}, err
	}
	source, err := s.properties(ctx, from.name)
	token := blobMetadata(source.Metadata, azblobToken)
	if err != nil || bareAzblobETag(source.ETag) != from.etag || deref(made.ContentLength) != from.size || token != blobMetadata(made.Metadata, azblobToken) ||
		token == "" && !bytes.Equal(source.ContentMD5, made.ContentMD5) {
		return objectInfo{}, failed
	}
	if deref(made.CopyStatus) == blob.CopyStatusTypePending {
		return s.await(ctx, azblobInfo(target, made), deref(made.CopyID))
	}
	return azblobInfo(target, made), nil
}

// readPart fills a part, and reports whether it is the last one.
func readPart(part *bytes.Buffer, r *bufio.Reader) (last bool, err error) {
	part.Reset()
	if _, err := io.Copy(part, io.LimitReader(r, cloudPart)); err != nil {
		return false, err
	}
	_, err = r.Peek(1)
	if err == io.EOF {
		return true, nil
	}
	return false, err
}
