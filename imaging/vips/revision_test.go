package vips

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
)

// goldenDigest is the digest of the goldens at this revision. Whoever changes a golden raises revision, which is part
// of every cache key, and writes the new digest here. One that only adds a golden writes the digest alone.
const (
	goldenRevision = 20
	goldenDigest   = "f806483894c74b49468cd120174d095f9fb0934906d9f46ea44f36442c9530f9"
)

// TestRevisionFollowsGoldens fails when goldens change and the revision does not: caches would go on serving old
// results.
func TestRevisionFollowsGoldens(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(goldenFolder, "*", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	h := sha256.New()
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(goldenFolder, file)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		h.Write([]byte(filepath.ToSlash(name) + "\n" + hex.EncodeToString(sum[:]) + "\n"))
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != goldenDigest || revision != goldenRevision {
		t.Errorf(
			"revision %d with goldens %s, expected %d with %s: raise revision in engine.go, then write both here",
			revision, got, goldenRevision, goldenDigest,
		)
	}
}
