package imaging

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// urlVectors is testdata/vectors/urls.json: what every signer in clients/ has to give.
type urlVectors struct {
	HMAC      []hmacVector      `json:"hmac"`
	Families  []familyVector    `json:"families"`
	Encrypted []encryptedVector `json:"encrypted"`
}

// hmacVector is an ordinary signed URL. URL is "/" + Signature + "/" + Path.
type hmacVector struct {
	Name      string     `json:"name"`
	Secret    string     `json:"secret"`
	Algorithm SignerType `json:"algorithm"`
	Truncate  int        `json:"truncate"`
	Path      string     `json:"path"`
	Signature string     `json:"signature"`
	URL       string     `json:"url"`
}

// familyVector is a signed family with some of its URLs.
type familyVector struct {
	Name      string         `json:"name"`
	Secret    string         `json:"secret"`
	Algorithm SignerType     `json:"algorithm"`
	Truncate  int            `json:"truncate"`
	Policy    string         `json:"policy"` // without family( )
	Path      string         `json:"path"`   // operations and image
	Signature string         `json:"signature"`
	Choices   []choiceVector `json:"choices"`
}

// choiceVector is one choice of a family. Its zero fields are dimensions that are not chosen.
type choiceVector struct {
	Width   int     `json:"width,omitempty"`
	Density float64 `json:"density,omitempty"`
	Format  string  `json:"format,omitempty"`
	Quality string  `json:"quality,omitempty"`
	Choice  string  `json:"choice"`
	URL     string  `json:"url"`
}

// encryptedVector is an image path that only the server can read.
type encryptedVector struct {
	Name  string `json:"name"`
	KeyID string `json:"keyId"`
	Key   string `json:"key"` // 64 bytes in hex
	Path  string `json:"path"`
	Image string `json:"image"`
}

// TestURLVectors holds testdata/vectors/urls.json, which all clients read, to the signer.
func TestURLVectors(t *testing.T) {
	want := vectorsOf(t)
	var data bytes.Buffer
	e := json.NewEncoder(&data)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(want); err != nil {
		t.Fatal(err)
	}
	const file = "../testdata/vectors/urls.json"
	if got, err := os.ReadFile(file); err == nil && bytes.Equal(got, data.Bytes()) {
		return
	}
	if !*update {
		t.Fatalf("%s is stale: go test ./imaging -run TestURLVectors -update", file)
	}
	if err := os.WriteFile(file, data.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func vectorsOf(t *testing.T) (v urlVectors) {
	const long = "meta/10x11:12x13/fit-in/-300x-200/5x6/left/top/smart/filters:some_filter()/img"
	for _, c := range []hmacVector{
		{Name: "thumbor's default", Secret: "1234", Algorithm: SHA1, Path: long},
		{Name: "SHA-256, truncated", Secret: "1234", Algorithm: SHA256, Truncate: 40, Path: long},
		{Name: "remote image", Secret: "mysecret", Algorithm: SHA256, Truncate: 40,
			Path: "500x500/top/raw.githubusercontent.com/cshum/imagor/master/testdata/gopher.png"},
		{Name: "SHA-256, whole", Secret: "1234", Algorithm: SHA256, Path: "fit-in/300x200/filters:quality(80)/a.jpg"},
		{Name: "SHA-512, whole", Secret: "1234", Algorithm: SHA512, Path: "fit-in/300x200/filters:quality(80)/a.jpg"},
		{Name: "SHA-512, shortest", Secret: "1234", Algorithm: SHA512, Truncate: 17, Path: "300x0/a.jpg"},
		{Name: "UTF-8 in secret and path", Secret: "größe 鍵", Algorithm: SHA256,
			Path: "300x200/Urlaub/Straße am Meer/写真.jpg"},
		{Name: "percent-encoded", Secret: "1234", Algorithm: SHA1, Path: "300x200/trim%2Fa%20b%3Fc%23d%25e%2Bf.jpg"},
		{Name: "a secret longer than a block", Secret: strings.Repeat("0123456789", 20), Algorithm: SHA256,
			Path: "300x200/a.jpg"},
		{Name: "slashes as they stand", Secret: "1234", Algorithm: SHA256,
			Path: "300x200/https://example.com//a//b.jpg"},
		{Name: "URL-safe alphabet", Secret: "secret-8", Algorithm: SHA512, Path: "0x0/filters:fill(blur)/a.jpg"},
	} {
		c.Signature = signVector(t, c.Secret, c.Algorithm, c.Truncate, c.Path)
		c.URL = "/" + c.Signature + "/" + c.Path
		v.HMAC = append(v.HMAC, c)
	}
	for _, f := range familyVectors {
		policy := "family(" + f.Policy + ")"
		f.Signature = signVector(t, f.Secret, f.Algorithm, f.Truncate, policy+"/"+f.Path)
		choices := f.Choices
		f.Choices = nil
		for _, c := range choices {
			c.URL = "/" + f.Signature + "/" + policy + "/" + c.Choice + "/" + f.Path
			f.Choices = append(f.Choices, c)
		}
		v.Families = append(v.Families, f)
	}
	key := make([]byte, 64)
	for i := range key {
		key[i] = byte(i)
	}
	for _, e := range []encryptedVector{
		{Name: "ASCII", KeyID: "k1", Path: "private/a.jpg"},
		{Name: "UTF-8", KeyID: "k1", Path: "Straße am Meer/写真.jpg"},
		{Name: "longer than a block", KeyID: "2026-11_b", Path: strings.Repeat("folder/", 20) + "a.jpg"},
		{Name: "one byte", KeyID: "k1", Path: "a"},
	} {
		e.Key, e.Image = hex.EncodeToString(key), "enc:"+e.KeyID+":"+encryptVector(t, key, e.Path)
		v.Encrypted = append(v.Encrypted, e)
	}
	return v
}

var familyVectors = []familyVector{
	{
		Name:      "every dimension",
		Secret:    "1234",
		Algorithm: SHA256,
		Policy:    "320w,640w,960w,1x,1.5x,2x,avif,webp,jpeg,low,medium,high",
		Path:      "300x200/smart/filters:sharpen(1)/a.jpg",
		Choices: []choiceVector{
			{Width: 640, Density: 2, Format: "avif", Quality: "low", Choice: "640w,2x,avif,low"},
			{Width: 320, Choice: "320w"},
			{Density: 1.5, Format: "webp", Choice: "1.5x,webp"},
			{Quality: "high", Choice: "high"},
			{Choice: "-"},
		},
	},
	{
		Name:      "a range of widths, an expiry and a key",
		Secret:    "family key",
		Algorithm: SHA1,
		Policy:    "320-1920-160w,key=web_1,until=4102444800",
		Path:      "Straße/写真.jpg",
		Choices:   []choiceVector{{Width: 480, Choice: "480w"}, {Width: 1920, Choice: "1920w"}},
	},
	{
		Name:      "truncated",
		Secret:    "1234",
		Algorithm: SHA512,
		Truncate:  40,
		Policy:    "100w,200w",
		Path:      "fit-in/100x100/trim%2Fa%20b.jpg",
		Choices:   []choiceVector{{Width: 200, Choice: "200w"}},
	},
}

func signVector(t *testing.T, secret string, algorithm SignerType, truncate int, path string) string {
	s, err := NewSigner(SignerConfig{Secret: secret, Type: algorithm, Truncate: truncate})
	if err != nil {
		t.Fatal(err)
	}
	return s.Sign(path)
}

func encryptVector(t *testing.T, key []byte, path string) string {
	mac := hmac.New(sha256.New, key[32:])
	mac.Write([]byte(path))
	block, err := aes.NewCipher(key[:32])
	if err != nil {
		t.Fatal(err)
	}
	sealed := append(mac.Sum(nil)[:aes.BlockSize], path...)
	cipher.NewCTR(block, sealed[:aes.BlockSize]).XORKeyStream(sealed[aes.BlockSize:], sealed[aes.BlockSize:])
	return base64.RawURLEncoding.EncodeToString(sealed)
}
