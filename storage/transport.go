package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"time"
)

const (
	connectTimeout = 2 * time.Second
	// max time until the first byte of a response
	readTimeout   = 3 * time.Second
	listTimeout   = 10 * time.Second
	changeTimeout = time.Minute // includes the upload; servers take seconds to join the parts of an object
	maxTries      = 3           // with the pauses of each cloud's client in between
)

// newTransport returns a transport to an object store. control is called before each connection with the resolved
// address; nil: all are allowed.
func newTransport(
	control func(network, address string, c syscall.RawConn) error,
	proxy func(*http.Request) (*url.URL, error),
) *http.Transport {
	dialer := &net.Dialer{Timeout: connectTimeout, Control: control}
	return &http.Transport{DialContext: dialer.DialContext, Proxy: proxy, TLSHandshakeTimeout: 2 * connectTimeout,
		ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 64, IdleConnTimeout: 90 * time.Second,
		DisableCompression: true}
}

// timeoutTransport limits how long a response may take, and tells the circuit breaker whether the server responds at
// all.
type timeoutTransport struct {
	next    http.RoundTripper
	breaker *breaker
	isList  func(*http.Request) bool // of a GET
}

var errSlow = errors.New("the storage did not answer in time")

// RoundTrip implements http.RoundTripper.
func (t timeoutTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	caller := r.Context()
	ctx, cancel := context.WithCancel(caller)
	timeout := time.AfterFunc(t.timeout(r), cancel)
	response, err := t.next.RoundTrip(r.WithContext(ctx))
	if caller.Err() == nil { // a request that the caller has canceled says nothing about the server
		t.breaker.record(err)
	}
	if err != nil {
		if caller.Err() == nil && ctx.Err() != nil {
			err = errSlow // instead of Canceled, which would look as if the caller had canceled
		}
		cancel()
		return nil, err
	}
	timeout.Stop()
	response.Body = cancelBody{response.Body, cancel}
	return response, nil
}

// timeout returns how long the first byte of the response to r may take.
func (t timeoutTransport) timeout(r *http.Request) time.Duration {
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return changeTimeout
	case t.isList(r):
		return listTimeout
	}
	return readTimeout
}

// cancelBody is a response body that cancels the request's context when closed.
type cancelBody struct {
	io.ReadCloser
	cancel context.CancelFunc
}

// Close implements io.Closer.
func (b cancelBody) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

// refusal is an error response of Google Cloud Storage or Azure.
type refusal struct {
	status int
	code   string // such as AuthenticationFailed
}

// Error implements error.
func (r *refusal) Error() string { return fmt.Sprintf("the storage answered %d %s", r.status, r.code) }
