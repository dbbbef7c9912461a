//go:build azblob

package storage

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/bloberror"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/safelight/safelight/fault"
)

// azblobContainerClient is a container of Azure Blob Storage, or the names in it that start with prefix.
type azblobContainerClient struct {
	client    *container.Client
	prefix    string // prefix of all names; empty, or with a final slash
	transport *http.Transport
	breaker   *breaker
}

const (
	azblobToken  = "safelightwrite"       // writeToken in a spelling that Azure accepts
	azblobFolder = "hdi_isfolder"         // metadata of the empty blob with which other programs mark a folder
	copyPause    = 200 * time.Millisecond // time between two checks whether a copy is complete
)

func (s *azblobContainerClient) blob(name string) *blob.Client {
	return s.client.NewBlobClient(s.prefix + name)
}

// checkAzblobName rejects names that Azure would change: it removes dots at the end of a name.
func checkAzblobName(name string) error {
	if strings.HasSuffix(name, ".") || strings.Contains(name, "./") {
		return fault.OnField(fault.Invalid, "path", "%s has a name that ends with a dot, which Azure cannot hold", name)
	}
	return nil
}

// do calls Azure, unless the circuit breaker is open, and translates its errors.
func (s *azblobContainerClient) do(call func() error) error {
	if err := s.breaker.check(); err != nil {
		return err
	}
	err := call()
	var answer *azcore.ResponseError
	if !errors.As(err, &answer) {
		return err
	}
	refused := &refusal{answer.StatusCode, answer.ErrorCode}
	switch {
	case bloberror.HasCode(err, bloberror.BlobNotFound, bloberror.ResourceNotFound, bloberror.CannotVerifyCopySource) &&
		answer.StatusCode == http.StatusNotFound:
		return errors.Join(errMissing, refused)
	case answer.StatusCode == http.StatusPreconditionFailed,
		// InvalidBlockList: another write of the name has discarded the blocks
		bloberror.HasCode(err, bloberror.BlobAlreadyExists, bloberror.InvalidBlockList,
			bloberror.UnauthorizedBlobOverwrite):
		return errors.Join(errChanged, refused)
	}
	return refused
}

var ifAbsent = &blob.ModifiedAccessConditions{IfNoneMatch: to.Ptr(azcore.ETagAny)}

func ifVersion(etag string) *blob.AccessConditions {
	return &blob.AccessConditions{ModifiedAccessConditions: &blob.ModifiedAccessConditions{IfMatch: quoted(etag)}}
}

func quoted(etag string) *azcore.ETag { return to.Ptr(azcore.ETag(`"` + etag + `"`)) }

func bareAzblobETag(etag *azcore.ETag) string {
	if etag == nil {
		return ""
	}
	return bareETag(string(*etag))
}

// deref returns *p, or the zero value if p is nil.
func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// blobMetadata returns a metadata value. It ignores the case of the name, because Azure changes it.
func blobMetadata(all map[string]*string, name string) string {
	for k, v := range all {
		if strings.EqualFold(k, name) {
			return deref(v)
		}
	}
	return ""
}

func (s *azblobContainerClient) properties(ctx context.Context, name string) (p blob.GetPropertiesResponse, err error) {
	err = s.do(func() error {
		p, err = s.blob(name).GetProperties(ctx, nil)
		return err
	})
	if err == nil && blobMetadata(p.Metadata, azblobFolder) == "true" {
		err = errMissing
	}
	return p, err
}

func azblobInfo(name string, p blob.GetPropertiesResponse) objectInfo {
	return objectInfo{
		name:     name,
		size:     deref(p.ContentLength),
		modified: deref(p.LastModified).UTC(),
		etag:     bareAzblobETag(p.ETag),
		token:    blobMetadata(p.Metadata, azblobToken),
		sum:      string(p.ContentMD5),
	}
}

func (s *azblobContainerClient) head(ctx context.Context, name string) (objectInfo, error) {
	p, err := s.properties(ctx, name)
	if err != nil {
		return objectInfo{}, err
	}
	return azblobInfo(name, p), nil
}

func (s *azblobContainerClient) get(
	ctx context.Context,
	name string,
	offset, length int64,
	etag string,
) (r io.ReadCloser, info objectInfo, err error) {
	o := &blob.DownloadStreamOptions{}
	if offset > 0 || length >= 0 {
		o.Range = blob.HTTPRange{Offset: offset} // a count of 0 means up to the end
		if length >= 0 {
			o.Range.Count = max(length, 1)
		}
	}
	if etag != "" {
		o.AccessConditions = ifVersion(etag)
	}
	err = s.do(func() error {
		answer, err := s.blob(name).DownloadStream(ctx, o)
		if err != nil {
			return err
		}
		r, info = answer.Body, objectInfo{
			name:     name,
			size:     deref(answer.ContentLength),
			modified: deref(answer.LastModified).UTC(),
			etag:     bareAzblobETag(answer.ETag),
		}
		if answer.ContentRange != nil {
			info.size = totalOf(*answer.ContentRange)
		} else if offset > 0 {
			answer.Body.Close()
			return errors.New("the storage responded with the whole object instead of a range")
		}
		return nil
	})
	return r, info, err
}

func (s *azblobContainerClient) remove(ctx context.Context, o objectInfo) error {
	err := s.do(func() error {
		_, err := s.blob(o.name).Delete(ctx, &blob.DeleteOptions{AccessConditions: ifVersion(o.etag),
			DeleteSnapshots: to.Ptr(blob.DeleteSnapshotsOptionTypeInclude)})
		return err
	})
	if errors.Is(err, errMissing) {
		return nil
	}
	return err
}

// pages returns a function that reads the next page, and one that reports whether there is one.
func (s *azblobContainerClient) pages(
	prefix string, folders bool, limit int,
) (next func(context.Context) (objectPage, error), more func() bool) {
	size, include := to.Ptr(int32(limit)), container.ListBlobsInclude{Metadata: true}
	if !folders {
		p := s.client.NewListBlobsFlatPager(
			&container.ListBlobsFlatOptions{Prefix: &prefix, MaxResults: size, Include: include},
		)
		return func(ctx context.Context) (objectPage, error) {
			found, err := p.NextPage(ctx)
			if err != nil {
				return nil, err
			}
			return s.page(found.Segment.BlobItems, nil), nil
		}, p.More
	}
	p := s.client.NewListBlobsHierarchyPager(
		"/",
		&container.ListBlobsHierarchyOptions{Prefix: &prefix, MaxResults: size, Include: include},
	)
	return func(ctx context.Context) (objectPage, error) {
		found, err := p.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		return s.page(found.Segment.BlobItems, found.Segment.BlobPrefixes), nil
	}, p.More
}

func (s *azblobContainerClient) list(
	ctx context.Context, prefix string, folders bool, limit int,
) iter.Seq2[objectPage, error] {
	return func(yield func(objectPage, error) bool) {
		next, more := s.pages(s.prefix+prefix, folders, limit)
		for more() {
			var page objectPage
			if err := s.do(func() (err error) { page, err = next(ctx); return err }); err != nil {
				yield(nil, err)
				return
			}
			if len(page) > 0 && !yield(page, nil) {
				return
			}
		}
	}
}

func (s *azblobContainerClient) page(blobs []*container.BlobItem, prefixes []*container.BlobPrefix) objectPage {
	var page objectPage
	for _, p := range prefixes {
		page = append(page, objectInfo{name: strings.TrimPrefix(deref(p.Name), s.prefix), isPrefix: true})
	}
	for _, b := range blobs {
		if p := b.Properties; p != nil && blobMetadata(b.Metadata, azblobFolder) != "true" {
			page = append(page, objectInfo{name: strings.TrimPrefix(deref(b.Name), s.prefix),
				size: deref(p.ContentLength), modified: deref(p.LastModified).UTC(), etag: bareAzblobETag(p.ETag)})
		}
	}
	return page
}

func (s *azblobContainerClient) close() error {
	s.transport.CloseIdleConnections()
	return nil
}
