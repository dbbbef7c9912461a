package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"math"
	"net/http"
	"strings"

	"github.com/safelight/safelight/fault"
)

// firstRead is how many bytes must arrive before a Content-Length decides how much memory is allocated.
const firstRead = 1 << 20

// download returns the cached image of t while it is fresh. Otherwise it requests the image, with the validators of
// the cached copy. The caller translates its errors.
func (f *Fetcher) download(ctx context.Context, t target) (*Object, error) {
	kept := f.memory.get(t.key())
	if kept != nil && f.config.hooks.now().Before(kept.until) {
		return kept.object, nil
	}
	a, err := f.follow(ctx, t, kept)
	if err != nil {
		return nil, err
	}
	defer func() { _ = a.Body.Close() }()
	if a.conditional && a.StatusCode == http.StatusNotModified {
		f.renew(t.key(), kept, a)
		return kept.object, nil
	}
	if err := checkStatus(a.Response, t.host); err != nil {
		if fault.CodeOf(err) == fault.NotFound {
			f.memory.remove(t.key())
		}
		return nil, err
	}
	data, err := readBody(a.Response, t.host, f.config.MaxBytes)
	if err != nil {
		return nil, err
	}
	return f.keep(t.key(), a, data), nil
}

// ask sends one request, with the validators of the cached copy if a.conditional is set.
func (f *Fetcher) ask(ctx context.Context, a answer, kept *entry) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, a.at.key(), nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", f.config.UserAgent)
	r.Header.Set("Accept", "image/*,*/*;q=0.8")
	r.Header.Set("Accept-Encoding", "identity")
	if a.conditional && kept.etag != "" {
		r.Header.Set("If-None-Match", kept.etag)
	}
	if a.conditional && kept.modified != "" {
		r.Header.Set("If-Modified-Since", kept.modified)
	}
	return f.transport.RoundTrip(r)
}

// readBody returns the body of r. limit is its max size in bytes; 0: no limit.
func readBody(r *http.Response, host string, limit int64) ([]byte, error) {
	for _, e := range r.Header.Values("Content-Encoding") {
		if e != "" && !strings.EqualFold(e, "identity") {
			return nil, fault.New(fault.Unavailable, "%s sent a compressed body, expected a plain one", host)
		}
	}
	// Without a limit, memory is not allocated according to Content-Length.
	if limit == 0 {
		return io.ReadAll(r.Body)
	}
	if r.ContentLength > limit {
		return nil, tooLarge(host, limit)
	}
	if r.ContentLength >= 0 {
		return readExactly(r.Body, r.ContentLength)
	}
	data, err := io.ReadAll(io.LimitReader(r.Body, min(limit, math.MaxInt64-1)+1))
	if err == nil && int64(len(data)) > limit {
		return nil, tooLarge(host, limit)
	}
	return data, err
}

// readExactly reads n bytes, and allocates memory as they arrive.
func readExactly(r io.Reader, n int64) ([]byte, error) {
	data := make([]byte, min(n, firstRead))
	if err := readFull(r, data); err != nil || n <= firstRead {
		return data, err
	}
	all := make([]byte, n)
	copy(all, data)
	return all, readFull(r, all[firstRead:])
}

// readFull is io.ReadFull that also returns io.ErrUnexpectedEOF for an empty body.
func readFull(r io.Reader, p []byte) error {
	_, err := io.ReadFull(r, p)
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// versionOf derives an ETag: from the URL and the host's strong ETag if there is one, otherwise from the bytes.
func versionOf(url, etag string, data []byte) string {
	h := sha256.New()
	if strings.HasPrefix(etag, `"`) {
		_, _ = io.WriteString(h, url+"\x00"+etag)
	} else {
		_, _ = h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
