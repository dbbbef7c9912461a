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

// notPublic returns the same message for every rejected address, so that it does not reveal what exists there.
func notPublic(host string, err error) error {
	return fault.Wrap(err, fault.Forbidden, "the address of %s is not public", host)
}

// translate turns an error into a fault about host, which the caller named. Other hosts and addresses stay in the
// cause, which is logged and not shown.
func translate(err error, host string) error {
	var f *fault.Error
	if errors.As(err, &f) {
		return f
	}
	var n net.Error
	switch {
	case errors.Is(err, ErrNotPublic):
		return notPublic(host, err)
	case errors.Is(err, context.Canceled):
		return fault.Wrap(err, fault.Canceled, "fetching from %s was canceled", host)
	case errors.As(err, &n) && n.Timeout():
		return fault.Wrap(err, fault.Timeout, "%s took too long", host)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fault.Wrap(err, fault.Unavailable, "%s ended its response early", host)
	}
	return fault.Wrap(err, fault.Unavailable, "%s does not respond", host)
}

// reason removes the URL from an error of net/url, because its query may contain a secret.
func reason(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// checkStatus returns an error unless the status is 200.
func checkStatus(r *http.Response, host string) error {
	switch r.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusNotFound, http.StatusGone:
		return fault.New(fault.NotFound, "%s has no such image, it responded with %d", host, r.StatusCode)
	}
	return fault.New(fault.Unavailable, "%s responded with %d, expected 200", host, r.StatusCode)
}

func tooLarge(host string, limit int64) error {
	return fault.New(fault.TooLarge, "the picture from %s is larger than %d bytes", host, limit)
}
