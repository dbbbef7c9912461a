package storage

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"

	"github.com/minio/minio-go/v7"
	"golang.org/x/sync/errgroup"
)

// minS3Part is the size, in bytes, that each part of an object must have, except for the last one.
const minS3Part = 5 << 20

// compose implements composer: one part is copied, several are the parts of a multipart upload.
func (s *s3Bucket) compose(
	ctx context.Context, parts []objectInfo, name, contentType string, ifNotExist bool,
) (etag string, err error) {
	for i, p := range parts {
		if p.size > maxS3Copy || p.size == 0 || p.size < minS3Part && i < len(parts)-1 {
			return "", errNotComposed
		}
	}
	token := rand.Text()
	conditional := ctx
	if ifNotExist {
		conditional = withCondition(ctx, "If-None-Match", "*")
	}
	if len(parts) == 1 {
		etag, err = s.copyAs(conditional, parts[0], name, contentType, token)
	} else {
		etag, err = s.copyParts(ctx, conditional, parts, name, contentType, token)
	}
	if isRefusedByState(err) {
		return written(ctx, s, name, token, err)
	}
	if refused := (minio.ErrorResponse{}); errors.As(err, &refused) && refused.StatusCode == http.StatusNotImplemented {
		return "", errNotComposed
	}
	return etag, err
}

// copyAs copies an object, and gives the copy the media type and token.
func (s *s3Bucket) copyAs(
	ctx context.Context, from objectInfo, to, contentType, token string,
) (etag string, err error) {
	source := minio.CopySrcOptions{Bucket: s.bucket, Object: s.prefix + from.name, MatchETag: from.etag}
	target := minio.CopyDestOptions{
		Bucket: s.bucket, Object: s.prefix + to,
		ContentType: contentType, UserMetadata: map[string]string{writeToken: token}, ReplaceMetadata: true,
	}
	err = s.do(func() error {
		o, err := s.client.CopyObject(ctx, target, source)
		etag = bareETag(o.ETag)
		return err
	})
	return etag, err
}

// copyParts joins objects with a multipart upload. conditional is the context of the request that completes it.
func (s *s3Bucket) copyParts(
	ctx, conditional context.Context, parts []objectInfo, to, contentType, token string,
) (etag string, err error) {
	core, object := minio.Core{Client: s.client}, s.prefix+to
	var upload string
	err = s.do(func() (err error) {
		upload, err = core.NewMultipartUpload(ctx, s.bucket, object,
			minio.PutObjectOptions{ContentType: contentType, UserMetadata: map[string]string{writeToken: token}})
		return err
	})
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			// An upload that cannot be aborted is left to a lifecycle rule.
			_ = core.AbortMultipartUpload(context.WithoutCancel(ctx), s.bucket, object, upload)
		}
	}()

	copied := make([]minio.CompletePart, len(parts))
	group, parallel := errgroup.WithContext(ctx)
	group.SetLimit(maxParallel)
	for i, p := range parts {
		group.Go(func() error {
			return s.do(func() (err error) {
				copied[i], err = core.CopyObjectPart(
					parallel, s.bucket, s.prefix+p.name, s.bucket, object, upload, i+1, 0, -1,
					map[string]string{"x-amz-copy-source-if-match": `"` + p.etag + `"`},
				)
				return err
			})
		})
	}
	if err := group.Wait(); err != nil {
		return "", err
	}
	err = s.do(func() error {
		made, err := core.CompleteMultipartUpload(
			conditional, s.bucket, object, upload, copied, minio.PutObjectOptions{},
		)
		etag = bareETag(made.ETag)
		return err
	})
	return etag, err
}
