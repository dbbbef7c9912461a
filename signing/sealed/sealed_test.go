package sealed_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/signing/sealed"
)

var (
	first  = strings.Repeat("01", 64)
	second = strings.Repeat("fe", 64)
)

func keys(t *testing.T, text string) sealed.Keys {
	t.Helper()
	k, err := sealed.ParseKeys(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestVectors: the implementation writes and reads the vectors of testdata/vectors/urls.json.
func TestVectors(t *testing.T) {
	data, err := os.ReadFile("../../testdata/vectors/urls.json")
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Encrypted []struct{ Name, KeyID, Key, Path, Image string }
	}
	if err := json.Unmarshal(data, &v); err != nil || len(v.Encrypted) == 0 {
		t.Fatalf("%d vectors, %v", len(v.Encrypted), err)
	}
	for _, c := range v.Encrypted {
		k := keys(t, "other:"+second+","+c.KeyID+":"+c.Key)
		if image, err := keys(t, c.KeyID+":"+c.Key).Encrypt(c.Path); err != nil || image != c.Image {
			t.Errorf("%s: encrypted as %s, %v, expected %s", c.Name, image, err, c.Image)
		}
		if path, err := k.Decrypt(c.Image); err != nil || path != c.Path {
			t.Errorf("%s: decrypted as %q, %v, expected %q", c.Name, path, err, c.Path)
		}
		if r, err := imaging.Parse("unsafe/300x0/" + c.Image); err != nil || !r.Encrypted || r.Image != c.Image ||
			r.Path() != "unsafe/300x0/"+c.Image {
			t.Errorf("%s: parsed as %+v, %v", c.Name, r, err)
		}
	}
}

// TestChanged: no text but that of a path is decrypted, and all refusals are the same.
func TestChanged(t *testing.T) {
	k := keys(t, "a:"+first+",b:"+second)
	image, err := k.Encrypt("private/a.jpg")
	if err != nil {
		t.Fatal(err)
	}
	messages := map[string]bool{}
	refused := func(image string) {
		t.Helper()
		path, err := k.Decrypt(image)
		if fault.CodeOf(err) != fault.SignatureMismatch || path != "" {
			t.Errorf("%s: %q, %v", image, path, err)
		}
		messages[fault.Of(err).Message] = true
	}
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	for i := len("enc:a:"); i < len(image); i++ {
		for _, c := range alphabet {
			if changed := image[:i] + string(c) + image[i+1:]; changed != image {
				refused(changed)
			}
		}
	}
	refused(strings.Replace(image, "enc:a:", "enc:b:", 1))
	refused(strings.Replace(image, "enc:a:", "enc:c:", 1))
	refused(image + "A")
	refused(image[:len(image)-1])
	refused(image + "=")
	refused("enc:a:")
	refused("enc:a:AAAAAAAAAAAAAAAAAAAAAA")
	refused("enc:a")
	if len(messages) != 1 {
		t.Errorf("the reasons can be told apart: %v", messages)
	}
}

// TestRotation: the first key encrypts, and a path of a former one is read as long as the key is there.
func TestRotation(t *testing.T) {
	image, err := keys(t, "a:"+first).Encrypt("x")
	if err != nil {
		t.Fatal(err)
	}
	if path, err := keys(t, "b:"+second+",a:"+first).Decrypt(image); err != nil || path != "x" {
		t.Errorf("with the former key: %q, %v", path, err)
	}
	if _, err := keys(t, "b:"+second).Decrypt(image); err == nil {
		t.Error("it is read without its key")
	}
	if newer, err := keys(t, "b:"+second+",a:"+first).Encrypt("x"); err != nil || !strings.HasPrefix(newer, "enc:b:") {
		t.Errorf("encrypted as %s, %v", newer, err)
	}
	if _, err := sealed.Keys(nil).Encrypt("x"); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("without keys: %v", err)
	}
}

func TestParseKeys(t *testing.T) {
	base64 := strings.Repeat("AQEB", 21) + "AQ"
	for text, ok := range map[string]bool{
		"a:" + first: true, "a:" + strings.ToUpper(second): true, "a:" + base64: true, "a:" + base64 + "==": true,
		"a:" + first + ", b_-9:" + second: true,
		"":                                false, "a": false, first: false, ":" + first: false, "a:": false,
		"a:" + first[2:]: false, "a:" + first + "00": false, "a:" + first + ",a:" + second: false,
		"a b:" + first: false, "a:" + first + ",": false, strings.Repeat("k", 33) + ":" + first: false,
	} {
		_, err := sealed.ParseKeys(text)
		if (err == nil) != ok {
			t.Errorf("ParseKeys(%q): %v", text, err)
		}
		if err != nil && strings.Contains(err.Error(), first[:8]) {
			t.Errorf("the error shows a key: %v", err)
		}
	}
}

// TestDeepLayers: layers that nothing draws are not walked, and a path that would stay in plain text is an error.
func TestDeepLayers(t *testing.T) {
	nested := func(depth int) imaging.Operations {
		return imaging.Operations{
			Filters: imaging.Filters(
				strings.Repeat("image(filters:", depth) + "image(enc:k1:" + strings.Repeat("A", 30) + ")" +
					strings.Repeat("/l)", depth),
			),
		}
	}
	if !sealed.InLayers(nested(imaging.MaxNesting - 1)) {
		t.Error("the deepest layer is not seen")
	}
	if o := nested(1000); sealed.InLayers(o) {
		t.Error("a layer 1,000 deep is seen")
	} else if got := testing.AllocsPerRun(1, func() { sealed.InLayers(o) }); got > 2000 {
		t.Errorf("looking for it takes %v allocations, expected those of %d levels", got, imaging.MaxNesting)
	}
	if _, err := keys(t, "a:"+first).EncryptLayers(nested(imaging.MaxNesting)); fault.CodeOf(err) != fault.TooLarge {
		t.Errorf("encrypting too deep a layer: %v", err)
	}
}

// TestLayers: what EncryptLayers encrypts, DecryptLayers gives back as it was, once.
func TestLayers(t *testing.T) {
	k := keys(t, "a:"+first)
	once, err := k.Encrypt("logo.png")
	if err != nil {
		t.Fatal(err)
	}
	layer := func(image string) string {
		return imaging.Layer{Image: image}.Argument()
	}
	for _, image := range []string{"logo.png", "a (1), b.png", "300x200/meta/c.png", "100%25.png", " ü+ .png", once,
		"https://example.com/a?b=c,d", "family(1w)/a"} {
		inner := "image(" + layer(image) + ",0,0)"
		o := imaging.Operations{
			Filters: imaging.Filters(
				inner + ":blur(1):image(color:red,0,0):watermark(fxf/filters:" + inner + "/" + layer(image) + ",10,10)",
			),
		}
		hidden, err := k.EncryptLayers(o)
		if err != nil || !sealed.InLayers(hidden) || strings.Contains(string(hidden.Filters), layer(image)) ||
			!strings.Contains(string(hidden.Filters), "image(color:red,0,0)") {
			t.Errorf("%s: encrypted as %s, %v", image, hidden.Filters, err)
		}
		if again, err := k.EncryptLayers(hidden); err != nil || again != hidden {
			t.Errorf("%s: encrypted twice as %s, %v", image, again.Filters, err)
		}
		shown, err := k.DecryptLayers(hidden)
		if err != nil || shown != o || sealed.InLayers(shown) {
			t.Errorf("%s: decrypted as %s, %v, expected %s", image, shown.Filters, err, o.Filters)
		}
		if again, err := k.DecryptLayers(shown); err != nil || again != shown {
			t.Errorf("%s: decrypted twice as %s, %v", image, again.Filters, err)
		}
	}
	outside, err := k.Encrypt("../logo.png")
	if err != nil {
		t.Fatal(err)
	}
	for name, image := range map[string]string{"changed": once[:len(once)-3] + "AAA",
		"of another key": strings.Replace(once, "enc:a:", "enc:b:", 1), "outside": outside} {
		if _, err := k.DecryptLayers(imaging.Operations{
			Filters: imaging.Filters("image(" + image + ",0,0)")}); fault.CodeOf(err) != fault.SignatureMismatch {
			t.Errorf("%s: %v, expected SIGNATURE_MISMATCH", name, err)
		}
	}
	_, err = sealed.Keys(nil).EncryptLayers(imaging.Operations{Filters: "image(a.png,0,0)"})
	if fault.CodeOf(err) != fault.Invalid {
		t.Errorf("without keys: %v, expected INVALID", err)
	}
}

// TestBlindIsNoVector checks that what Blind returns is not the initialization vector of any path that is made of its
// text: whoever can have paths encrypted could look up blinded texts.
func TestBlindIsNoVector(t *testing.T) {
	k := keys(t, "a:"+first)
	blind, err := base64.RawURLEncoding.DecodeString(k.Blind("tag"))
	again, other := k.Blind("tag"), k.Blind("other")
	if err != nil || len(blind) < 16 || base64.RawURLEncoding.EncodeToString(blind) != again || again == other {
		t.Fatalf("%q, %v", blind, err)
	}
	for _, path := range []string{"tag", "blind\ntag", "safelight blind 2", "safelight blind 2tag"} {
		image, err := k.Encrypt(path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(image, "enc:a:"))
		if err != nil || bytes.Equal(text[:16], blind[:16]) {
			t.Errorf("the vector of %q is the blinded text, %v", path, err)
		}
	}
}
