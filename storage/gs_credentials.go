//go:build gs

package storage

import (
	"context"
	"encoding/base64"
	"net/http"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"github.com/safelight/safelight/fault"
)

const gsScope = "https://www.googleapis.com/auth/devstorage.read_write"

// tokenTimeout bounds the request for a token.
const tokenTimeout = 10 * time.Second

// gsTokens returns the tokens of a service account, whose key file own contains in base64. Without own, they come from
// the environment: GOOGLE_APPLICATION_CREDENTIALS (a service account, or workload identity federation), gcloud's
// default credentials, or the metadata server of the machine, of GKE or of Cloud Run.
func gsTokens(own Credentials, transport *http.Transport) (oauth2.TokenSource, error) {
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, &http.Client{Transport: transport,
		Timeout: tokenTimeout})
	if own.ID == "" {
		return &foundTokens{ctx: ctx}, nil
	}
	file, err := base64.StdEncoding.DecodeString(own.Secret)
	if err != nil {
		return nil, errGSKey
	}
	account, err := google.JWTConfigFromJSON(file, gsScope)
	if err != nil || account.Email != own.ID {
		return nil, errGSKey
	}
	return oauth2.ReuseTokenSource(nil, account.TokenSource(ctx)), nil
}

var errGSKey = fault.OnField(fault.Invalid, "storage", "the key of a Google bucket cannot be used, expected the "+
	"e-mail address of a service account and its JSON key file in base64")

// foundTokens looks for credentials when the first request needs them, because the metadata server is on the network.
type foundTokens struct {
	ctx    context.Context
	mu     sync.Mutex
	source oauth2.TokenSource
}

// Token implements oauth2.TokenSource.
func (f *foundTokens) Token() (*oauth2.Token, error) {
	f.mu.Lock()
	if f.source == nil {
		found, err := google.FindDefaultCredentials(f.ctx, gsScope)
		if err != nil {
			f.mu.Unlock()
			return nil, fault.Wrap(err, fault.Unavailable, "there are no credentials of Google Cloud, expected the "+
				"variable GOOGLE_APPLICATION_CREDENTIALS or a machine that has a service account")
		}
		f.source = found.TokenSource
	}
	source := f.source
	f.mu.Unlock()
	token, err := source.Token()
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "Google Cloud refuses a token for the credentials")
	}
	return token, nil
}
