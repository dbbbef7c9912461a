package templates_test

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/templates"
)

// bright returns a template with a brightness.
func bright(n int, more string) string {
	return fmt.Sprintf(
		`{"version":"1.0","dimensionMode":"adaptive","mood":"warm"%s,"transformations":{"imagePath":"trip/p.png","originalDimensions":{"width":8,"height":8},"brightness":%d}}`,
		more, n,
	)
}

var brightness = regexp.MustCompile(`"brightness": *(\d+)`)

// described formats the versions of a template: number, author and brightness.
func described(t *templates.Template) string {
	var b strings.Builder
	for _, v := range t.Versions() {
		fmt.Fprintf(&b, "%d %s %s;", v.Number, v.Author, brightness.FindStringSubmatch(v.Envelope)[1])
	}
	return b.String()
}

func (s *stage) save(author, envelope string) *templates.Template {
	s.Helper()
	ctx := auth.WithIdentity(s.Context(), auth.Identity{Name: author, Role: auth.RoleUser})
	t, _, err := s.SaveTemplate(ctx, templates.SaveTemplateInput{Name: "T", Envelope: envelope, Overwrite: true})
	must(s.T, err)
	return t
}

func TestVersions(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{Templates: templates.Config{Limits: imaging.DefaultLimits()}})
		s.picture("trip/p.png", 8, 8)
		ctx := s.Context()
		if first := s.save("ann", bright(1, "")); described(first) != "1 ann 1;" || first.Version() != 1 {
			t.Errorf("first: %s", described(first))
		}
		s.save("bob", bright(2, ""))
		third := s.save("ann", bright(3, ""))
		if got := described(third); got != "3 ann 3;2 bob 2;1 ann 1;" {
			t.Errorf("three saves: %s", got)
		}
		if strings.Contains(third.Envelope, "savedVersions") ||
			strings.Join(third.Parsed.UnknownFields(), " ") != "/mood" {
			t.Errorf("the envelope has its history: %s, unknown %q", third.Envelope, third.Parsed.UnknownFields())
		}
		if again := s.save("bob", third.Envelope); described(again) != described(third) {
			t.Errorf("saved as it was: %s", described(again))
		}
		// A stored file is also a valid envelope, including its history.
		if again := s.save("bob", s.Content(third.Path)); described(again) != described(third) {
			t.Errorf("the file saved again: %s", described(again))
		}
		restored, err := s.RestoreTemplateVersion(ctx, third.Path, 1)
		must(t, err)
		if got := described(restored); got != "4  1;3 ann 3;2 bob 2;1 ann 1;" {
			t.Errorf("restored: %s", got)
		}
		_, err = s.RestoreTemplateVersion(ctx, third.Path, 9)
		want(t, err, fault.NotFound, "a version that was never saved")
		_, err = s.RestoreTemplateVersion(ctx, "trip/none.template.json", 1)
		want(t, err, fault.NotFound, "a template that does not exist")
		// The history moves with the file.
		moved, err := s.RenameTemplate(ctx, third.Path, "U")
		must(t, err)
		if described(moved) != described(restored) {
			t.Errorf("renamed: %s", described(moved))
		}
	})
}

// TestVersionsOfOthers checks files that were not stored by SaveTemplate.
func TestVersionsOfOthers(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{Templates: templates.Config{Limits: imaging.DefaultLimits()}})
		s.picture("trip/p.png", 8, 8)
		for _, c := range []struct{ name, stored, before, after string }{
			{"without a history", bright(1, ""), "1  1;", "2 ann 5;1  1;"},
			{"with a field of that name", bright(1, `,"savedVersions":["draft"]`), "1  1;", "2 ann 5;1  1;"},
			{"with a number that is too large", bright(
				1, `,"savedVersions":{"number":1073741825,"saved":"2026-01-02T03:04:05Z"}`), "1  1;", "2 ann 5;1  1;"},
			{"with versions after the current one",
				bright(
					1,
					`,"savedVersions":{"number":3,"saved":"2026-01-02T03:04:05Z","earlier":[{"number":9223372036854775807,"template":`+bright(8, "")+`},{"number":2,"template":`+bright(2, "")+`},{"number":-1,"template":`+bright(7, "")+`}]}`), "3  1;2  2;", "4 ann 5;3  1;2  2;"},
			{"with a history in another place", bright(
				1, `,"savedVersions":{"number":7,"saved":"2026-01-02T03:04:05Z","author":"eve"}`), "7 eve 1;",
				"8 ann 5;7 eve 1;"},
		} {
			_, err := s.Store.Create(
				access.All(t.Context()), "trip/T.template.json", strings.NewReader(c.stored),
				storage.CreateOptions{Overwrite: true},
			)
			must(t, err)
			read, err := s.Template(access.All(t.Context()), "trip/T.template.json")
			must(t, err)
			if got := described(read); got != c.before || read.Parsed == nil {
				t.Errorf("%s: %s, expected %s; %s", c.name, got, c.before, read.Problem)
			}
			if got := described(s.save("ann", bright(5, ""))); got != c.after {
				t.Errorf("%s, saved: %s, expected %s", c.name, got, c.after)
			}
		}
		// A file that is not JSON has no version that could be kept.
		_, err := s.Store.Create(
			access.All(t.Context()), "trip/T.template.json", strings.NewReader("{"),
			storage.CreateOptions{Overwrite: true},
		)
		must(t, err)
		if got := described(s.save("ann", bright(5, ""))); got != "1 ann 5;" {
			t.Errorf("after a broken file: %s", got)
		}
	})
}

// TestManyVersionsInAFile checks that excess versions in a file are ignored.
func TestManyVersionsInAFile(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{Templates: templates.Config{Limits: imaging.DefaultLimits()}})
		one := `{"number":1,"template":` + bright(2, "") + `}`
		forged := bright(
			1,
			`,"savedVersions":{"number":2,"saved":"2026-01-02T03:04:05Z","earlier":[`+one+
				strings.Repeat(","+one, 999)+`]}`,
		)
		_, err := s.Store.Create(
			access.All(t.Context()), "trip/T.template.json", strings.NewReader(forged), storage.CreateOptions{},
		)
		must(t, err)
		read, err := s.Template(access.All(t.Context()), "trip/T.template.json")
		must(t, err)
		if n := len(read.Versions()); n != 21 {
			t.Errorf("%d versions", n)
		}
	})
}

// between saves on another server after this one has started to save.
type between struct {
	*gallery.Gallery
	do func()
}

func (b between) CreateFile(
	ctx context.Context,
	k storage.Key,
	r io.Reader,
	o storage.CreateOptions,
) (storage.Stat, error) {
	if do := b.do; gallery.IsTemplate(k) {
		do()
	}
	return b.Gallery.CreateFile(ctx, k, r, o)
}

// TestTwoServersKeepVersions saves one template on two servers. No version must be lost.
func TestTwoServersKeepVersions(t *testing.T) {
	gallerytest.EachStore(
		t,
		gallerytest.Config{Templates: templates.Config{Limits: imaging.DefaultLimits()}},
		func(gs *gallerytest.Stage) {
			s := &stage{gs}
			s.picture("trip/p.png", 8, 8)
			s.Clock.Time = s.Clock.Time.Add(time.Hour)
			if v := s.save("ann", bright(1, "")).Versions(); !v[0].SavedTime.Equal(s.Clock.Time.Truncate(time.Second)) {
				s.Errorf("saved at %v, expected the common time %v", v[0].SavedTime, s.Clock.Time)
			}
			one, err := templates.New(
				templates.Config{Limits: imaging.DefaultLimits(), Now: s.Clock.Now}, s.Audit,
				between{s.Gallery, func() { s.save("bob", bright(2, "")) }}, s.Signer, s.Store, s.Engine,
				slog.New(slog.DiscardHandler),
			)
			must(s.T, err)
			last, _, err := one.SaveTemplate(
				s.Context(),
				templates.SaveTemplateInput{Name: "T", Envelope: bright(3, ""), Overwrite: true},
			)
			must(s.T, err)
			if got := described(last); got != "3  3;2 bob 2;1 ann 1;" {
				s.Errorf("one after the other has begun: %s", got)
			}
			var all sync.WaitGroup
			for i, server := range []*gallerytest.Rules{s.Rules, s.Again()} {
				all.Go(func() {
					for n := range 4 {
						_, _, err := server.SaveTemplate(
							s.Context(),
							templates.SaveTemplateInput{Name: "T", Envelope: bright(10+10*i+n, ""), Overwrite: true},
						)
						// In a bucket, a file may change while it is read for the response.
						if err != nil && fault.CodeOf(err) != fault.Unavailable {
							s.Error(err)
						}
					}
				})
			}
			all.Wait()
			last, err = s.Template(s.Context(), "trip/T.template.json")
			must(s.T, err)
			if n := len(last.Versions()); n != 11 || last.Version() != 11 {
				s.Errorf("%d versions after 11 saves: %s", n, described(last))
			}
		},
	)
}

// TestVersionsAreBounded checks the limits of the number and the size of versions.
func TestVersionsAreBounded(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{Templates: templates.Config{Limits: imaging.DefaultLimits()}})
		s.picture("trip/p.png", 8, 8)
		var last *templates.Template
		for i := range 25 {
			last = s.save("ann", bright(i, ""))
		}
		if v := last.Versions(); len(v) != 21 || v[0].Number != 25 || v[20].Number != 5 {
			t.Errorf("%d versions: %s", len(v), described(last))
		}
		long := `,"note":"` + strings.Repeat("x", 100<<10) + `"`
		for i := range 4 {
			last = s.save("ann", bright(i, long))
		}
		if v := last.Versions(); len(v) != 3 || v[0].Number != 29 || v[2].Number != 27 {
			t.Errorf("%d long versions, expected 3", len(v))
		}
		whole := strings.Replace(bright(1, ""), "warm", strings.Repeat("x", 1<<20-300), 1)
		if v := s.save("ann", whole).Versions(); len(v) != 1 {
			t.Errorf("the largest template has %d versions, expected 1", len(v))
		}
	})
}
