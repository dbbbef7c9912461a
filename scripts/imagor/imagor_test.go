// Package imagor_test compares testdata/vectors with imagor's own signer. It is a module of its own, so that
// Safelight's has nothing of imagor.
package imagor_test

import (
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/json"
	"hash"
	"os"
	"testing"

	"github.com/cshum/imagor/imagorpath"
)

func TestImagorSigns(t *testing.T) {
	data, err := os.ReadFile("../../testdata/vectors/urls.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		HMAC []struct {
			Name, Secret, Algorithm, Path, Signature string
			Truncate                                 int
		}
	}
	if err := json.Unmarshal(data, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors.HMAC) == 0 {
		t.Fatal("no vectors")
	}
	algorithms := map[string]func() hash.Hash{"SHA1": sha1.New, "SHA256": sha256.New, "SHA512": sha512.New}
	for _, v := range vectors.HMAC {
		if got := imagorpath.NewHMACSigner(algorithms[v.Algorithm], v.Truncate,
			v.Secret).Sign(v.Path); got != v.Signature {
			t.Errorf("%s: imagor signs %s, ours is %s", v.Name, got, v.Signature)
		}
	}
}
