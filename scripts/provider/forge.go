package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/zitadel/oidc/v3/pkg/crypto"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// forgery is how an ID token differs from a valid one.
type forgery struct {
	Claims map[string]any `json:"claims"`
	// Expires is when the token expires, in seconds from now, in addition to the claims; 0: as in a valid token.
	Expires int `json:"expires"`
	// Unsigned sets the algorithm none.
	Unsigned bool `json:"unsigned"`
}

// forger changes one response of the token endpoint for each forgery.
type forger struct {
	store *store
	mutex sync.Mutex
	next  *forgery
}

func (f *forger) take(w http.ResponseWriter, r *http.Request) {
	next := &forgery{}
	if err := json.NewDecoder(r.Body).Decode(next); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.next = next
}

// wrap returns the provider with the forgeries.
func (f *forger) wrap(provider http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mutex.Lock()
		next := f.next
		if r.URL.Path == op.DefaultEndpoints.Token.Relative() {
			f.next = nil
		} else {
			next = nil
		}
		f.mutex.Unlock()
		if next == nil {
			provider.ServeHTTP(w, r)
			return
		}
		honest := httptest.NewRecorder()
		provider.ServeHTTP(honest, r)
		body, err := f.forge(next, honest.Body.Bytes())
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(honest.Code)
		_, _ = w.Write(body)
	})
}

// forge changes the ID token in a response of the token endpoint. It does not change errors.
func (f *forger) forge(how *forgery, body []byte) ([]byte, error) {
	var answer map[string]any
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, err
	}
	honest, _ := answer["id_token"].(string)
	if honest == "" {
		return body, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(strings.Split(honest, ".")[1])
	if err != nil {
		return nil, err
	}
	claims := map[string]any{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&claims); err != nil {
		return nil, err
	}
	for name, value := range how.Claims {
		claims[name] = value
	}
	if how.Expires != 0 {
		claims["exp"] = time.Now().Unix() + int64(how.Expires)
	}
	if answer["id_token"], err = f.sign(claims, how.Unsigned); err != nil {
		return nil, err
	}
	return json.Marshal(answer)
}

func (f *forger) sign(claims map[string]any, unsigned bool) (string, error) {
	if !unsigned {
		signer, err := op.SignerFromKey(f.store.key())
		if err != nil {
			return "", err
		}
		return crypto.Sign(claims, signer)
	}
	text, err := json.Marshal(claims)
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + encode(text) + ".", err
}
