package signing_test

import (
	"database/sql"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/signing"
)

func TestProcessor(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		first, err := s.GenerateURL(access.All(t.Context()), "a b/c+d.jpg", imaging.Operations{Width: 300})
		must(t, err)
		if !strings.HasPrefix(first, "/") || !strings.HasSuffix(first, "=/300x0/a%20b/c%2Bd.jpg") ||
			!gallerytest.Verifies(s, first) ||
			!gallerytest.Verifies(s.Again(), first) {
			t.Errorf("GenerateURL = %s", first)
		}
		status, err := s.ConfigureProcessor(
			t.Context(),
			signing.ProcessorInput{Secret: ptr("new secret"), SignerType: ptr(imaging.SHA256), SignerTruncate: ptr(40)},
		)
		must(t, err)
		if !status.Configured || status.SignerType != imaging.SHA256 || status.SignerTruncate != 40 ||
			status.PreviousUntil == nil ||
			status.LastUpdated == nil {
			t.Errorf("status %+v", status)
		}
		second := s.SignPath("300x0/a")
		if !gallerytest.Verifies(s, first) || !gallerytest.Verifies(s, second) ||
			len(strings.Split(second, "/")[1]) != 40 ||
			!gallerytest.Verifies(s.Again(), first) {
			t.Error("during a rotation both secrets must be accepted")
		}
		s.Clock.Time = s.Clock.Time.Add(24 * time.Hour)
		if gallerytest.Verifies(s, first) || !gallerytest.Verifies(s, second) ||
			gallerytest.Verifies(s.Again(), first) {
			t.Error("after the rotation only the new secret must be accepted")
		}
		for field, in := range map[string]signing.ProcessorInput{
			"secret": {Secret: ptr("7 bytes")}, "signerType": {SignerType: ptr(imaging.SignerType("MD5"))},
			"signerTruncate": {SignerTruncate: ptr(3)}} {
			_, err := s.ConfigureProcessor(t.Context(), in)
			if f := fault.Of(err); f == nil || f.Code != fault.Invalid || f.Field != field {
				t.Errorf("%s: %v", field, err)
			}
		}
		if !gallerytest.Verifies(s, second) {
			t.Error("a refused change took effect")
		}
		var stored string
		must(t, db.QueryRow("SELECT secret || previous_secret FROM processor_settings").Scan(&stored))
		if strings.Contains(stored, "new secret") {
			t.Error("the secret lies plain in the database")
		}
	})
}

// TestProcessorTwice: a second change within 24 hours ends the secret before the previous one.
func TestProcessorTwice(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		first := s.SignPath("300x0/a")
		for _, secret := range []string{"the second secret", "the third secret"} {
			_, err := s.ConfigureProcessor(t.Context(), signing.ProcessorInput{Secret: &secret})
			must(t, err)
			if accepted := gallerytest.Verifies(s, first); accepted != (secret == "the second secret") {
				t.Errorf("after %s, the first is accepted: %v", secret, accepted)
			}
		}
	})
}

func TestProcessorAtOnce(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		var wg sync.WaitGroup
		for _, secret := range []string{"number one", "number two", "number three", "number four"} {
			wg.Go(func() {
				if _, err := s.ConfigureProcessor(
					t.Context(), signing.ProcessorInput{Secret: ptr(secret)}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if url := s.SignPath("a"); !gallerytest.Verifies(s.Again(), url) {
			t.Error("memory and database ended with different secrets")
		}
	})
}

// TestProcessorOfAnotherServer changes the secret on one of two servers of a database: the other follows when it reads
// the settings again.
func TestProcessorOfAnotherServer(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		other := s.Again()
		_, err := s.ConfigureProcessor(t.Context(), signing.ProcessorInput{Secret: ptr("another secret")})
		must(t, err)
		must(t, other.Signer.Reload(t.Context()))
		if !gallerytest.Verifies(other, s.SignPath("a")) {
			t.Error("the other server rejects new URLs")
		}
	})
}

func TestProcessorFromConfig(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{
			Signing: signing.Config{
				BaseURL:   "https://img.example",
				Processor: &imaging.SignerConfig{Secret: "1234"},
			},
		})
		const path = "meta/10x11:12x13/fit-in/-300x-200/5x6/left/top/smart/filters:some_filter()/img"
		if got := s.SignPath(path); got != "https://img.example/VTAq7YIRbEXgtwAcsTMhAjvBuT8=/"+path {
			t.Error(got)
		}
		_, err := s.ConfigureProcessor(t.Context(), signing.ProcessorInput{Secret: ptr("x")})
		want(t, err, fault.Conflict, "configuring what the environment decides")
		for _, image := range []string{"", "../x", "/etc/passwd", "a\x00b"} {
			_, err := s.GenerateURL(access.All(t.Context()), image, imaging.Operations{})
			if f := fault.Of(err); f == nil || f.Code != fault.Invalid || f.Field != "imagePath" {
				t.Errorf("GenerateURL(%q): %v", image, err)
			}
		}
	})
}

// TestWeakSecrets holds which lengths of secrets the API accepts and which it warns about, and that the operator may
// set any.
func TestWeakSecrets(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		if status, err := s.ProcessorStatus(t.Context()); err != nil || status.WeakSecret {
			t.Errorf("a generated secret: %+v, %v", status, err)
		}
		for _, c := range []struct {
			length int
			code   fault.Code
			weak   bool
		}{{0, fault.Invalid, false}, {1, fault.Invalid, false}, {7, fault.Invalid, false}, {8, "", true},
			{31, "", true}, {32, "", false}} {
			status, err := s.ConfigureProcessor(
				t.Context(),
				signing.ProcessorInput{Secret: ptr(strings.Repeat("x", c.length))},
			)
			want(t, err, c.code, "a secret")
			if err == nil && status.WeakSecret != c.weak {
				t.Errorf("%d bytes: weak is %v", c.length, status.WeakSecret)
			}
		}
		operators := newStage(
			t, db, name,
			gallerytest.Config{Signing: signing.Config{Processor: &imaging.SignerConfig{Secret: "x"}}},
		)
		if status, err := operators.ProcessorStatus(t.Context()); err != nil || !status.WeakSecret ||
			!gallerytest.Verifies(operators, operators.SignPath("a")) {
			t.Errorf("a short secret of the operator: %+v, %v", status, err)
		}
	})
}
