package signing_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/family"
)

// vectors is testdata/vectors/urls.json, which the signers in all languages are tested with.
type vectors struct {
	HMAC []struct {
		Secret, Path, Signature, URL string
		Algorithm                    imaging.SignerType
		Truncate                     int
	}
	Families []struct {
		Name, Secret, Policy, Path, Signature string
		Algorithm                             imaging.SignerType
		Truncate                              int
		Choices                               []struct {
			family.Choice
			Text string `json:"choice"`
			URL  string
		}
	}
}

func readVectors(t *testing.T) (v vectors) {
	t.Helper()
	data, err := os.ReadFile("../testdata/vectors/urls.json")
	must(t, err)
	must(t, json.Unmarshal(data, &v))
	if len(v.HMAC) == 0 || len(v.Families) == 0 {
		t.Fatal("the vectors are empty")
	}
	return v
}

// TestVectors: the server reads what the vectors say that clients write.
func TestVectors(t *testing.T) {
	v := readVectors(t)
	for _, c := range v.HMAC {
		signer, err := imaging.NewSigner(
			imaging.SignerConfig{Secret: c.Secret, Type: c.Algorithm, Truncate: c.Truncate},
		)
		must(t, err)
		hash, signed := imaging.SplitSigned(c.URL)
		if hash != c.Signature || signed != c.Path || !signer.Verify(hash, signed) {
			t.Errorf("%s: signature %s of %s", c.URL, hash, signed)
		}
	}
	for _, f := range v.Families {
		signer, err := imaging.NewSigner(
			imaging.SignerConfig{Secret: f.Secret, Type: f.Algorithm, Truncate: f.Truncate},
		)
		must(t, err)
		for _, c := range f.Choices {
			hash, signed := imaging.SplitSigned(c.URL)
			u, ok := family.Cut(signed)
			if !ok || hash != f.Signature || !signer.Verify(hash, u.Signed()) || signer.Verify(hash, signed) ||
				u.Policy != f.Policy ||
				u.Path != f.Path {
				t.Errorf("%s: signature %s of %+v", c.URL, hash, u)
			}
			if u.Choice != c.Text || c.Choice.String() != c.Text {
				t.Errorf("%s: the choice is %s, written as %s", f.Name, u.Choice, c.Choice)
			}
			chosen, _, err := u.Read(hash, imaging.Parse)
			must(t, err)
			plain, err := imaging.Parse(hash + "/" + f.Path)
			must(t, err)
			if plain.Operations = c.Choice.Apply(plain.Operations); chosen != plain {
				t.Errorf("%s asks for %s", c.URL, chosen.Path())
			}
			u.Choice += "w"
			if _, _, err := u.Read(hash, imaging.Parse); err == nil {
				t.Errorf("%s: the choice %s is accepted", f.Name, u.Choice)
			}
		}
	}
}
