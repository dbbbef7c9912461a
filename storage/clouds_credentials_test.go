//go:build gs && azblob

package storage_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

func TestCloudAddresses(t *testing.T) {
	t.Setenv("AZURE_STORAGE_KEY", "")
	t.Setenv("AZURE_STORAGE_SAS_TOKEN", "sv=1&sig=secret")
	for _, address := range []string{
		"gs://", "gs://UPPER", "gs://bucket?region=x", "gs://bucket?endpoint=ftp://x",
		"gs://bucket?endpoint=http://example.com",
		"gs://bucket?anonymous=perhaps", "gs://bucket?endpoint=https://user:password@example.com", "gs://a..%2Fb",
		"azblob://", "azblob://account", "azblob://account/", "azblob://Account/container",
		"azblob://account/Container", "azblob://a.b/container",
		"azblob://account/container?endpoint=http://example.com/account", "azblob://account/container?account=x",
		"azblob://account/container?endpoint=x",
	} {
		if s, err := storage.Open(t.Context(), address); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("Open(%q): %v, %v", address, s, err)
		}
	}
	for address, place := range map[string]string{
		"gs://my-bucket_1.example.com/a/b":                       "my-bucket_1.example.com",
		"gs://bucket?endpoint=http://example.com&anonymous=true": "bucket",
		"azblob://account/container/prefix":                      "account/container",
		"azblob://account/$root":                                 "account/$root",
	} {
		s, err := storage.Open(t.Context(), address)
		if err != nil {
			t.Errorf("Open(%q): %v", address, err)
			continue
		}
		s.Close()
		if _, got := storage.Place(address); got != place {
			t.Errorf("the place of %s is %s", address, got)
		}
	}
}

// timeoutTransport starts a server that answers like this, and returns its URL and what it was last asked.
func timeoutTransport(t *testing.T, answer http.HandlerFunc) (address string, asked *atomic.Pointer[http.Request]) {
	asked = &atomic.Pointer[http.Request]{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Store(r)
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

// told is all that an error says, with its causes.
func told(err error) string {
	text := fmt.Sprintf("%+v", err)
	if e := errors.Unwrap(err); e != nil {
		text += "\n" + told(e)
	}
	return text
}

// TestGoogleCredentials gets a token for the key file of a service account, of the environment or of a mount.
func TestGoogleCredentials(t *testing.T) {
	var refusing atomic.Bool
	address, asked := timeoutTransport(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/token" && refusing.Load():
			http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
		case r.URL.Path == "/token":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"access_token":"the-token","token_type":"Bearer","expires_in":3600}`)
		default:
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"error":{"message":"no access to the-bucket","errors":[{"reason":"forbidden"}]}}`)
		}
	})
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	private := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	file, err := json.Marshal(map[string]string{
		"type":         "service_account",
		"client_email": "a@example.com",
		"private_key":  string(private),
		"token_uri":    address + "/token",
	})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "key.json")
	if err := os.WriteFile(name, file, 0o600); err != nil {
		t.Fatal(err)
	}
	own := storage.Credentials{ID: "a@example.com", Secret: base64.StdEncoding.EncodeToString(file)}
	bucket := "gs://bucket?endpoint=" + address
	for _, c := range []storage.Credentials{own, {}} {
		if c.ID == "" {
			t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", name)
		}
		for _, refused := range []bool{false, true} {
			refusing.Store(refused)
			s, err := storage.OpenWith(t.Context(), bucket, storage.OpenOptions{Credentials: c})
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.Stat(t.Context(), "a")
			s.Close()
			if fault.CodeOf(err) != fault.Unavailable || strings.Contains(told(err), "the-token") ||
				strings.Contains(told(err), "PRIVATE") {
				t.Errorf("a refusal is %s", told(err))
			}
			if refused {
				continue
			}
			if got := asked.Load().Header.Get("Authorization"); got != "Bearer the-token" ||
				storage.Reason(err) != "forbidden" {
				t.Errorf("asked with %q, refused for %q", got, storage.Reason(err))
			}
		}
	}
	for _, c := range []storage.Credentials{{ID: "b@example.com", Secret: own.Secret},
		{ID: "a@example.com", Secret: "not base64"}, {ID: "a", Secret: "e30="}} {
		_, err := storage.OpenWith(t.Context(), bucket, storage.OpenOptions{Credentials: c})
		if fault.CodeOf(err) != fault.Invalid || strings.Contains(told(err), c.Secret) {
			t.Errorf("a wrong key: %v", err)
		}
	}
}

// TestAzureCredentials looks at what is sent for each kind of credentials.
func TestAzureCredentials(t *testing.T) {
	address, asked := timeoutTransport(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Ms-Error-Code", "AuthenticationFailed")
		w.WriteHeader(http.StatusForbidden)
	})
	key := base64.StdEncoding.EncodeToString([]byte("the key of the account"))
	for _, c := range []struct {
		name               string
		own                storage.Credentials
		account, key, sas  string
		query, shared, sig string
	}{
		{name: "a mount", own: storage.Credentials{ID: "account", Secret: key}, sas: "sig=secret",
			shared: "SharedKey account:"},
		{name: "a key", key: key, sas: "sig=secret", shared: "SharedKey account:"},
		{name: "a key of this account", account: "account", key: key, shared: "SharedKey account:"},
		{name: "a key of another account", account: "other", key: key, sas: "?sv=1&sig=secret", sig: "secret"},
		{name: "a signature", sas: "sv=1&sig=secret", sig: "secret"},
		{name: "nothing", own: storage.Credentials{ID: "account", Secret: key}, query: "&anonymous=true"},
	} {
		t.Setenv("AZURE_STORAGE_ACCOUNT", c.account)
		t.Setenv("AZURE_STORAGE_KEY", c.key)
		t.Setenv("AZURE_STORAGE_SAS_TOKEN", c.sas)
		s, err := storage.OpenWith(
			t.Context(), "azblob://account/container?endpoint="+address+c.query,
			storage.OpenOptions{Credentials: c.own},
		)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Stat(t.Context(), "a")
		s.Close()
		if storage.Reason(err) != "AuthenticationFailed" || strings.Contains(told(err), "secret") ||
			strings.Contains(told(err), key) {
			t.Errorf("%s: %s", c.name, told(err))
		}
		r := asked.Load()
		if auth, sig := r.Header.Get("Authorization"), r.URL.Query().Get("sig"); !strings.HasPrefix(auth, c.shared) ||
			c.shared == "" && auth != "" ||
			sig != c.sig {
			t.Errorf("%s: asked with %q and %q", c.name, auth, sig)
		}
	}
	for _, c := range []storage.Credentials{{ID: "other", Secret: key}, {ID: "account", Secret: "no base64!"}} {
		if _, err := storage.OpenWith(t.Context(), "azblob://account/container",
			storage.OpenOptions{Credentials: c}); fault.CodeOf(err) != fault.Invalid ||
			strings.Contains(told(err), c.Secret) {
			t.Errorf("a wrong key: %v", err)
		}
	}
}

// TestCloudDown asks servers that are not there: the first call tries three times, the next does not. No error tells
// a secret.
func TestCloudDown(t *testing.T) {
	t.Setenv("AZURE_STORAGE_KEY", "")
	t.Setenv("AZURE_STORAGE_SAS_TOKEN", "sv=1&sig=secret")
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked.Add(1)
		panic(http.ErrAbortHandler)
	}))
	defer server.Close()
	for _, address := range []string{"gs://bucket?anonymous=true&endpoint=" + server.URL,
		"azblob://account/container?endpoint=" + server.URL} {
		s, err := storage.Open(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		asked.Store(0)
		for call := range 3 {
			_, err := s.Stat(t.Context(), "file")
			if fault.CodeOf(err) != fault.Unavailable || fault.Of(err).RetryAfter <= 0 ||
				strings.Contains(told(err), "secret") {
				t.Errorf("call %d: %s, expected UNAVAILABLE with a time to try again", call, told(err))
			}
		}
		if n := asked.Load(); n != 3 {
			t.Errorf("%s: three calls make %d requests, expected 3", address[:6], n)
		}
		s.Close()
	}
}

// TestCloudWithoutEnd asks a Google that never ends a copy, or sends a page of names that is larger than one can be:
// neither takes all time or memory.
func TestCloudWithoutEnd(t *testing.T) {
	copies := 0
	address, _ := timeoutTransport(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.Contains(r.URL.Path, "/rewriteTo/"):
			copies++
			fmt.Fprint(w, `{"done":false,"rewriteToken":"more","totalBytesRewritten":"1048576"}`)
		case strings.HasSuffix(r.URL.Path, "/o/a"):
			fmt.Fprint(w, `{"name":"a","size":"9","generation":"1","timeCreated":"2026-01-01T00:00:00Z"}`)
		case r.URL.Query().Get("prefix") == "large/":
			fmt.Fprintf(
				w,
				`{"items":[{"name":"large/a","size":"1","generation":"1","timeCreated":"2026-01-01T00:00:00Z"}],"unknown":"%s"}`,
				strings.Repeat("x", 17<<20),
			)
		case r.URL.Query().Has("maxResults"):
			fmt.Fprint(w, "{}")
		default:
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, "{}")
		}
	})
	s, err := storage.Open(t.Context(), "gs://bucket?anonymous=true&endpoint="+address)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Copy(t.Context(), "a", "b"); err == nil || copies > 10 {
		t.Errorf("a copy that does not end: %v after %d requests", err, copies)
	}
	if list, err := storage.Entries(s.List(t.Context(), "large", storage.ListOptions{})); err == nil {
		t.Errorf("a page of 17 MiB is read: %d entries", len(list))
	}
}
