package presets_test

import (
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/imaging/preset"
	"github.com/safelight/safelight/signing/presets"
)

var must, want = gallerytest.Must, gallerytest.Want

func ptr[T any](v T) *T { return &v }

// card returns a rule with that width by default.
func card(width string) preset.Rule {
	return preset.Rule{
		Operations: "{width}x0",
		Parameters: []preset.Parameter{{Name: "width", Default: width, Values: []string{"320", "640"}}},
	}
}

// operations returns what a call stands for.
func operations(p *presets.Presets, call string) string {
	u, _, err := p.Set().Expand(call)
	if err != nil {
		return string(fault.CodeOf(err))
	}
	return u.Operations
}

// TestVersions: each change makes a version that URLs may pin, and numbers are not used twice.
func TestVersions(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := gallerytest.New(t, db, name, gallerytest.Config{})
		admin := s.Person("ada", auth.RoleAdmin)
		ctx := s.As(admin)
		save := func(rule preset.Rule, based *int) (*presets.Preset, error) {
			return s.Presets.Save(ctx, presets.SaveInput{Name: "card", Rule: rule, BasedOn: based})
		}
		_, err := save(card("320"), ptr(1))
		want(t, err, fault.NotFound, "a change of no preset")
		first, err := save(card("320"), ptr(0))
		must(t, err)
		if v := first.Versions[0]; first.Version() != 1 || first.Source != presets.FromDatabase ||
			*v.CreatedBy != "ada" ||
			!v.CreatedAt.Equal(s.Clock.Now()) {
			t.Errorf("the first version is %+v", first.Versions[0])
		}
		events := len(s.Events(audit.Filter{}))
		if again, err := save(card("320"), nil); err != nil || again.Version() != 1 ||
			len(s.Events(audit.Filter{})) != events {
			t.Errorf("the same again: %+v, %v, %d events more", again, err, len(s.Events(audit.Filter{}))-events)
		}
		_, err = save(card("640"), ptr(0))
		want(t, err, fault.Conflict, "a new preset of a used name")
		_, err = save(card("640"), ptr(2))
		want(t, err, fault.Conflict, "a change of an old version")
		second, err := save(card("640"), ptr(1))
		must(t, err)
		if second.Version() != 2 || len(second.Versions) != 2 || second.Versions[1].Version != 1 ||
			second.Parameters()[0].Default != "640" {
			t.Errorf("the second version: %+v", second)
		}
		other := s.Again()
		for _, p := range []*presets.Presets{s.Presets, other.Presets} {
			if a, b, c := operations(p, "card"), operations(p, "card@1"), operations(p, "card@2,320"); a != "640x0" ||
				b != "320x0" ||
				c != "320x0" {
				t.Errorf("card is %s, card@1 %s, card@2,320 %s", a, b, c)
			}
		}
		must(t, s.Presets.Delete(ctx, "card"))
		want(t, s.Presets.Delete(ctx, "card"), fault.NotFound, "deleting it twice")
		_, err = s.Presets.Get("card")
		want(t, err, fault.NotFound, "reading a deleted preset")
		if got := operations(s.Presets, "card"); got != string(fault.NotFound) {
			t.Errorf("a deleted preset is %s", got)
		}
		if operations(other.Presets, "card") != "640x0" {
			t.Error("the other server follows without a notice")
		}
		must(t, other.Presets.Reload(ctx))
		third, err := save(card("320"), ptr(0))
		must(t, err)
		if third.Version() != 3 || len(third.Versions) != 1 ||
			operations(s.Presets, "card@2") != string(fault.NotFound) ||
			operations(other.Presets, "card") != string(fault.NotFound) {
			t.Errorf("after a deletion: %+v", third)
		}
		e := s.Events(audit.Filter{})
		if e[0].Action != string(audit.ActionPresetSave) || e[0].Target != "preset:card" ||
			e[1].Action != string(audit.ActionPresetDelete) ||
			e[2].Before == nil {
			t.Errorf("the events are %+v", e[:3])
		}
	})
}

// TestRefused: presets that are not saved leave no trace.
func TestRefused(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := gallerytest.New(t, db, name, gallerytest.Config{})
		long := preset.Parameter{Name: "a", Default: strings.Repeat("a", 64)}
		for i := range preset.MaxValues {
			long.Values = append(long.Values, fmt.Sprintf("%064d", i))
		}
		long.Default = long.Values[0]
		for _, in := range []presets.SaveInput{
			{Name: "Card", Rule: card("320")},
			{Name: "", Rule: card("320")},
			{Name: "card", Rule: card("321")},
			{Name: "card", Rule: preset.Rule{Operations: "preset(card)"}},
			{Name: "card", Rule: preset.Rule{Operations: "filters:text({a})", Parameters: []preset.Parameter{long}}},
		} {
			_, err := s.Presets.Save(t.Context(), in)
			want(t, err, fault.Invalid, in.Name+" "+in.Operations)
		}
		if all := s.Presets.All(); len(all) != 0 || len(s.Events(audit.Filter{})) != 0 {
			t.Errorf("%d presets, %d events", len(all), len(s.Events(audit.Filter{})))
		}
	})
}

// TestBounds: every server holds all presets in memory, so there are only so many.
func TestBounds(t *testing.T) {
	s := gallerytest.New(t, databasetest.SQLite(t), "sqlite3", gallerytest.Config{})
	db := database.New(s.Pool, "sqlite3")
	for i := range presets.MaxPresets {
		must(t, db.Preset.Create().SetName(fmt.Sprintf("p%d", i)).SetVersion(1).SetOperations("").Exec(t.Context()))
	}
	for i := range presets.MaxVersions - 1 {
		must(t, db.Preset.Create().SetName("p0").SetVersion(i+2).SetOperations("").Exec(t.Context()))
	}
	_, err := s.Presets.Save(t.Context(), presets.SaveInput{Name: "p0", Rule: card("320")})
	want(t, err, fault.Conflict, "a version too many")
	_, err = s.Presets.Save(t.Context(), presets.SaveInput{Name: "q", Rule: card("320")})
	want(t, err, fault.Conflict, "a preset too many")
	must(t, s.Presets.Delete(t.Context(), "p0"))
	saved, err := s.Presets.Save(t.Context(), presets.SaveInput{Name: "p0", Rule: card("320")})
	must(t, err)
	if saved.Version() != presets.MaxVersions+1 {
		t.Errorf("the version is %d", saved.Version())
	}
	var more []*ent.PresetCreate
	for i := range presets.MaxRows {
		more = append(
			more,
			db.Preset.Create().
				SetName(fmt.Sprintf("p%d", 1+i/presets.MaxVersions)).
				SetVersion(2+i%presets.MaxVersions).
				SetOperations(""),
		)
	}
	for part := range slices.Chunk(more, 500) {
		must(t, db.Preset.CreateBulk(part...).Exec(t.Context()))
	}
	_, err = s.Presets.Save(t.Context(), presets.SaveInput{Name: "p100", Rule: card("320")})
	want(t, err, fault.Conflict, "a version too many of all presets")
	if !strings.Contains(err.Error(), "all presets together") {
		t.Error(err)
	}
}

// TestFile: presets of a file work as those of the database, and cannot be changed.
func TestFile(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		file := filepath.Join(t.TempDir(), "presets.json")
		must(
			t,
			os.WriteFile(
				file,
				[]byte(
					`[{"name": "hero", "version": 2, "operations": "1600x0"}, {"name": "hero", "operations": "{w}x0", "parameters": [{"name": "w", "default": "5", "min": 1, "max": 9}]}]`,
				),
				0o600,
			),
		)
		s := gallerytest.New(t, db, name, gallerytest.Config{Presets: presets.Config{File: file}})
		if a, b := operations(s.Presets, "hero"), operations(s.Presets, "hero@1,7"); a != "1600x0" || b != "7x0" {
			t.Errorf("hero is %s, hero@1,7 %s", a, b)
		}
		_, err := s.Presets.Save(t.Context(), presets.SaveInput{Name: "hero", Rule: card("320")})
		want(t, err, fault.Conflict, "changing a preset of the file")
		want(t, s.Presets.Delete(t.Context(), "hero"), fault.Conflict, "deleting a preset of the file")
		_, err = s.Presets.Save(t.Context(), presets.SaveInput{Name: "card", Rule: card("320")})
		must(t, err)
		all := s.Presets.All()
		if len(all) != 2 || all[0].Name != "card" || all[1].Source != presets.FromFile || all[1].Version() != 2 ||
			len(all[1].Versions) != 2 ||
			all[1].UpdatedAt() != nil {
			t.Errorf("the presets are %+v", all)
		}
		// a server without the file, and its preset of the same name
		free, err := presets.New(
			t.Context(), presets.Config{}, database.New(db, name), s.Audit, slog.New(slog.DiscardHandler),
		)
		must(t, err)
		_, err = free.Save(t.Context(), presets.SaveInput{Name: "hero", Rule: card("320")})
		must(t, err)
		must(t, s.Presets.Reload(t.Context()))
		if got := operations(s.Presets, "hero"); got != "1600x0" {
			t.Errorf("beside one of the database, hero is %s", got)
		}
		_, err = presets.New(
			t.Context(), presets.Config{File: file}, database.New(db, name), s.Audit,
			slog.New(slog.DiscardHandler),
		)
		if err == nil || !strings.Contains(err.Error(), "preset hero is in the presets file and in the database") {
			t.Errorf("a start with both: %v", err)
		}
	})
}

// TestBrokenFile: the error names the file and what is wrong with it.
func TestBrokenFile(t *testing.T) {
	for content, message := range map[string]string{
		``:                                 "expected a JSON list",
		`{}`:                               "expected a JSON list",
		`[{"name": "a", "operation": ""}]`: "unknown field",
		`[{"name": "A"}]`:                  `preset 1, "A": the name`,
		`[{"name": "a"}, {"name": "a"}]`:   "two presets a@1",
		`[{"name": "a", "version": 0}]`:    "the version is 0",
		`[{"name": "a", "operations": "cat.jpg/300x200"}]`: "not understood",
		`[] []`: "nothing after the list",
	} {
		file := filepath.Join(t.TempDir(), "presets.json")
		must(t, os.WriteFile(file, []byte(content), 0o600))
		if _, err := presets.ReadFile(file); err == nil || !strings.Contains(err.Error(), message) ||
			!strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v, expected %q", content, err, message)
		}
	}
	if _, err := presets.ReadFile(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}
