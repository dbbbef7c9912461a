//go:build gs

package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// gsBucket is a bucket of Google Cloud Storage, or the names in it that start with prefix. It speaks the JSON API. The ETag of an object is
// its generation, which the server compares.
type gsBucket struct {
	base, bucket  string
	prefix        string // of all names, empty or with a final slash
	plain, signed http.RoundTripper
	transport     *http.Transport
	breaker       *breaker
}

const (
	gsFields     = "name,size,timeCreated,generation,crc32c,metadata"
	gsListFields = "items(name,size,timeCreated,generation),prefixes,nextPageToken"
)

// gsObject is an object as the JSON API describes it.
type gsObject struct {
	Name        string            `json:"name"`
	Size        string            `json:"size"`
	TimeCreated time.Time         `json:"timeCreated"`
	Generation  string            `json:"generation"`
	CRC32C      string            `json:"crc32c"`
	Metadata    map[string]string `json:"metadata"`
}

func (s *gsBucket) info(o gsObject) objectInfo {
	size, _ := strconv.ParseInt(o.Size, 10, 64)
	return objectInfo{name: strings.TrimPrefix(o.Name, s.prefix), size: size, modified: o.TimeCreated.UTC(), etag: o.Generation}
}

func isGSList(r *http.Request) bool { return r.URL.Query().Has("maxResults") }

// path is that of an object.
func (s *gsBucket) path(name string) string {
	return "/storage/v1/b/" + s.bucket + "/o/" + url.PathEscape(s.prefix+name)
}

func (s *gsBucket) describe(ctx context.Context, name string) (o gsObject, err error) {
	_, err = s.ask(ctx, gsRequest{method: http.MethodGet, path: s.path(name), query: url.Values{"fields": {gsFields}}}, &o)
	return o, err
}

func (s *gsBucket) head(ctx context.Context, name string) (objectInfo, error) {
	o, err := s.describe(ctx, name)
	if err != nil {
		return objectInfo{}, err
	}
	return s.info(o), nil
}

func (s *gsBucket) get(ctx context.Context, name string, offset, length int64, etag string) (io.ReadCloser, objectInfo, error) {
	q := gsRequest{method: http.MethodGet, path: s.path(name), query: url.Values{"alt": {"media"}}, header: http.Header{}}
	// an object that is stored compressed comes as it is stored
	q.header.Set("Accept-Encoding", "gzip")
	switch {
	case length >= 0:
		q.header.Set("Range", fmt.Sprintf("bytes=%d-%d", offset, offset+max(length, 1)-1))
	case offset > 0:
		q.header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
	}
	if etag != "" {
		q.query.Set("ifGenerationMatch", etag)
	}
	answer, _, err := s.send(ctx, q)
	if err != nil {
		return nil, objectInfo{}, err
	}
	info := objectInfo{name: name, size: answer.ContentLength, etag: answer.Header.Get("X-Goog-Generation")}
	if part := answer.Header.Get("Content-Range"); part != "" {
		info.size = totalOf(part)
	} else if offset > 0 {
		answer.Body.Close()
		return nil, info, errors.New("the storage answered with the whole object instead of a part")
	}
	return answer.Body, info, nil
}

// copy asks until the server has copied all; large objects take several requests between two locations, each of which copies some of it.
func (s *gsBucket) copy(ctx context.Context, from objectInfo, to string) (objectInfo, error) {
	q := gsRequest{method: http.MethodPost, path: s.path(from.name) + "/rewriteTo/b/" + s.bucket + "/o/" + url.PathEscape(s.prefix+to),
		query: url.Values{"ifSourceGenerationMatch": {from.etag}, "ifGenerationMatch": {"0"}, "fields": {"done,rewriteToken,totalBytesRewritten,resource(" + gsFields + ")"}}}
	copied, stalls := int64(-1), 0
	for repeated := false; ; {
		var done struct {
			Done         bool     `json:"done"`
			RewriteToken string   `json:"rewriteToken"`
			Rewritten    int64    `json:"totalBytesRewritten,string"`
			Resource     gsObject `json:"resource"`
		}
		sent, err := s.ask(ctx, q, &done)
		if repeated = repeated || sent > 1; err != nil && isAnswered(err) && repeated {
			return s.copied(ctx, from, to, err)
		}
		if err != nil {
			return objectInfo{}, err
		}
		if done.Done {
			info := s.info(done.Resource)
			info.name = to
			return info, nil
		}
		if done.Rewritten > copied {
			copied, stalls = done.Rewritten, 0
		} else if stalls++; stalls == maxTries {
			return objectInfo{}, errors.New("the storage copies no more of an object")
		} else if err := pauseBefore(ctx, stalls-1); err != nil {
			return objectInfo{}, err
		}
		q.query.Set("rewriteToken", done.RewriteToken)
	}
}

// copied describes the object to if a copy of this version of from made it, one whose answer was lost; or it returns the
// error of the repetition, or the one for which that cannot be known.
func (s *gsBucket) copied(ctx context.Context, from objectInfo, to string, failed error) (objectInfo, error) {
	made, err := s.describe(ctx, to)
	if errors.Is(err, errMissing) {
		return objectInfo{}, failed
	} else if err != nil {
		return objectInfo{}, err
	}
	source, err := s.describe(ctx, from.name)
	if err != nil || source.Generation != from.etag || source.Size != made.Size || source.CRC32C != made.CRC32C ||
		source.Metadata[writeToken] != made.Metadata[writeToken] {
		return objectInfo{}, failed
	}
	return s.info(made), nil
}

func (s *gsBucket) remove(ctx context.Context, o objectInfo) error {
	_, err := s.ask(ctx, gsRequest{method: http.MethodDelete, path: s.path(o.name), query: url.Values{"ifGenerationMatch": {o.etag}}}, nil)
	if errors.Is(err, errMissing) {
		return nil
	}
	return err
}

func (s *gsBucket) list(ctx context.Context, prefix, after string, folders bool, limit int) iter.Seq2[objectPage, error] {
	q := url.Values{"prefix": {s.prefix + prefix}, "maxResults": {strconv.Itoa(limit)}, "fields": {gsListFields}}
	if folders {
		q.Set("delimiter", "/")
	}
	if after != "" {
		q.Set("startOffset", s.prefix+after)
	}
	return func(yield func(objectPage, error) bool) {
		for {
			var answer struct {
				Items         []gsObject `json:"items"`
				Prefixes      []string   `json:"prefixes"`
				NextPageToken string     `json:"nextPageToken"`
			}
			_, err := s.ask(ctx, gsRequest{method: http.MethodGet, path: "/storage/v1/b/" + s.bucket + "/o", query: q}, &answer)
			if errors.Is(err, errMissing) { // the bucket; not errMissing, which would be an empty folder
				err = &refusal{http.StatusNotFound, "NoSuchBucket"}
			}
			if err != nil {
				yield(nil, err)
				return
			}
			page := make(objectPage, 0, len(answer.Items)+len(answer.Prefixes))
			for _, o := range answer.Items {
				if info := s.info(o); info.name > after { // the server begins with after itself
					page = append(page, info)
				}
			}
			for _, name := range answer.Prefixes {
				if name = strings.TrimPrefix(name, s.prefix); name > after {
					page = append(page, objectInfo{name: name, isPrefix: true})
				}
			}
			if len(page) > 0 && !yield(page, nil) || answer.NextPageToken == "" {
				return
			}
			q.Set("pageToken", answer.NextPageToken)
		}
	}
}

func (s *gsBucket) close() error {
	s.transport.CloseIdleConnections()
	return nil
}
