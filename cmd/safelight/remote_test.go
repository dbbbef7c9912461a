package main

import (
	"encoding/pem"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// TestRemoteWithoutScheme checks that an image whose first folder is a listed host comes from there by https, unless
// the storage has it: existing URLs of thumbor and imagor leave the scheme out.
func TestRemoteWithoutScheme(t *testing.T) {
	var asked atomic.Int64
	origin := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.URL.Path != "/folder/a.png" {
			http.NotFound(w, r)
			return
		}
		_ = png.Encode(w, image.NewGray(image.Rect(0, 0, 8, 6)))
	}))
	defer origin.Close()
	authority := filepath.Join(t.TempDir(), "authority.pem")
	if err := os.WriteFile(authority, pem.EncodeToMemory(
		&pem.Block{Type: "CERTIFICATE", Bytes: origin.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SSL_CERT_FILE", authority) // for the server only: this process trusts nothing yet
	host := strings.TrimPrefix(origin.URL, "https://")
	dir, server := startInEmptyFolder(t, "--unsafe", "--remote-sources", host, "--remote-networks", "127.0.0.0/8")
	for _, c := range []struct {
		path   string
		status int
		asked  bool
	}{
		{"4x3/" + host + "/folder/a.png", 200, true},
		{"filters:watermark(" + host + "/folder/a.png,1,1,0)/samples/welcome.jpg", 200, true},
		{"filters:raw()/" + host + "/folder/a.png", 200, true},
		{host + "/missing.png", 404, true},
		{"example.com/folder/a.png", 404, false},
		{"samples/missing.png", 404, false},
		{host, 404, false},
	} {
		before := asked.Load()
		response, err := http.Get(server.field(bannerURL) + "/unsafe/" + c.path)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != c.status || asked.Load() > before != c.asked {
			t.Errorf(
				"%s: %d after %d requests, expected %d and to ask: %v", c.path, response.StatusCode,
				asked.Load()-before, c.status, c.asked,
			)
		}
	}
	stored := filepath.Join(dir, "data", "files", host, "folder")
	if err := os.MkdirAll(stored, 0o755); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(stored, "a.png"))
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(file, image.NewGray(image.Rect(0, 0, 80, 60))); err != nil || file.Close() != nil {
		t.Fatal(err)
	}
	response, err := http.Get(fmt.Sprintf("%s/unsafe/meta/%s/folder/a.png", server.field(bannerURL), host))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || !strings.Contains(string(body), `"width":80`) {
		t.Errorf("a file of the storage with that path: %s, %v", body, err)
	}
}
