package signin

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
)

const (
	// flowLifetime is the maximum time between Begin and Finish.
	flowLifetime = 10 * time.Minute
	// discoveryAge is how long the provider's discovery document is cached. Its keys are also fetched
	// whenever a token refers to an unknown key.
	discoveryAge = time.Hour
	// clockSkew is a tolerance for different clocks: for expired tokens, and for sessions that started
	// shortly after a logout token.
	clockSkew = time.Minute
	// retryAfter is the minimum time between attempts to read a provider's discovery document after a
	// failure. It is also the minimum time between fetches of its keys for logout tokens, which anybody can
	// send.
	retryAfter = 5 * time.Second
)

// Providers are the providers from the settings. Create it with New. It is safe for concurrent use.
type Providers struct {
	all     []*provider
	baseURL string
	secrets func() []string // secrets that sign flows: the first one signs, all are accepted
	now     func() time.Time
	log     *slog.Logger
}

// provider is a provider and its discovery document, which is fetched when it is first needed.
type provider struct {
	Config
	discovered atomic.Pointer[discovered]
	turn       chan struct{} // held while somebody reads the discovery document
	failure    error         // error of the last attempt; guarded by turn
	failedAt   time.Time
}

type discovered struct {
	*oidc.Provider
	metadata metadata
	at       time.Time
	logouts  *oidc.IDTokenVerifier // with separate keys, which are fetched at most every retryAfter
}

// metadata contains the fields of a discovery document that go-oidc does not read.
type metadata struct {
	EndSession  string   `json:"end_session_endpoint"`
	AuthMethods []string `json:"token_endpoint_auth_methods_supported"`
	SendsIssuer bool     `json:"authorization_response_iss_parameter_supported"`
	JWKS        string   `json:"jwks_uri"`
}

// New returns the providers. baseURL is the public URL of the server, without a trailing slash. secrets sign
// the flow that a browser stores while somebody is at a provider. All servers must have the same secrets.
func New(
	all []Config, baseURL string, secrets func() []string, now func() time.Time, log *slog.Logger,
) (*Providers, error) {
	if len(all) > 0 && baseURL == "" {
		return nil, errors.New("sign-in providers need the setting base-url, to which they lead back")
	}
	p := &Providers{baseURL: baseURL, secrets: secrets, now: now, log: log}
	for _, c := range all {
		p.all = append(p.all, &provider{Config: c, turn: make(chan struct{}, 1)})
	}
	return p, nil
}

// Listed is the public description of a provider.
type Listed struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// List returns the providers in the order of the settings. It returns none for nil.
func (p *Providers) List() []Listed {
	list := []Listed{}
	if p != nil {
		for _, one := range p.all {
			list = append(list, Listed{one.ID, one.Name})
		}
	}
	return list
}

// LinkIssuers returns the issuers of the providers that link accounts by e-mail address.
func (p *Providers) LinkIssuers() (issuers []string) {
	if p != nil {
		for _, one := range p.all {
			if one.LinkByEmail {
				issuers = append(issuers, one.Issuer)
			}
		}
	}
	return issuers
}

// Secure reports whether browsers access the server over TLS, so that its cookies can be restricted to TLS.
func (p *Providers) Secure() bool { return p != nil && strings.HasPrefix(p.baseURL, "https:") }

// find returns a provider. It returns fault.NotFound if the settings contain none with this id.
func (p *Providers) find(id string) (*provider, error) {
	if p != nil {
		for _, one := range p.all {
			if one.ID == id {
				return one, nil
			}
		}
	}
	return nil, fault.New(fault.NotFound, "there is no sign-in provider %q", id)
}

// Begin returns the URL of a provider to which the browser is redirected, the state, and the flow that the
// browser stores for Finish. next is the path of the application to which the person returns.
func (p *Providers) Begin(ctx context.Context, id, next string) (location, state, flow string, err error) {
	one, err := p.find(id)
	if err != nil {
		return "", "", "", err
	}
	d, err := p.discover(ctx, one)
	if err != nil {
		return "", "", "", err
	}
	f := Flow{
		Provider: id,
		State:    rand.Text(),
		Nonce:    rand.Text(),
		Verifier: oauth2.GenerateVerifier(),
		Next:     safePath(next),
		Ends:     p.now().Add(flowLifetime),
	}
	location = p.client(one, d).AuthCodeURL(f.State, oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier))
	flow, err = auth.SignValue(p.secrets()[0], f)
	return location, f.State, flow, err
}

// safePath returns the path if it belongs to this application, and the start page otherwise. A link must not
// lead to another site through a sign-in.
func safePath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") ||
		strings.ContainsAny(next, "\\\r\n\t") || len(next) > 2000 {
		return "/"
	}
	return next
}

// Answer contains the parameters that a provider adds to the redirect URI.
type Answer struct{ Code, State, Issuer, Error string }

// Person is a person whom a provider has signed in.
type Person struct {
	Provider Config
	Issuer   string
	Subject  string
	Session  string // session id at the provider, for its logout; may be empty
	State    string // state of the flow, which can be used only once
	Ends     time.Time
	Role     auth.Role // role for the claims; empty: not mapped
	Denied   bool      // the claims do not allow access
	Email    string    // empty unless the provider has verified it
	Username string    // preferred username; may be empty
	Name     string
	Next     string
}

// Finish exchanges a provider's response for the person. flow is the result of Begin that this browser
// stored. It returns fault.Forbidden if the provider did not sign the person in, fault.Unauthenticated if the
// response is for another browser, was modified, is too old, or has an invalid token, and fault.Unavailable
// if the provider does not respond.
func (p *Providers) Finish(ctx context.Context, id, flow string, a Answer) (*Person, error) {
	one, err := p.find(id)
	if err != nil {
		return nil, err
	}
	f, err := readFlow(flow, p.secrets(), p.now())
	if err != nil || f.Provider != id || subtle.ConstantTimeCompare([]byte(f.State), []byte(a.State)) != 1 {
		return nil, fault.Wrap(err, fault.Unauthenticated,
			"this sign-in has expired or was started in another browser, try again")
	}
	if a.Error != "" {
		p.warn(ctx, one, "the provider refused", errors.New(shorten(a.Error)))
		return nil, fault.New(fault.Forbidden, "%s did not sign you in", one.Name)
	}
	d, err := p.discover(ctx, one)
	if err != nil {
		return nil, err
	}
	if a.Issuer != "" && a.Issuer != one.Issuer || a.Issuer == "" && d.metadata.SendsIssuer {
		return nil, p.refuse(ctx, one, fmt.Errorf("the answer is from the issuer %q", shorten(a.Issuer)))
	}
	ctx = oidc.ClientContext(ctx, httpClient)
	token, err := p.client(one, d).Exchange(ctx, a.Code, oauth2.VerifierOption(f.Verifier))
	if err != nil {
		return nil, p.failed(ctx, one, "the code was not exchanged", err)
	}
	raw, _ := token.Extra("id_token").(string)
	verified, err := p.verifier(one, d).Verify(ctx, raw)
	if err != nil {
		return nil, p.failed(ctx, one, "the ID token does not hold", err)
	}
	if subtle.ConstantTimeCompare([]byte(verified.Nonce), []byte(f.Nonce)) != 1 {
		return nil, p.refuse(ctx, one, errors.New("the nonce of the ID token is not the one that was sent"))
	}
	var claims map[string]any
	if err := verified.Claims(&claims); err != nil {
		return nil, p.refuse(ctx, one, err)
	}
	if err := p.complete(ctx, one, d, token, claims); err != nil {
		return nil, err
	}
	return p.person(ctx, one, f, verified, claims)
}

// complete adds to the claims of an ID token what the settings need and the token lacks. A sign-in continues
// without names, because only a new account needs them, and it gets a generated name.
func (p *Providers) complete(
	ctx context.Context, one *provider, d *discovered, token *oauth2.Token, claims map[string]any,
) error {
	decisive := one.lacks(claims)
	if d.UserInfoEndpoint() == "" || !decisive && !one.lacksNames(claims) {
		return nil
	}
	info, err := d.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err == nil {
		return p.addUserInfo(ctx, one, info, claims)
	}
	err = p.failed(ctx, one, "the userinfo endpoint does not answer", err)
	if !decisive {
		return nil
	}
	return err
}

// lacks reports whether an ID token lacks claims that determine who signs in and with which role.
func (c *Config) lacks(claims map[string]any) bool {
	_, hasRoles := claimOf(claims, c.RolesClaim)
	_, hasEmail := claims["email"]
	return c.RolesClaim != "" && !hasRoles || c.LinkByEmail && !hasEmail
}

// lacksNames reports whether a new account would lack a name. Many providers leave names to the userinfo endpoint, as
// OpenID Connect Core 1.0, 5.4, describes for the code flow.
func (c *Config) lacksNames(claims map[string]any) bool {
	_, hasName := claims["name"]
	_, hasUsername := claims["preferred_username"]
	return c.CreateAccounts && !(hasName && hasUsername)
}

// addUserInfo adds the claims of the userinfo endpoint that are missing in the ID token. It never adds claims
// that protect the sign-in, because the response is not signed for this client.
func (p *Providers) addUserInfo(
	ctx context.Context, one *provider, info *oidc.UserInfo, claims map[string]any,
) error {
	if info.Subject != claims["sub"] { // OpenID Connect Core 1.0, 5.3.2
		return p.refuse(ctx, one, errors.New("the userinfo endpoint describes another subject"))
	}
	var more map[string]any
	if err := info.Claims(&more); err != nil {
		return p.refuse(ctx, one, err)
	}
	verified := claims // email_verified refers to the address from the same source
	if _, has := claims["email"]; has {
		verified = more
	}
	delete(verified, "email_verified")
	for _, name := range []string{"aud", "azp", "exp", "iat", "iss", "nonce", "sid"} {
		delete(more, name)
	}
	for name, value := range more {
		if _, has := claims[name]; !has {
			claims[name] = value
		}
	}
	return nil
}

// person converts the claims of a verified ID token and the userinfo endpoint. It compares names of claims exactly,
// while encoding/json ignores their case: a provider may let people choose claims themselves. Claims of an unexpected
// type count as missing.
func (p *Providers) person(
	ctx context.Context, one *provider, f *Flow, token *oidc.IDToken, all map[string]any,
) (*Person, error) {
	text := func(name string) string {
		value, _ := all[name].(string)
		return value
	}
	subject, session, party := text("sub"), text("sid"), all["azp"]
	switch {
	case subject != token.Subject:
		return nil, p.refuse(ctx, one, errors.New("the ID token has two subjects"))
	case subject == "" || len(subject) > 255 || len(session) > 255:
		return nil, p.refuse(ctx, one, errors.New("the subject or session of the ID token is empty or too long"))
	case party != nil && party != one.ClientID, party == nil && len(token.Audience) > 1:
		return nil, p.refuse(ctx, one, errors.New("the ID token was issued to another client"))
	}
	role, denied := one.role(all)
	if denied {
		p.warn(ctx, one, "nothing maps to a role", fmt.Errorf("claim %s of %s", one.RolesClaim, subject))
	}
	person := &Person{
		Provider: one.Config, Issuer: one.Issuer, Subject: subject, Session: session,
		State: f.State, Ends: f.Ends, Role: role, Denied: denied,
		Username: text("preferred_username"), Name: text("name"), Next: f.Next,
	}
	if verified := all["email_verified"]; verified == true || verified == "true" { // some providers write it as text
		person.Email = text("email")
	}
	return person, nil
}

// NoAccess returns the error for people whom a provider knows, but who have no access here.
func NoAccess(name string) error {
	return fault.New(fault.Forbidden, "Your account at %s has no access here", name)
}

// Ended describes whose sessions a provider has ended.
type Ended struct {
	Provider, Issuer, Subject, Session string

	Token   string    // id of the logout token, which can be used only once
	Expires time.Time // when the token expires
	Until   time.Time // sessions that started later are not affected
}

// Logout verifies the token of a back-channel logout. It returns fault.Invalid for an invalid token.
func (p *Providers) Logout(ctx context.Context, id, token string) (*Ended, error) {
	one, err := p.find(id)
	if err != nil {
		return nil, err
	}
	if !claimsToBe(token, one) {
		return nil, fault.New(fault.Invalid, "the logout token is not valid")
	}
	d, err := p.discover(ctx, one)
	if err != nil {
		return nil, err
	}
	verified, err := d.logouts.VerifyLogout(oidc.ClientContext(ctx, httpClient), token)
	if err == nil && verified.IssuedAt.IsZero() {
		err = errors.New("it has no claim iat, so it cannot say which sessions it ends")
	}
	if err != nil {
		p.warn(ctx, one, "a logout token is not valid", err)
		return nil, fault.Wrap(err, fault.Invalid, "the logout token is not valid")
	}
	return &Ended{
		Provider: id, Issuer: one.Issuer, Subject: verified.Subject, Session: verified.SessionID,
		Token: verified.TokenID, Expires: verified.Expiry.Add(clockSkew), Until: verified.IssuedAt.Add(clockSkew),
	}, nil
}

// claimsToBe reports whether a token, which is not verified yet, claims to be from a provider for its client.
// Other tokens are rejected before the provider's keys are fetched.
func claimsToBe(token string, one *provider) bool {
	_, rest, _ := strings.Cut(token, ".")
	body, _, _ := strings.Cut(rest, ".")
	data, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil {
		return false
	}
	var claims map[string]any
	if err := json.Unmarshal(data, &claims); err != nil {
		return false
	}
	return claims["iss"] == one.Issuer && slices.Contains(valuesOf(claims, "aud"), one.ClientID)
}

// LogoutURL returns the URL where a browser logs out at the provider, which then redirects it back. It is
// empty if the settings or the provider do not support this.
func (p *Providers) LogoutURL(ctx context.Context, id string) string {
	one, err := p.find(id)
	if err != nil || !one.EndSession {
		return ""
	}
	d, err := p.discover(ctx, one)
	if err != nil || checkURL(d.metadata.EndSession) != nil {
		return ""
	}
	u, err := url.Parse(d.metadata.EndSession)
	if err != nil {
		return ""
	}
	query := u.Query()
	query.Set("client_id", one.ClientID)
	query.Set("post_logout_redirect_uri", p.baseURL+"/login")
	u.RawQuery = query.Encode()
	return u.String()
}

// Check returns an error unless a provider's discovery document contains what this server needs.
func (p *Providers) Check(ctx context.Context, id string) error {
	one, err := p.find(id)
	if err == nil {
		_, err = p.describe(ctx, one)
	}
	if err != nil {
		return fmt.Errorf("%s: %s", id, shorten(err.Error()))
	}
	return nil
}

// discover returns a provider's discovery document. It returns fault.Unavailable if the provider does not
// respond.
func (p *Providers) discover(ctx context.Context, one *provider) (*discovered, error) {
	if d := one.discovered.Load(); d != nil && p.now().Sub(d.at) < discoveryAge {
		return d, nil
	}
	select {
	case one.turn <- struct{}{}:
		defer func() { <-one.turn }()
	case <-ctx.Done():
		return nil, errUnavailable(one.Name)
	}
	if d := one.discovered.Load(); d != nil && p.now().Sub(d.at) < discoveryAge { // another request has read it
		return d, nil
	}
	if one.failure != nil && p.now().Sub(one.failedAt) < retryAfter {
		return nil, one.failure
	}
	d, err := p.describe(ctx, one)
	if err == nil {
		one.discovered.Store(d)
		one.failure = nil
		return d, nil
	}
	err = p.failed(ctx, one, "the description cannot be read", err)
	if ctx.Err() == nil { // otherwise only this request was canceled
		one.failure, one.failedAt = err, p.now()
	}
	return nil, err
}

func (p *Providers) describe(ctx context.Context, one *provider) (*discovered, error) {
	found, err := oidc.NewProvider(oidc.ClientContext(ctx, httpClient), one.Issuer)
	if err != nil {
		return nil, err
	}
	d := &discovered{Provider: found, at: p.now()}
	if err := found.Claims(&d.metadata); err != nil {
		return nil, err
	}
	for name, endpoint := range map[string]string{
		"authorization endpoint": found.Endpoint().AuthURL,
		"token endpoint":         found.Endpoint().TokenURL,
		"URL of keys":            d.metadata.JWKS,
		"userinfo endpoint":      cmp.Or(found.UserInfoEndpoint(), one.Issuer),
	} {
		if err := checkURL(endpoint); err != nil {
			return nil, fmt.Errorf("the %s %q %w", name, shorten(endpoint), err)
		}
	}
	limited := *httpClient
	limited.Transport = &seldom{RoundTripper: httpClient.Transport, now: p.now}
	d.logouts = found.VerifierContext(oidc.ClientContext(ctx, &limited), p.verifies(one))
	return d, nil
}

func (p *Providers) client(one *provider, d *discovered) *oauth2.Config {
	endpoint := d.Endpoint()
	// Never try both, as oauth2 does by default, because a code can only be used once.
	endpoint.AuthStyle = oauth2.AuthStyleInHeader
	methods := d.metadata.AuthMethods
	if one.secret == "" || len(methods) > 0 && !slices.Contains(methods, "client_secret_basic") {
		endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	return &oauth2.Config{
		ClientID:     one.ClientID,
		ClientSecret: one.secret,
		Endpoint:     endpoint,
		RedirectURL:  p.baseURL + "/signin/" + one.ID,
		Scopes:       append([]string{oidc.ScopeOpenID}, one.Scopes...),
	}
}

// verifier accepts tokens of the provider for its client that are signed with an asymmetric algorithm.
func (p *Providers) verifier(one *provider, d *discovered) *oidc.IDTokenVerifier {
	return d.Verifier(p.verifies(one))
}

func (p *Providers) verifies(one *provider) *oidc.Config {
	return &oidc.Config{
		ClientID: one.ClientID,
		Now:      func() time.Time { return p.now().Add(-clockSkew) },
	}
}

// failed logs why a provider cannot be used, and returns the error for the person: fault.Unavailable if the
// provider does not respond, and fault.Unauthenticated otherwise.
func (p *Providers) failed(ctx context.Context, one *provider, what string, err error) error {
	p.warn(ctx, one, what, err)
	var refused *oauth2.RetrieveError
	var unreachable *url.Error
	if errors.As(err, &refused) && refused.Response.StatusCode < 500 ||
		!errors.As(err, &unreachable) && refused == nil {
		return errRefused(one.Name)
	}
	return errUnavailable(one.Name)
}

func errUnavailable(name string) error {
	return fault.New(fault.Unavailable, "%s does not respond, try again later", name)
}

// refuse logs why a response is rejected, and returns the error for the person.
func (p *Providers) refuse(ctx context.Context, one *provider, err error) error {
	p.warn(ctx, one, "the answer is not accepted", err)
	return errRefused(one.Name)
}

func errRefused(name string) error {
	return fault.New(fault.Unauthenticated, "the sign-in through %s failed, try again", name)
}

// warn logs a message for operators. Errors contain neither tokens nor codes. Texts from the provider are
// truncated.
func (p *Providers) warn(ctx context.Context, one *provider, what string, err error) {
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) {
		err = fmt.Errorf("%s: %s %s", refused.Response.Status, refused.ErrorCode, refused.ErrorDescription)
	}
	p.log.WarnContext(ctx, "sign-in: "+what, "provider", one.ID, "error", shorten(err.Error()))
}

func shorten(text string) string { return strings.ToValidUTF8(text[:min(len(text), 300)], "") }
