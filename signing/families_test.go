package signing_test

import (
	"database/sql"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/family"
	"github.com/safelight/safelight/signing"
)

// allows reports whether a signer allows a URL.
func allows(t *testing.T, s *signing.Signer, url string) bool {
	t.Helper()
	a, err := s.Read(url)
	must(t, err)
	return a.Denied == nil
}

// TestFamilyKeys: URLs of a key work until it is revoked, on every server, and its id is never used again.
func TestFamilyKeys(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		key, secret, err := s.CreateFamilyKey(t.Context(), "shop-1")
		must(t, err)
		if key.ID != "shop-1" || len(secret) < signing.GoodSecret || strings.Contains(key.Secret, secret) ||
			strings.Contains(key.String(), secret) {
			t.Errorf("key %v, secret %s", key, secret)
		}
		p := family.Policy{Widths: []int{320, 640}, Key: "shop-1"}
		f, err := s.SignFamily(access.All(t.Context()), "a b.jpg", imaging.Operations{Width: 300, Height: 200}, p)
		must(t, err)
		url, err := f.URL(ptr(int32(640)), nil, nil, nil)
		must(t, err)
		if url != "/"+f.Signature+"/family(320w,640w,key=shop-1)/640w/300x200/a%20b.jpg" ||
			f.Template() != strings.Replace(url, "/640w/", "/{choice}/", 1) {
			t.Errorf("URL %s, template %s", url, f.Template())
		}
		// the secret that was shown signs the same, and no ordinary URL
		signer, err := imaging.NewSigner(imaging.SignerConfig{Secret: secret})
		must(t, err)
		if signer.Sign("family(320w,640w,key=shop-1)/300x200/a%20b.jpg") != f.Signature {
			t.Error("the secret signs something else")
		}
		if allows(t, s.Signer, "/"+signer.Sign("300x200/a%20b.jpg")+"/300x200/a%20b.jpg") ||
			allows(t, s.Signer, strings.Replace(url, ",key=shop-1", "", 1)) ||
			allows(t, s.Signer, strings.Replace(url, "key=shop-1", "key=shop-2", 1)) ||
			allows(t, s.Signer, strings.Replace(url, "/640w/", "/641w/", 1)) {
			t.Error("a URL that the key must not sign is allowed")
		}
		other, err := signing.New(
			t.Context(), signing.Config{Now: s.Clock.Now}, database.New(db, name), s.Audit, s.Keys,
			slog.New(slog.DiscardHandler),
		)
		must(t, err)
		if !allows(t, s.Signer, url) || !allows(t, other, url) {
			t.Error("the URL is rejected before the key is revoked")
		}
		_, err = s.ConfigureProcessor(
			t.Context(),
			signing.ProcessorInput{Secret: ptr("another secret"), SignerType: ptr(imaging.SHA512)},
		)
		must(t, err)
		s.Clock.Time = s.Clock.Time.Add(48 * time.Hour)
		if !allows(t, s.Signer, url) {
			t.Error("the key follows the settings of the processor")
		}
		for range 2 {
			revoked, err := s.RevokeFamilyKey(t.Context(), "shop-1")
			must(t, err)
			if revoked.RevokedAt == nil || allows(t, s.Signer, url) {
				t.Error("the URL is allowed after the key was revoked")
			}
		}
		must(t, other.Reload(t.Context())) // as the notice makes it
		if allows(t, other, url) {
			t.Error("another server allows the URL")
		}
		_, err = s.SignFamily(access.All(t.Context()), "a.jpg", imaging.Operations{}, p)
		want(t, err, fault.Invalid, "signing with a revoked key")
		_, _, err = s.CreateFamilyKey(t.Context(), "shop-1")
		want(t, err, fault.Conflict, "using an id twice")
		_, _, err = s.CreateFamilyKey(t.Context(), "a,b")
		want(t, err, fault.Invalid, "an id that does not fit into a policy")
		_, err = s.RevokeFamilyKey(t.Context(), "none")
		want(t, err, fault.NotFound, "revoking nothing")
		list, err := s.FamilyKeys(t.Context())
		must(t, err)
		if len(list) != 1 || list[0].ID != "shop-1" {
			t.Errorf("keys %v", list)
		}
	})
}

// TestSignedApart: no ordinary signature is one of a family, whatever the image is called, and the reverse.
func TestSignedApart(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		for _, image := range []string{"family(320w)/a.jpg", "family(320w)/320w/a.jpg", "family(320w)/320w/300x0/a.jpg",
			"family()/-/a"} {
			ordinary, err := s.GenerateURL(access.All(t.Context()), image, imaging.Operations{})
			must(t, err)
			for _, url := range []string{ordinary, s.SignPath(image), s.SignPath(imaging.Operations{}.Path(image))} {
				a, err := s.Read(url)
				must(t, err)
				if a.Denied != nil || a.Image != image || a.IgnoreHints {
					t.Errorf("%s asks for %q: %v", url, a.Image, a.Denied)
				}
				hash, _ := imaging.SplitSigned(url)
				if forged := "/" + hash + "/" + strings.Replace(image, "/", "/320w/", 1); allows(t, s.Signer, forged) {
					t.Errorf("%s is allowed by the signature of %s", forged, image)
				}
			}
		}
		f, err := s.SignFamily(access.All(t.Context()), "a.jpg", imaging.Operations{Width: 300},
			family.Policy{Widths: []int{320}})
		must(t, err)
		for _, path := range []string{"300x0/a.jpg", "320x0/a.jpg", f.Policy + "/300x0/a.jpg",
			"/" + f.Policy + "/300x0/a.jpg", f.Policy + "/" + f.Policy + "/320w/300x0/a.jpg"} {
			if allows(t, s.Signer, "/"+f.Signature+"/"+path) || s.VerifyURL(f.Signature, path) {
				t.Errorf("the signature of a family is one of %s", path)
			}
		}
		for what, p := range map[string]family.Policy{
			"nothing": {}, "the past": {Widths: []int{320}, Until: s.Clock.Time},
			"no key": {Widths: []int{320}, Key: "none"}} {
			_, err := s.SignFamily(access.All(t.Context()), "a.jpg", imaging.Operations{}, p)
			want(t, err, fault.Invalid, what)
		}
		_, err = s.SignFamily(access.All(t.Context()), "../a.jpg", imaging.Operations{},
			family.Policy{Widths: []int{320}})
		want(t, err, fault.Invalid, "an image that no URL may name")
	})
}
