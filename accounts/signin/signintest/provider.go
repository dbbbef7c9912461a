// Package signintest is an OpenID Connect provider for tests. By default it behaves correctly. Tests can
// change its responses.
package signintest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// The registered client.
const (
	ClientID     = "safelight"
	ClientSecret = "the secret: of/the client+"
)

// Provider is a provider. Its fields may be changed between requests.
type Provider struct {
	*httptest.Server
	Claims map[string]any // of the next ID tokens, in addition to the required claims
	Info   map[string]any // of the userinfo endpoint; nil: no such endpoint
	Now    func() time.Time
	// Forge, if not nil, creates the ID token from the correct claims.
	Forge func(claims map[string]any) string
	// Before, if not nil, can handle a request. It returns false if the provider should handle it.
	Before func(w http.ResponseWriter, r *http.Request) bool
	// Metadata replaces entries of the discovery document; nil values remove them.
	Metadata map[string]any

	mutex    sync.Mutex
	key      *ecdsa.PrivateKey
	keyID    string
	codes    map[string]url.Values // request parameters by the code that was issued for them
	Requests map[string]int        // number of requests by path

	accessTokens map[string]bool
}

// New starts a provider. It stops when the test ends.
func New(t testing.TB) *Provider {
	p := &Provider{
		Claims: map[string]any{"sub": "1"}, Now: time.Now,
		codes: map[string]url.Values{}, Requests: map[string]int{}, accessTokens: map[string]bool{},
	}
	p.RotateKey()
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

// RotateKey creates a new key. Tokens of the previous key become invalid.
func (p *Provider) RotateKey() {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.key, p.keyID = key, rand.Text()
}

// Keys returns the current signing key and its id.
func (p *Provider) Keys() (*ecdsa.PrivateKey, string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.key, p.keyID
}

// Sign returns a token.
func (p *Provider) Sign(claims map[string]any) string {
	key, id := p.Keys()
	return Sign(jose.ES256, key, id, claims)
}

// Sign returns a token that is signed with a key and an algorithm.
func Sign(algorithm jose.SignatureAlgorithm, key any, id string, claims map[string]any) string {
	options := (&jose.SignerOptions{}).WithType("JWT").WithHeader("kid", id)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, options)
	if err != nil {
		panic(err)
	}
	token, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		panic(err)
	}
	return token
}

// Visit follows the URL to which a browser is redirected, signs in, and returns the provider's response.
func (p *Provider) Visit(location string) (code, state string) {
	u, err := url.Parse(location)
	if err != nil {
		panic(err)
	}
	code = rand.Text()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.codes[code] = u.Query()
	return code, u.Query().Get("state")
}

// ServeHTTP implements http.Handler.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mutex.Lock()
	p.Requests[r.URL.Path]++
	p.mutex.Unlock()
	if p.Before != nil && p.Before(w, r) {
		return
	}
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		p.describe(w)
	case "/keys":
		key, id := p.Keys()
		answer(w, http.StatusOK, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{
			{Key: key.Public(), KeyID: id, Algorithm: string(jose.ES256), Use: "sig"},
		}})
	case "/authorize":
		code, state := p.Visit(r.URL.String())
		back := url.Values{"code": {code}, "state": {state}, "iss": {p.URL}}
		http.Redirect(w, r, r.URL.Query().Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	case "/token":
		p.token(w, r)
	case "/userinfo":
		p.mutex.Lock()
		known := p.accessTokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
		p.mutex.Unlock()
		if !known {
			answer(w, http.StatusUnauthorized, map[string]string{"error": "invalid_token"})
			return
		}
		answer(w, http.StatusOK, p.Info)
	default:
		http.NotFound(w, r)
	}
}

func (p *Provider) describe(w http.ResponseWriter) {
	all := map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token",
		"jwks_uri": p.URL + "/keys", "end_session_endpoint": p.URL + "/logout",
		"id_token_signing_alg_values_supported": []string{"ES256", "HS256", "none"},
	}
	if p.Info != nil {
		all["userinfo_endpoint"] = p.URL + "/userinfo"
	}
	for name, value := range p.Metadata {
		all[name] = value
	}
	answer(w, http.StatusOK, all)
}

// token exchanges a code for tokens, once, for the client that requested the code.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	id, _ = url.QueryUnescape(id)
	secret, _ = url.QueryUnescape(secret)
	p.mutex.Lock()
	asked, ok := p.codes[r.FormValue("code")]
	delete(p.codes, r.FormValue("code"))
	p.mutex.Unlock()
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	switch {
	case id != ClientID || secret != ClientSecret:
		answer(w, http.StatusUnauthorized, map[string]string{"error": "invalid_client"})
	case !ok || asked.Get("redirect_uri") != r.FormValue("redirect_uri") ||
		asked.Get("code_challenge_method") != "S256" ||
		asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:crypto.SHA256.Size()]):
		answer(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant"})
	default:
		claims := map[string]any{
			"iss": p.URL, "aud": ClientID, "nonce": asked.Get("nonce"),
			"iat": p.Now().Unix(), "exp": p.Now().Add(5 * time.Minute).Unix(),
		}
		for name, value := range p.Claims {
			claims[name] = value
		}
		forge := p.Forge
		if forge == nil {
			forge = p.Sign
		}
		access := rand.Text()
		p.mutex.Lock()
		p.accessTokens[access] = true
		p.mutex.Unlock()
		answer(w, http.StatusOK, map[string]any{
			"access_token": access, "token_type": "Bearer", "expires_in": 300, "id_token": forge(claims),
		})
	}
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
