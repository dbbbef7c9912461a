package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestWrite makes an image with the configuration of the repository's Dockerfile twice, and reads it as a runtime does.
func TestWrite(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1795000000")
	root := filepath.Join(t.TempDir(), "root.tar")
	if err := os.WriteFile(root, []byte("the archive of a root"), 0o600); err != nil {
		t.Fatal(err)
	}
	var image, again bytes.Buffer
	for _, out := range []*bytes.Buffer{&image, &again} {
		if err := write(out, root, "../../Dockerfile", "amd64", "1.2.3"); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(image.Bytes(), again.Bytes()) {
		t.Error("two images have other bytes")
	}

	files := map[string][]byte{}
	for archive := tar.NewReader(&image); ; {
		header, err := archive.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[header.Name], err = io.ReadAll(archive); err != nil {
			t.Fatal(err)
		}
		if digest, found := strings.CutPrefix(header.Name, "blobs/sha256/"); found {
			if sum := sha256.Sum256(files[header.Name]); hex.EncodeToString(sum[:]) != digest {
				t.Errorf("%s has other bytes than its name says", header.Name)
			}
		}
	}
	// at decodes the blob of a descriptor
	at := func(d descriptor, into any) {
		t.Helper()
		data := files["blobs/sha256/"+strings.TrimPrefix(d.Digest, "sha256:")]
		if int64(len(data)) != d.Size {
			t.Errorf("%s has %d bytes, expected %d", d.Digest, len(data), d.Size)
		}
		if err := json.Unmarshal(data, into); err != nil {
			t.Fatalf("%s: %v", d.Digest, err)
		}
	}
	var index struct{ Manifests []descriptor }
	if err := json.Unmarshal(files["index.json"], &index); err != nil || len(index.Manifests) != 1 {
		t.Fatalf("index.json: %v %s", err, files["index.json"])
	}
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	at(index.Manifests[0], &manifest)
	var settings struct {
		Architecture string
		Created      time.Time
		Config       config
	}
	at(manifest.Config, &settings)
	run := settings.Config
	if settings.Architecture != "amd64" || settings.Created.Unix() != 1795000000 || run.User != "10001:10001" ||
		!slices.Equal(run.Entrypoint, []string{"safelight"}) || !slices.Contains(run.Env, "SAFELIGHT_DATA=/data") ||
		run.Healthcheck.Timeout != 6*time.Second ||
		!slices.Equal(run.Healthcheck.Test, []string{"CMD", "safelight", "health"}) {
		t.Errorf("the configuration is %+v", settings)
	}
	if len(manifest.Layers) != 1 {
		t.Fatalf("there are %d layers", len(manifest.Layers))
	}
	packed := files["blobs/sha256/"+strings.TrimPrefix(manifest.Layers[0].Digest, "sha256:")]
	layer, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(layer); err != nil || string(text) != "the archive of a root" {
		t.Errorf("the layer is %q, %v", text, err)
	}
}

// TestRunConfig refuses a Dockerfile whose last stage cannot be run.
func TestRunConfig(t *testing.T) {
	for _, text := range []string{
		"", "FROM a\nUSER 1\n", "FROM a\nUSER 1\nENTRYPOINT [\"a\"]\nFROM b\n",
		"FROM a\nUSER 1\nENTRYPOINT a\n", "FROM a\nUSER 1\nENTRYPOINT [\"a\"]\nHEALTHCHECK --retries=3 CMD [\"a\"]\n",
	} {
		if c, err := runConfig(text); err == nil {
			t.Errorf("%q gives %+v", text, c)
		}
	}
}
