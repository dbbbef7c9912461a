package accounts

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/passkey"
	"github.com/safelight/safelight/fault"
)

// maxPasskeys is the maximum number of passkeys of an account.
const maxPasskeys = 20

// PasskeyChallenge contains what a browser needs to use or create a passkey.
type PasskeyChallenge struct {
	Challenge string `json:"challenge"` // sent back with the response of the browser
	// PublicKey is a PublicKeyCredentialRequestOptions, or a PublicKeyCredentialCreationOptions for a new one.
	PublicKey any `json:"publicKey,omitempty"`
}

// challenge is a ticket for one use of a passkey.
type challenge struct {
	ticket
	Bound  string               `json:"bound"` // what the passkey is used for: a login, a session, or nothing yet
	Origin string               `json:"origin"`
	Data   webauthn.SessionData `json:"data"`
}

const (
	purposeAssert   = "passkey assertion"
	purposeRegister = "passkey registration"
	boundToNothing  = "sign-in" // of somebody who is not known yet
)

// webauthnUser is an account with its passkeys, as package webauthn needs it.
type webauthnUser struct {
	*ent.User
	keys []webauthn.Credential
}

// WebAuthnID implements webauthn.User.
func (u webauthnUser) WebAuthnID() []byte { return u.ID[:] }

// WebAuthnName implements webauthn.User.
func (u webauthnUser) WebAuthnName() string { return u.Username }

// WebAuthnDisplayName implements webauthn.User.
func (u webauthnUser) WebAuthnDisplayName() string { return u.DisplayName }

// WebAuthnCredentials implements webauthn.User.
func (u webauthnUser) WebAuthnCredentials() []webauthn.Credential { return u.keys }

// PasskeyHost returns the host whose passkeys are accepted, and the origin of the pages that may use them.
// They are derived from the public URL or, if there is none, from the host of the request (`name[:port]`).
// The host is empty if browsers do not support passkeys there: for an IP address, and for a public URL
// without TLS.
func (a *Accounts) PasskeyHost(requestHost string) (host, origin string) {
	u, err := url.Parse(a.config.PublicURL)
	if a.config.PublicURL == "" {
		u, err = url.Parse("https://" + requestHost)
		if err == nil && isLocal(u.Hostname()) {
			u.Scheme = "http"
		}
	}
	if err != nil || u.Hostname() == "" || u.Scheme != "https" && !isLocal(u.Hostname()) {
		return "", ""
	}
	host = strings.ToLower(u.Hostname())
	if _, err := netip.ParseAddr(host); err == nil || protocol.ValidateRPID(host) != nil {
		return "", ""
	}
	origin = u.Scheme + "://" + host
	if port := u.Port(); port != "" && (u.Scheme != "https" || port != "443") && (u.Scheme != "http" || port != "80") {
		origin = u.Scheme + "://" + net.JoinHostPort(host, port)
	}
	return host, origin
}

// isLocal reports whether browsers trust a host even without TLS.
func isLocal(host string) bool {
	return strings.EqualFold(host, "localhost") || strings.HasSuffix(strings.ToLower(host), ".localhost")
}

// relyingParty returns the verifier of passkeys for a host and an origin.
func relyingParty(host, origin string) (*webauthn.WebAuthn, error) {
	if host == "" {
		return nil, fault.New(fault.Conflict,
			"passkeys need HTTPS and a host name, set base-url to the address that people open")
	}
	required := true
	return webauthn.New(&webauthn.Config{
		RPID:          host,
		RPDisplayName: "Safelight",
		RPOrigins:     []string{origin},
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			RequireResidentKey: &required,
			ResidentKey:        protocol.ResidentKeyRequirementRequired,
			UserVerification:   protocol.VerificationRequired,
		},
		AttestationPreference: protocol.PreferNoAttestation,
		// Password managers add extensions, which are not used.
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
}

// withPasskeys loads the passkeys of an account for a host.
func withPasskeys(ctx context.Context, q *ent.PasskeyClient, u *ent.User, host string) (webauthnUser, error) {
	list, err := q.Query().Where(passkey.UserID(u.ID), passkey.RpID(host)).Order(passkey.ByCreatedAt()).All(ctx)
	if err != nil {
		return webauthnUser{}, err
	}
	with := webauthnUser{User: u}
	for _, p := range list {
		var c webauthn.Credential
		if err := json.Unmarshal([]byte(p.Credential), &c); err != nil {
			return webauthnUser{}, err
		}
		with.keys = append(with.keys, c)
	}
	return with, nil
}

// askForPasskey returns a challenge for a passkey of an account, or of any account if u is nil.
func (a *Accounts) askForPasskey(
	ctx context.Context, requestHost string, u *ent.User, bound string,
) (*PasskeyChallenge, error) {
	host, origin := a.PasskeyHost(requestHost)
	party, err := relyingParty(host, origin)
	if err != nil {
		return nil, err
	}
	var options *protocol.CredentialAssertion
	var data *webauthn.SessionData
	if u == nil {
		options, data, err = party.BeginDiscoverableLogin()
	} else {
		with, loadErr := withPasskeys(ctx, a.db.Passkey, u, host)
		if loadErr != nil {
			return nil, loadErr
		}
		if len(with.keys) == 0 {
			return nil, fault.New(fault.NotFound, "the account has no passkey for %s", host)
		}
		options, data, err = party.BeginLogin(with)
	}
	if err != nil {
		return nil, err
	}
	data.AllowedCredentialIDs = nil // the account determines the passkeys, and twenty ids are long
	text, err := a.signTicket(purposeAssert, challenge{a.newTicket(), bound, origin, *data})
	return &PasskeyChallenge{Challenge: text, PublicKey: options.Response}, err
}

// readChallenge decodes a challenge of askForPasskey or askForNewPasskey. The caller must mark it as used.
func (a *Accounts) readChallenge(purpose, text, bound string) (*challenge, error) {
	var c challenge
	if err := a.readTicket(purpose, text, &c); err != nil {
		return nil, err
	}
	if c.Bound != bound {
		return nil, errTicket()
	}
	return &c, nil
}

// errPasskey is the cause of an error for an invalid response of a passkey.
var errPasskey = errors.New("the passkey does not hold")

// parseAnswer parses a browser's response to a challenge. It returns errPasskey if the response is malformed.
func parseAnswer(answer []byte) (*protocol.ParsedCredentialAssertionData, error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return nil, errors.Join(errPasskey, err)
	}
	return parsed, nil
}

// checkKnown returns errPasskey if no account has the passkey of a response.
func (a *Accounts) checkKnown(ctx context.Context, parsed *protocol.ParsedCredentialAssertionData) error {
	known, err := a.db.Passkey.Query().Where(passkey.CredentialID(encodeID(parsed.RawID))).Exist(ctx)
	if err == nil && !known {
		return errors.Join(errPasskey, errors.New("no account has it"))
	}
	return database.Translate(err)
}

// assertPasskey verifies a browser's response to a challenge, marks the challenge as used, and returns the
// account and the passkey's id. u is the locked account, or nil to find the account by the passkey. It
// returns errPasskey if the response is invalid.
func (a *Accounts) assertPasskey(
	ctx context.Context, tx *ent.Tx, u *ent.User, c *challenge, parsed *protocol.ParsedCredentialAssertionData,
) (*ent.User, uuid.UUID, error) {
	if err := a.spend(ctx, tx, c.ticket); err != nil {
		return nil, uuid.Nil, err
	}
	party, err := relyingParty(c.Data.RelyingPartyID, c.Origin)
	if err != nil {
		return nil, uuid.Nil, err
	}
	known := u != nil
	if !known {
		id, err := uuid.FromBytes(parsed.Response.UserHandle)
		if err != nil {
			return nil, uuid.Nil, errors.Join(errPasskey, err)
		}
		if u, err = lockOne(ctx, tx, id); fault.CodeOf(err) == fault.NotFound {
			return nil, uuid.Nil, errors.Join(errPasskey, err)
		} else if err != nil {
			return nil, uuid.Nil, err
		}
	}
	with, err := withPasskeys(ctx, tx.Passkey, u, c.Data.RelyingPartyID)
	if err != nil {
		return nil, uuid.Nil, err
	}
	var used *webauthn.Credential
	if known {
		used, err = party.ValidateLogin(with, c.Data, parsed)
	} else {
		_, used, err = party.ValidatePasskeyLogin(
			func(_, _ []byte) (webauthn.User, error) { return with, nil }, c.Data, parsed,
		)
	}
	if err != nil {
		return nil, uuid.Nil, errors.Join(errPasskey, err)
	}
	stored, err := tx.Passkey.Query().Where(passkey.CredentialID(encodeID(used.ID)), passkey.UserID(u.ID)).Only(ctx)
	if err != nil {
		return nil, uuid.Nil, err
	}
	if used.Authenticator.CloneWarning {
		return nil, uuid.Nil, errors.Join(errPasskey, &copiedPasskey{u.ID, stored.Name})
	}
	text, err := json.Marshal(used)
	if err != nil {
		return nil, uuid.Nil, err
	}
	if err := tx.User.UpdateOne(u).SetCodeFailures(0).Exec(ctx); err != nil {
		return nil, uuid.Nil, err
	}
	return u, stored.ID, stored.Update().SetCredential(string(text)).SetLastUsedAt(a.config.Now()).Exec(ctx)
}

// copiedPasskey is the error for a passkey whose counter did not increase. It may have been copied.
type copiedPasskey struct {
	userID uuid.UUID
	name   string // of the passkey
}

// Error implements error.
func (c *copiedPasskey) Error() string {
	return "its counter is not ahead of the last one, it may have been copied"
}

func encodeID(id []byte) string { return base64.RawURLEncoding.EncodeToString(id) }

// askForNewPasskey returns a challenge for creating a passkey for an account.
func (a *Accounts) askForNewPasskey(
	ctx context.Context, requestHost string, u *ent.User, bound string,
) (*PasskeyChallenge, error) {
	host, origin := a.PasskeyHost(requestHost)
	party, err := relyingParty(host, origin)
	if err != nil {
		return nil, err
	}
	with, err := withPasskeys(ctx, a.db.Passkey, u, host)
	if err != nil {
		return nil, err
	}
	options, data, err := party.BeginRegistration(
		with, webauthn.WithExclusions(webauthn.Credentials(with.keys).CredentialDescriptors()),
	)
	if err != nil {
		return nil, err
	}
	text, err := a.signTicket(purposeRegister, challenge{a.newTicket(), bound, origin, *data})
	return &PasskeyChallenge{Challenge: text, PublicKey: options.Response}, err
}

// storePasskey verifies and stores a new passkey for an account that the caller has locked.
func (a *Accounts) storePasskey(
	ctx context.Context, tx *ent.Tx, u *ent.User, c *challenge, name string, answer []byte,
) error {
	party, err := relyingParty(c.Data.RelyingPartyID, c.Origin)
	if err != nil {
		return err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return refusedPasskey(err)
	}
	made, err := party.CreateCredential(webauthnUser{User: u}, c.Data, parsed)
	if err != nil {
		return refusedPasskey(err)
	}
	made.Attestation = webauthn.CredentialAttestation{} // it does not prove anything, and may be long
	text, err := json.Marshal(made)
	if err != nil {
		return err
	}
	n, err := tx.Passkey.Query().Where(passkey.UserID(u.ID)).Count(ctx)
	if err != nil {
		return err
	}
	if n >= maxPasskeys {
		return fault.New(fault.Conflict, "the account has %d passkeys, remove one first", n)
	}
	taken, err := tx.Passkey.Query().Where(passkey.CredentialID(encodeID(made.ID))).Exist(ctx)
	if err != nil {
		return err
	}
	if taken {
		return fault.OnField(fault.Conflict, "credential", "this passkey has been added before")
	}
	return tx.Passkey.Create().
		SetUserID(u.ID).
		SetName(name).
		SetRpID(c.Data.RelyingPartyID).
		SetCredentialID(encodeID(made.ID)).
		SetCredential(string(text)).
		SetCreatedAt(a.config.Now()).
		Exec(ctx)
}

func refusedPasskey(err error) error {
	f := fault.Wrap(err, fault.Invalid, "the passkey does not hold, try again")
	f.Field = "credential"
	return f
}
