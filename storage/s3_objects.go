package storage

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

func (s *s3Bucket) head(ctx context.Context, name string) (objectInfo, error) {
	response, err := s.do(ctx, s3Call{method: http.MethodHead, name: name})
	if err != nil {
		return objectInfo{}, err
	}
	response.Body.Close()
	return objectOf(name, response.Header, response.ContentLength), nil
}

func objectOf(name string, h http.Header, size int64) objectInfo {
	modified, _ := http.ParseTime(h.Get("Last-Modified")) // the zero time if the server sends none
	return objectInfo{name: name, size: size, modified: modified.UTC(), etag: bareETag(h.Get("ETag"))}
}

func bareETag(text string) string { return strings.Trim(text, `W/"`) }

func (s *s3Bucket) get(ctx context.Context, name string, offset, length int64, etag string) (io.ReadCloser, objectInfo, error) {
	h := http.Header{}
	switch {
	case length >= 0:
		h.Set("Range", fmt.Sprintf("bytes=%d-%d", offset, offset+max(length, 1)-1))
	case offset > 0:
		h.Set("Range", fmt.Sprintf("bytes=%d-", offset))
	}
	if etag != "" {
		h.Set("If-Match", `"`+etag+`"`)
	}
	response, err := s.do(ctx, s3Call{method: http.MethodGet, name: name, header: h})
	if err != nil {
		return nil, objectInfo{}, err
	}
	size := response.ContentLength
	if response.StatusCode == http.StatusPartialContent {
		_, total, _ := strings.Cut(response.Header.Get("Content-Range"), "/")
		size, _ = strconv.ParseInt(total, 10, 64) // 0 is another object to the caller
	} else if offset > 0 {
		response.Body.Close()
		return nil, objectInfo{}, errors.New("S3 answered with the whole object instead of a part")
	}
	return response.Body, objectOf(name, response.Header, size), nil
}

const (
	s3PartSize   = 8 << 20 // bytes; doubled every partsPerSize parts, so that the 10,000 that S3 takes hold any object
	partsPerSize = 1000
)

func (s *s3Bucket) put(ctx context.Context, name, contentType string, ifNotExist bool, r io.Reader) error {
	first, err := readPart(r, s3PartSize)
	if err != nil && err != io.EOF {
		return err
	}
	h := http.Header{}
	if contentType != "" {
		h.Set("Content-Type", contentType)
	}
	condition := http.Header{}
	if ifNotExist {
		condition.Set("If-None-Match", "*")
	}
	if err == nil {
		return s.putParts(ctx, name, h, condition, first, r)
	}
	for k, v := range condition {
		h[k] = v
	}
	return s.done(ctx, s3Call{method: http.MethodPut, name: name, header: h, body: first})
}

// readPart reads up to size bytes; io.EOF when r has no more.
func readPart(r io.Reader, size int64) ([]byte, error) {
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(r, size))
	if err == nil && n < size {
		err = io.EOF
	}
	return b.Bytes(), err
}

type s3Part struct {
	PartNumber int
	ETag       string
}

// putParts stores an object of more than one part. Until the last request nothing is visible.
func (s *s3Bucket) putParts(ctx context.Context, name string, h, condition http.Header, part []byte, r io.Reader) (err error) {
	response, err := s.do(ctx, s3Call{method: http.MethodPost, name: name, header: h, query: url.Values{"uploads": {""}}})
	if err != nil {
		return err
	}
	var upload struct{ UploadId string }
	if err := answer(response, &upload); err != nil {
		return err
	}
	query := url.Values{"uploadId": {upload.UploadId}}
	defer func() {
		if err != nil { // else S3 keeps, and bills, the parts; a lifecycle rule removes what stays
			_ = s.done(context.WithoutCancel(ctx), s3Call{method: http.MethodDelete, name: name, query: query})
		}
	}()
	complete := struct {
		XMLName xml.Name `xml:"CompleteMultipartUpload"`
		Part    []s3Part
	}{}
	for last := false; len(part) > 0; {
		number := len(complete.Part) + 1
		response, err := s.do(ctx, s3Call{method: http.MethodPut, name: name, body: part,
			query: url.Values{"uploadId": {upload.UploadId}, "partNumber": {strconv.Itoa(number)}}})
		if err != nil {
			return err
		}
		response.Body.Close()
		complete.Part = append(complete.Part, s3Part{number, response.Header.Get("ETag")})
		if last {
			break
		}
		part, err = readPart(r, s3PartSize<<(number/partsPerSize))
		if last = err == io.EOF; err != nil && !last {
			return err
		}
	}
	body, err := xml.Marshal(complete)
	if err != nil {
		return err
	}
	if response, err = s.do(ctx, s3Call{method: http.MethodPost, name: name, query: query, header: condition, body: body}); err != nil {
		return err
	}
	return answer(response, &struct{}{})
}

// done sends a request whose answer holds nothing.
func (s *s3Bucket) done(ctx context.Context, c s3Call) error {
	response, err := s.do(ctx, c)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

func (s *s3Bucket) copy(ctx context.Context, from, to string) error {
	h := http.Header{"X-Amz-Copy-Source": {escapeS3(s.bucket + "/" + s.prefix + from)}}
	response, err := s.do(ctx, s3Call{method: http.MethodPut, name: to, header: h})
	if err != nil {
		return err
	}
	return answer(response, &struct{}{})
}

func (s *s3Bucket) remove(ctx context.Context, name string) error {
	err := s.done(ctx, s3Call{method: http.MethodDelete, name: name})
	if errors.Is(err, errMissing) {
		return nil
	}
	return err
}

// s3List is the answer of ListObjectsV2.
type s3List struct {
	EncodingType          string
	NextContinuationToken string
	Contents              []struct {
		Key, ETag    string
		Size         int64
		LastModified time.Time
	}
	CommonPrefixes []struct{ Prefix string }
}

func (s *s3Bucket) list(ctx context.Context, prefix, delimiter, token string, limit int) (objectPage, error) {
	query := url.Values{"list-type": {"2"}, "encoding-type": {"url"}, "max-keys": {strconv.Itoa(limit)}, "prefix": {s.prefix + prefix}}
	if delimiter != "" {
		query.Set("delimiter", delimiter)
	}
	if token != "" {
		query.Set("continuation-token", token)
	}
	response, err := s.do(ctx, s3Call{method: http.MethodGet, onBucket: true, query: query})
	if err != nil {
		return objectPage{}, err
	}
	var found s3List
	if err := answer(response, &found); err != nil {
		return objectPage{}, err
	}
	page := objectPage{next: found.NextContinuationToken}
	name := func(text string) string {
		if plain, err := url.QueryUnescape(text); err == nil && found.EncodingType == "url" {
			text = plain
		}
		return strings.TrimPrefix(text, s.prefix)
	}
	for _, o := range found.Contents {
		// HEAD and GET say whole seconds
		page.objects = append(page.objects, objectInfo{name: name(o.Key), size: o.Size, modified: o.LastModified.UTC().Truncate(time.Second), etag: bareETag(o.ETag)})
	}
	for _, p := range found.CommonPrefixes {
		page.objects = append(page.objects, objectInfo{name: name(p.Prefix), isPrefix: true})
	}
	return page, nil
}

func (s *s3Bucket) close() error {
	s.client.CloseIdleConnections()
	return nil
}
