package main

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/subtle"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/zitadel/oidc/v3/pkg/crypto"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

const clientID = "safelight"

// person is somebody who has an account at this provider.
type person struct {
	Subject, Name, Username, Email string
	verified                       bool
	groups                         []string
}

var people = []person{
	{"m-1", "Mira Holm", "mira", "mira@northlight.example", true, []string{"admins"}},
	{"a-2", "Ada Reyes", "ada", "ada@northlight.example", true, []string{"staff"}},
	{"e-3", "Eve Marsh", "eve", "grace@northlight.example", false, []string{"staff"}}, // claims the address of Grace
	{"n-4", "Nobody", "nobody", "nobody@northlight.example", true, nil},
}

func find(subject string) (person, error) {
	i := slices.IndexFunc(people, func(p person) bool { return p.Subject == subject })
	if i < 0 {
		return person{}, errors.New("no such person")
	}
	return people[i], nil
}

// store keeps requests, tokens and keys in memory. It implements op.Storage.
type store struct {
	app, id, secret string

	mutex    sync.Mutex
	requests map[string]*request
	codes    map[string]string // ids of requests
	tokens   map[string]string // subjects
	signs    *signingKey
}

func newStore(app, id, secret string) *store {
	s := &store{
		app: app, id: id, secret: secret,
		requests: map[string]*request{}, codes: map[string]string{}, tokens: map[string]string{},
	}
	s.rotate()
	return s
}

// rotate creates a new key. The previous key is no longer published.
func (s *store) rotate() {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.signs = &signingKey{id: rand.Text(), key: key}
}

func (s *store) key() *signingKey {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.signs
}

var page = template.Must(template.New("").Parse(`<!doctype html><title>Who?</title>
{{range .People}}<p><a href="/chosen?request={{$.Request}}&amp;sub={{.Subject}}">{{.Name}}</a></p>{{end}}`))

func (s *store) choose(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = page.Execute(w, map[string]any{"Request": r.FormValue("request"), "People": people})
}

// signIn records who the user of a browser's request is.
func (s *store) signIn(id, subject string) error {
	if _, err := find(subject); err != nil {
		return err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	r := s.requests[id]
	if r == nil {
		return errNone
	}
	r.subject, r.authTime = subject, time.Now()
	return nil
}

// logout sends the app a logout token for a person, and returns the status of the response.
func (s *store) logout(issuer, subject string) (int, error) {
	claims := oidc.NewLogoutTokenClaims(
		issuer, subject, oidc.Audience{clientID}, time.Now().Add(time.Minute), rand.Text(), "", 0,
	)
	signer, err := op.SignerFromKey(s.key())
	if err != nil {
		return 0, err
	}
	token, err := crypto.Sign(claims, signer)
	if err != nil {
		return 0, err
	}
	response, err := http.PostForm(
		s.app+"/api/auth/providers/"+s.id+"/logout", url.Values{"logout_token": {token}},
	)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

var errNone = errors.New("it does not exist")

// request is a sign-in of a browser. It implements op.AuthRequest.
type request struct {
	oidc.AuthRequest
	id, subject string
	authTime    time.Time
}

func (r *request) GetID() string                      { return r.id }
func (r *request) GetACR() string                     { return "" }
func (r *request) GetAMR() []string                   { return nil }
func (r *request) GetAudience() []string              { return []string{clientID} }
func (r *request) GetAuthTime() time.Time             { return r.authTime }
func (r *request) GetClientID() string                { return r.ClientID }
func (r *request) GetNonce() string                   { return r.Nonce }
func (r *request) GetRedirectURI() string             { return r.RedirectURI }
func (r *request) GetResponseType() oidc.ResponseType { return r.ResponseType }
func (r *request) GetResponseMode() oidc.ResponseMode { return r.ResponseMode }
func (r *request) GetScopes() []string                { return r.Scopes }
func (r *request) GetState() string                   { return r.State }
func (r *request) GetSubject() string                 { return r.subject }
func (r *request) Done() bool                         { return r.subject != "" }
func (r *request) GetCodeChallenge() *oidc.CodeChallenge {
	return &oidc.CodeChallenge{Challenge: r.CodeChallenge, Method: r.CodeChallengeMethod}
}

func (s *store) CreateAuthRequest(_ context.Context, asked *oidc.AuthRequest, _ string) (op.AuthRequest, error) {
	r := &request{AuthRequest: *asked, id: rand.Text()}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.requests[r.id] = r
	return r, nil
}

func (s *store) AuthRequestByID(_ context.Context, id string) (op.AuthRequest, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if r := s.requests[id]; r != nil {
		return r, nil
	}
	return nil, errNone
}

func (s *store) AuthRequestByCode(ctx context.Context, code string) (op.AuthRequest, error) {
	s.mutex.Lock()
	id := s.codes[code]
	s.mutex.Unlock()
	return s.AuthRequestByID(ctx, id)
}

func (s *store) SaveAuthCode(_ context.Context, id, code string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.codes[code] = id
	return nil
}

func (s *store) DeleteAuthRequest(_ context.Context, id string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.requests, id)
	return nil
}

func (s *store) CreateAccessToken(_ context.Context, r op.TokenRequest) (string, time.Time, error) {
	id := rand.Text()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.tokens[id] = r.GetSubject()
	return id, time.Now().Add(5 * time.Minute), nil
}

// SetUserinfoFromRequest adds claims to the ID token besides the standard ones. It adds neither names nor addresses,
// which OpenID Connect Core 1.0, section 5.4 leaves to the userinfo endpoint.
func (s *store) SetUserinfoFromRequest(_ context.Context, info *oidc.UserInfo, r op.IDTokenRequest, _ []string) error {
	p, err := find(r.GetSubject())
	if err != nil {
		return err
	}
	info.Subject = p.Subject
	info.AppendClaims("groups", p.groups)
	info.AppendClaims("sid", "session-of-"+p.Subject)
	return nil
}

func (s *store) SetUserinfoFromToken(_ context.Context, info *oidc.UserInfo, token, subject, _ string) error {
	s.mutex.Lock()
	known := s.tokens[token] == subject
	s.mutex.Unlock()
	p, err := find(subject)
	if err != nil || !known {
		return errNone
	}
	info.Subject, info.Name, info.PreferredUsername = p.Subject, p.Name, p.Username
	info.Email, info.EmailVerified = p.Email, oidc.Bool(p.verified)
	return nil
}

func (s *store) SetUserinfoFromScopes(context.Context, *oidc.UserInfo, string, string, []string) error {
	return nil
}

func (s *store) TerminateSession(context.Context, string, string) error { return nil }

func (s *store) Health(context.Context) error { return nil }

// signingKey implements op.SigningKey and, with its public half, op.Key.
type signingKey struct {
	id  string
	key *rsa.PrivateKey
}

func (k *signingKey) ID() string                                  { return k.id }
func (k *signingKey) Key() any                                    { return k.key }
func (k *signingKey) SignatureAlgorithm() jose.SignatureAlgorithm { return jose.RS256 }

type publicKey struct{ *signingKey }

func (k publicKey) Key() any                           { return &k.key.PublicKey }
func (k publicKey) Use() string                        { return "sig" }
func (k publicKey) Algorithm() jose.SignatureAlgorithm { return jose.RS256 }

func (s *store) SigningKey(context.Context) (op.SigningKey, error) { return s.key(), nil }

func (s *store) KeySet(context.Context) ([]op.Key, error) { return []op.Key{publicKey{s.key()}}, nil }

func (s *store) SignatureAlgorithms(context.Context) ([]jose.SignatureAlgorithm, error) {
	return []jose.SignatureAlgorithm{jose.RS256}, nil
}

// client is the one client. It implements op.Client.
type client struct{ *store }

func (s *store) GetClientByClientID(_ context.Context, id string) (op.Client, error) {
	if id != clientID {
		return nil, errNone
	}
	return client{s}, nil
}

func (s *store) AuthorizeClientIDSecret(_ context.Context, id, secret string) error {
	if id != clientID || subtle.ConstantTimeCompare([]byte(secret), []byte(s.secret)) != 1 {
		return errNone
	}
	return nil
}

func (c client) GetID() string                       { return clientID }
func (c client) RedirectURIs() []string              { return []string{c.app + "/signin/" + c.id} }
func (c client) PostLogoutRedirectURIs() []string    { return []string{c.app + "/login"} }
func (c client) ApplicationType() op.ApplicationType { return op.ApplicationTypeWeb }
func (c client) AuthMethod() oidc.AuthMethod         { return oidc.AuthMethodBasic }
func (c client) ResponseTypes() []oidc.ResponseType {
	return []oidc.ResponseType{oidc.ResponseTypeCode}
}
func (c client) GrantTypes() []oidc.GrantType         { return []oidc.GrantType{oidc.GrantTypeCode} }
func (c client) LoginURL(request string) string       { return "/choose?request=" + request }
func (c client) AccessTokenType() op.AccessTokenType  { return op.AccessTokenTypeBearer }
func (c client) IDTokenLifetime() time.Duration       { return 5 * time.Minute }
func (c client) DevMode() bool                        { return true } // allows http on this machine
func (c client) IsScopeAllowed(string) bool           { return false }
func (c client) IDTokenUserinfoClaimsAssertion() bool { return false }
func (c client) ClockSkew() time.Duration             { return 0 }

func (c client) RestrictAdditionalIdTokenScopes() func([]string) []string {
	return func(scopes []string) []string { return scopes }
}

func (c client) RestrictAdditionalAccessTokenScopes() func([]string) []string {
	return func(scopes []string) []string { return scopes }
}

// Methods that the client of the journeys never needs.

var errUnsupported = errors.New("this provider does not do that")

func (s *store) CreateAccessAndRefreshTokens(
	context.Context, op.TokenRequest, string,
) (access, refresh string, ends time.Time, err error) {
	return "", "", time.Time{}, errUnsupported
}

func (s *store) TokenRequestByRefreshToken(context.Context, string) (op.RefreshTokenRequest, error) {
	return nil, errUnsupported
}

func (s *store) RevokeToken(context.Context, string, string, string) *oidc.Error {
	return oidc.ErrServerError().WithDescription("%s", errUnsupported)
}

func (s *store) GetRefreshTokenInfo(context.Context, string, string) (user, token string, err error) {
	return "", "", op.ErrInvalidRefreshToken
}

func (s *store) SetIntrospectionFromToken(
	context.Context, *oidc.IntrospectionResponse, string, string, string,
) error {
	return errUnsupported
}

func (s *store) GetPrivateClaimsFromScopes(context.Context, string, string, []string) (map[string]any, error) {
	return nil, nil
}

func (s *store) GetKeyByIDAndClientID(context.Context, string, string) (*jose.JSONWebKey, error) {
	return nil, errUnsupported
}

func (s *store) ValidateJWTProfileScopes(context.Context, string, []string) ([]string, error) {
	return nil, errUnsupported
}
