package signin

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// maxResponse is the maximum size of a provider's response in bytes.
const maxResponse = 1 << 20

// httpClient is the HTTP client for providers. They are configured by the operator, so internal addresses are
// allowed, unlike for pictures from remote hosts. It does not follow redirects, because they would send the
// client secret elsewhere.
var httpClient = &http.Client{
	Timeout:   10 * time.Second,
	Transport: bounded{newTransport()},
	CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	},
}

func newTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxResponseHeaderBytes = 64 << 10
	t.MaxIdleConnsPerHost = 4
	return t
}

// seldom rejects requests that follow the previous one too soon.
type seldom struct {
	http.RoundTripper
	now func() time.Time

	mutex sync.Mutex
	last  time.Time
}

// RoundTrip implements http.RoundTripper.
func (s *seldom) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mutex.Lock()
	now := s.now()
	tooSoon := now.Sub(s.last) < retryAfter
	if !tooSoon {
		s.last = now
	}
	s.mutex.Unlock()
	if tooSoon {
		return nil, fmt.Errorf("the keys were fetched less than %s ago", retryAfter)
	}
	return s.RoundTripper.RoundTrip(r)
}

// bounded limits the size of responses.
type bounded struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		response.Body = &limitedBody{response.Body, maxResponse}
	}
	return response, err
}

type limitedBody struct {
	io.ReadCloser
	left int
}

// Read implements io.Reader.
func (b *limitedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("the provider sends more than %d bytes", maxResponse)
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
