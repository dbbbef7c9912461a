package accounts_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"testing"

	"github.com/safelight/safelight/accounts"
)

// authenticator is a device with one passkey, and the browser that uses it. Tests change its fields to
// simulate attacks.
type authenticator struct {
	*testing.T
	origin   string
	host     string
	verifies bool
	counter  uint32
	id       []byte
	handle   []byte
	key      *ecdsa.PrivateKey
}

const (
	testHost   = "photos.example.com"
	testOrigin = "https://photos.example.com"
)

func newAuthenticator(t *testing.T) *authenticator {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	id := make([]byte, 16)
	_, _ = rand.Read(id)
	return &authenticator{T: t, origin: testOrigin, host: testHost, verifies: true, counter: 1, id: id, key: key}
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// passkeyOptions contains the fields of a challenge that a browser reads.
type passkeyOptions struct {
	Challenge string `json:"challenge"`
	RPID      string `json:"rpId"`
	RP        struct {
		ID string `json:"id"`
	} `json:"rp"`
	User struct {
		ID string `json:"id"`
	} `json:"user"`
	UserVerification       string                                         `json:"userVerification"`
	AuthenticatorSelection struct{ ResidentKey, UserVerification string } `json:"authenticatorSelection"`
	AllowCredentials       []struct{ ID string }                          `json:"allowCredentials"`
}

func (a *authenticator) read(c accounts.PasskeyChallenge) (o passkeyOptions) {
	a.Helper()
	data, err := json.Marshal(c.PublicKey)
	must(a.T, err)
	must(a.T, json.Unmarshal(data, &o))
	return o
}

func (a *authenticator) clientData(kind, challenge string) []byte {
	data, err := json.Marshal(map[string]any{
		"type": kind, "challenge": challenge, "origin": a.origin, "crossOrigin": false,
	})
	must(a.T, err)
	return data
}

func (a *authenticator) data(more byte) []byte {
	hash := sha256.Sum256([]byte(a.host))
	flags := 1 | more
	if a.verifies {
		flags |= 4
	}
	return binary.BigEndian.AppendUint32(append(hash[:], flags), a.counter)
}

// register returns the response of a browser that created the passkey.
func (a *authenticator) register(c accounts.PasskeyChallenge) []byte {
	a.Helper()
	o := a.read(c)
	handle, err := base64.RawURLEncoding.DecodeString(o.User.ID)
	must(a.T, err)
	a.handle = handle
	point, err := a.key.PublicKey.Bytes()
	must(a.T, err)
	cose := append([]byte{0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32}, point[1:33]...)
	cose = append(append(cose, 0x22, 0x58, 32), point[33:]...)
	data := append(a.data(0x40), make([]byte, 16)...)
	data = append(binary.BigEndian.AppendUint16(data, uint16(len(a.id))), a.id...)
	data = append(data, cose...)
	object := []byte("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58")
	object = append(append(object, byte(len(data))), data...)
	answer, err := json.Marshal(map[string]any{
		"id": b64(a.id), "rawId": b64(a.id), "type": "public-key", "clientExtensionResults": map[string]any{},
		"response": map[string]any{
			"clientDataJSON":    b64(a.clientData("webauthn.create", o.Challenge)),
			"attestationObject": b64(object),
			"transports":        []string{"internal"},
		},
	})
	must(a.T, err)
	return answer
}

// assert returns the response of a browser that used the passkey. It increments the counter.
func (a *authenticator) assert(c accounts.PasskeyChallenge) []byte {
	a.Helper()
	a.counter++
	return a.sign(a.read(c).Challenge)
}

func (a *authenticator) sign(challenge string) []byte {
	a.Helper()
	client, data := a.clientData("webauthn.get", challenge), a.data(0)
	hash := sha256.Sum256(client)
	sum := sha256.Sum256(append(bytes.Clone(data), hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, a.key, sum[:])
	must(a.T, err)
	answer, err := json.Marshal(map[string]any{
		"id": b64(a.id), "rawId": b64(a.id), "type": "public-key", "clientExtensionResults": map[string]any{},
		"response": map[string]any{
			"clientDataJSON":    b64(client),
			"authenticatorData": b64(data),
			"signature":         b64(signature),
			"userHandle":        b64(a.handle),
		},
	})
	must(a.T, err)
	return answer
}
