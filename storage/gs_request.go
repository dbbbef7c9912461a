//go:build gs

package storage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/safelight/safelight/fault"
)

// gsRequest is a request of the JSON API.
type gsRequest struct {
	method, path string     // path is escaped, from the endpoint on; a whole URL for a session of an upload
	query        url.Values // nil: none
	header       http.Header
	body         [][]byte // one after the other
	session      bool     // of an upload: its URL is the permission, so no token is sent
}

const (
	maxAnswer   = 1 << 20  // bytes of an error that are read
	maxDocument = 16 << 20 // of a page of names, 1,000 of 1 KB, whose JSON is escaped
)

// pauseBefore waits before the n-th repetition of a request: a random time of a growing one.
func pauseBefore(ctx context.Context, n int) error {
	pause := rand.N(min(firstPause<<n, lastPause))
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(pause):
		return nil
	}
}

// send sends a request, again if the server does not answer or asks for it. sent is how often it may have been carried out.
// The body of an answer without error must be closed.
func (s *gsBucket) send(ctx context.Context, q gsRequest) (answer *http.Response, sent int, err error) {
	if err := s.breaker.check(); err != nil {
		return nil, 0, err
	}
	for {
		answer, err = s.once(ctx, q)
		sent++
		if sent == maxTries || ctx.Err() != nil || fault.CodeOf(err) == fault.Unavailable || err == nil && !isTransient(answer.StatusCode) {
			break
		}
		if err == nil {
			drain(answer)
		}
		if err := pauseBefore(ctx, sent-1); err != nil {
			return nil, sent, err
		}
	}
	if err == nil {
		err = gsError(answer)
	}
	return answer, sent, err
}

func isTransient(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= http.StatusInternalServerError
}

// once returns errors without the URL, which is secret in a session.
func (s *gsBucket) once(ctx context.Context, q gsRequest) (*http.Response, error) {
	address := s.base + q.path
	if q.session {
		address = q.path
	}
	if len(q.query) > 0 {
		address += "?" + q.query.Encode()
	}
	parts := make([]io.Reader, len(q.body))
	size := 0
	for i, part := range q.body {
		parts[i] = bytes.NewReader(part)
		size += len(part)
	}
	r, err := http.NewRequestWithContext(ctx, q.method, address, io.MultiReader(parts...))
	if err != nil {
		return nil, errors.New("the address of a request cannot be used")
	}
	if r.ContentLength = int64(size); size == 0 {
		r.Body = http.NoBody
	}
	for name, values := range q.header {
		r.Header[name] = values
	}
	if q.session {
		return s.plain.RoundTrip(r)
	}
	return s.signed.RoundTrip(r)
}

// gsError returns the error that an answer stands for, and closes its body then.
func gsError(answer *http.Response) error {
	if answer.StatusCode < http.StatusBadRequest {
		return nil
	}
	var told struct {
		Error struct {
			Message string
			Errors  []struct{ Reason string }
		}
	}
	_ = json.NewDecoder(io.LimitReader(answer.Body, maxAnswer)).Decode(&told) // a proxy answers something else
	drain(answer)
	code := http.StatusText(answer.StatusCode)
	if len(told.Error.Errors) > 0 {
		code = told.Error.Errors[0].Reason
	}
	refused := &refusal{answer.StatusCode, code}
	switch {
	case answer.StatusCode == http.StatusNotFound && !strings.Contains(told.Error.Message, "bucket does not exist"):
		return errors.Join(errMissing, refused)
	case answer.StatusCode == http.StatusPreconditionFailed:
		return errors.Join(errChanged, refused)
	}
	return refused
}

// drain reads the rest of an answer, so that its connection can be used again.
func drain(answer *http.Response) {
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxAnswer))
	answer.Body.Close()
}

// ask sends a request and decodes its answer into to, unless it is nil.
func (s *gsBucket) ask(ctx context.Context, q gsRequest, to any) (sent int, err error) {
	answer, sent, err := s.send(ctx, q)
	if err != nil {
		return sent, err
	}
	defer drain(answer)
	if to == nil {
		return sent, nil
	}
	return sent, decode(answer, to)
}

// decode reads an answer of at most maxDocument bytes.
func decode(answer *http.Response, to any) error {
	return json.NewDecoder(io.LimitReader(answer.Body, maxDocument)).Decode(to)
}
