//go:build gs

package storage

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	gcs "cloud.google.com/go/storage"
	"github.com/googleapis/gax-go/v2"
	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"

	"github.com/safelight/safelight/fault"
)

// gsForm is the form of the address of a bucket of Google Cloud Storage.
const gsForm = "gs://bucket/prefix?endpoint=&anonymous=true"

var gsDrivers = []Driver{{Scheme: "gs", Form: gsForm, Open: openGS, Place: func(u *url.URL) string { return u.Host }}}

var gsName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$`)

// openGS returns the store at an address, without connecting to it. STORAGE_EMULATOR_HOST may name an emulator.
func openGS(ctx context.Context, u *url.URL, o OpenOptions) (Store, error) {
	endpoint, anonymous := "https://storage.googleapis.com", false
	if host := firstEnv("STORAGE_EMULATOR_HOST"); host != "" {
		if endpoint, anonymous = host, true; !strings.Contains(host, "://") {
			endpoint = "http://" + host
		}
	}
	err := eachParameter(u, gsForm, func(name, value string) (err error) {
		switch name {
		case "endpoint":
			endpoint = value
		case "anonymous":
			anonymous, err = strconv.ParseBool(value)
		default:
			err = errUnknownParameter
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if !gsName.MatchString(u.Host) {
		return nil, fault.OnField(fault.Invalid, "storage",
			"Google Cloud Storage does not accept %q as a bucket's name, expected %s", u.Host, gsForm)
	}
	endpoint = strings.TrimRight(endpoint, "/")
	if err := checkEndpoint(endpoint, anonymous); err != nil {
		return nil, err
	}

	transport, b := newTransport(nil, http.ProxyFromEnvironment), &breaker{}
	var signed http.RoundTripper = gsTransport{timeoutTransport{transport, b, isGSList}, b}
	if !anonymous {
		tokens, err := gsTokens(o.Credentials, transport)
		if err != nil {
			return nil, err
		}
		signed = &oauth2.Transport{Source: tokens, Base: signed}
	}
	// Our transport authenticates. Otherwise the client would look for credentials here, over the network.
	client, err := gcs.NewClient(ctx, option.WithoutAuthentication(),
		option.WithHTTPClient(&http.Client{Transport: signed}),
		option.WithEndpoint(endpoint+"/storage/v1/"), gcs.WithJSONReads())
	if err != nil {
		transport.CloseIdleConnections()
		return nil, fault.Wrap(err, fault.Invalid, "the Google Cloud Storage address cannot be used, expected %s",
			gsForm)
	}
	client.SetRetry(gcs.WithPolicy(gcs.RetryAlways), gcs.WithMaxAttempts(maxTries), gcs.WithErrorFunc(isTransientGS),
		gcs.WithBackoff(gax.Backoff{Initial: firstPause, Max: lastPause, Multiplier: 2}))
	return &bucket{o: &gsBucket{client: client, bucket: client.Bucket(u.Host), prefix: prefixOf(u.Path),
		transport: transport}}, nil
}

func isGSList(r *http.Request) bool { return r.URL.Query().Has("maxResults") }

// isTransientGS reports whether a retry may succeed: the server did not respond, or asked for a retry. If a response
// was lost, put and copy find out what the attempt has done.
func isTransientGS(err error) bool {
	var answer *googleapi.Error
	if errors.As(err, &answer) {
		return answer.Code == http.StatusRequestTimeout || answer.Code == http.StatusTooManyRequests ||
			answer.Code >= http.StatusInternalServerError
	}
	return err != nil && fault.CodeOf(err) != fault.Unavailable && !errors.As(err, new(sourceError)) &&
		!errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}

// maxGSPage bounds the bytes of a page of a listing: 1,000 names of 1 KB, escaped as JSON.
const maxGSPage = 16 << 20

// gsTransport sends nothing while the circuit breaker is open, and counts the requests of a change.
type gsTransport struct {
	next    http.RoundTripper
	breaker *breaker
}

// RoundTrip implements http.RoundTripper.
func (t gsTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := t.breaker.check(); err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	countTry(r)
	if r.URL.Query().Get("alt") == "media" { // download a compressed object as it is stored, without decompression
		r = r.Clone(r.Context())
		r.Header.Set("Accept-Encoding", "gzip")
	}
	answer, err := t.next.RoundTrip(r)
	if err == nil && isGSList(r) {
		answer.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(answer.Body, maxGSPage), answer.Body}
	}
	return answer, err
}
