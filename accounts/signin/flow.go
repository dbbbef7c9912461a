package signin

import (
	"errors"
	"time"

	"github.com/safelight/safelight/auth"
)

// Flow is a sign-in in progress. The browser stores it in a cookie, so that the response of a provider is
// only accepted from the browser that started the sign-in.
type Flow struct {
	Provider string    `json:"p"`
	State    string    `json:"s"`
	Nonce    string    `json:"n"`
	Verifier string    `json:"v"` // of PKCE
	Next     string    `json:"to"`
	Ends     time.Time `json:"e"`
}

var errFlow = errors.New("the browser has no such flow")

// readFlow decodes a flow that was signed with one of the secrets and has not expired.
func readFlow(text string, secrets []string, now time.Time) (*Flow, error) {
	var f Flow
	if !auth.ReadSigned(text, secrets, &f) || !now.Before(f.Ends) {
		return nil, errFlow
	}
	return &f, nil
}
