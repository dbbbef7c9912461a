//go:build gs

package storage

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/oauth2"

	"github.com/safelight/safelight/fault"
)

// gsForm is what an address of a bucket of Google Cloud Storage looks like.
const gsForm = "gs://bucket/prefix?endpoint=&anonymous=true"

var gsDrivers = []Driver{{Scheme: "gs", Form: gsForm, Open: openGS, Place: func(u *url.URL) string { return u.Host }}}

var gsName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$`)

// openGS opens the bucket of an address. It connects to nothing yet. STORAGE_EMULATOR_HOST is the address of an emulator,
// as for Google's own clients.
func openGS(_ context.Context, u *url.URL, o OpenOptions) (Store, error) {
	endpoint, anonymous := "https://storage.googleapis.com", false
	if host := firstEnv("STORAGE_EMULATOR_HOST"); host != "" {
		if endpoint, anonymous = host, true; !strings.Contains(host, "://") {
			endpoint = "http://" + host
		}
	}
	for name, values := range u.Query() {
		var err error
		switch name {
		case "endpoint":
			endpoint = values[0]
		case "anonymous":
			anonymous, err = strconv.ParseBool(values[0])
		default:
			err = errors.New("unknown parameter")
		}
		if err != nil {
			return nil, fault.OnField(fault.Invalid, "storage", "the parameter %s of the Google Cloud Storage address cannot be used, expected %s", name, gsForm)
		}
	}
	if !gsName.MatchString(u.Host) {
		return nil, fault.OnField(fault.Invalid, "storage", "Google Cloud Storage does not accept %q as a bucket's name, expected %s", u.Host, gsForm)
	}
	endpoint = strings.TrimRight(endpoint, "/")
	if err := checkEndpoint(endpoint, anonymous); err != nil {
		return nil, err
	}
	transport := newTransport(nil, http.ProxyFromEnvironment)
	b := &gsBucket{base: endpoint, bucket: u.Host, prefix: prefixOf(u.Path), transport: transport, breaker: &breaker{}}
	plain := answering{transport, b.breaker, isGSList}
	b.plain, b.signed = plain, plain
	if !anonymous {
		tokens, err := gsTokens(o.Credentials, transport)
		if err != nil {
			return nil, err
		}
		b.signed = &oauth2.Transport{Source: tokens, Base: plain}
	}
	return &bucket{o: b}, nil
}
