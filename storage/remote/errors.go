package remote

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"

	"github.com/safelight/safelight/fault"
)

// notPublic is the same for every refused address, so that it says nothing about what is there.
func notPublic(host string, err error) error {
	return fault.Wrap(err, fault.Forbidden, "the address of %s is not public", host)
}

// translate turns an error about host, the one that the caller named, into a fault. Other hosts
// and addresses stay in the cause, which is logged and not shown.
func translate(err error, host string) error {
	var f *fault.Error
	if errors.As(err, &f) {
		return f
	}
	var n net.Error
	switch {
	case errors.Is(err, errNotPublic):
		return notPublic(host, err)
	case errors.Is(err, context.Canceled):
		return fault.Wrap(err, fault.Canceled, "fetching from %s was given up", host)
	case errors.As(err, &n) && n.Timeout():
		return fault.Wrap(err, fault.Timeout, "%s took too long", host)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fault.Wrap(err, fault.Unavailable, "%s ended its answer early", host)
	}
	return fault.Wrap(err, fault.Unavailable, "%s does not answer", host)
}

// reason takes the URL out of an error of net/url: its query may hold a secret.
func reason(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// checkStatus returns nil for 200 only.
func checkStatus(r *http.Response, host string) error {
	switch r.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusNotFound, http.StatusGone:
		return fault.New(fault.NotFound, "%s has no such picture, it answered %d", host, r.StatusCode)
	}
	return fault.New(fault.Unavailable, "%s answered %d, expected 200", host, r.StatusCode)
}

func tooLarge(host string, limit int64) error {
	return fault.New(fault.TooLarge, "the picture from %s is larger than %d bytes", host, limit)
}
