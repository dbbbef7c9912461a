package fonts_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"entgo.io/ent/dialect"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gobolditalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/fonts"
	"github.com/safelight/safelight/fonts/fontstest"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/imaging"
)

var must, want = gallerytest.Must, gallerytest.Want

// trial is an engine that answers whether a font can be drawn.
type trial struct {
	imaging.Engine
	err   error
	drawn []string
}

func (e *trial) Process(
	_ context.Context, src imaging.Source, o imaging.Operations, _ imaging.Limits,
) (*imaging.Result, error) {
	for _, f := range src.Fonts {
		if !slices.Contains(imaging.FontNames(o), f.Family) {
			return nil, errors.New("the text has another font")
		}
		e.drawn = append(e.drawn, f.Family)
	}
	return &imaging.Result{}, e.err
}

func names(list []*ent.Font) string {
	var b strings.Builder
	for _, f := range list {
		b.WriteString(f.Family + " " + f.Style + "; ")
	}
	return b.String()
}

// TestFonts: what admins add is there at once, also on other servers, and replaces what has the same name.
func TestFonts(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		engine := &trial{}
		s := gallerytest.New(t, db, name, gallerytest.Config{Fonts: fonts.Config{Engine: engine,
			Installed: func() []string { return []string{"Sans", "Go Mono"} }}})
		ctx := s.As(s.Person("ada", auth.RoleAdmin))
		other := s.Again()
		add := func(file []byte) (*ent.Font, error) { return s.Fonts.Add(ctx, bytes.NewReader(file)) }

		regular, err := add(goregular.TTF)
		must(t, err)
		if regular.Family != "Go" || regular.Style != "Regular" || regular.Weight != 400 || regular.IsItalic ||
			regular.Format != "TTF" || regular.SizeBytes != int64(len(goregular.TTF)) || regular.AddedBy != "ada" {
			t.Errorf("the font is %+v", regular)
		}
		slanted, err := add(gobolditalic.TTF)
		must(t, err)
		if slanted.Style != "Bold Italic" || slanted.Weight <= 500 || !slanted.IsItalic {
			t.Errorf("the bold italic is %+v", slanted)
		}
		bold, err := add(fontstest.WOFF2(t, gobold.TTF, true))
		must(t, err)
		if bold.Format != "TTF" || bold.Style != "Bold" {
			t.Errorf("the WOFF2 is %+v", bold)
		}
		if got := names(s.Fonts.All()); got != "Go Regular; Go Bold; Go Bold Italic; " &&
			got != "Go Regular; Go Bold Italic; Go Bold; " {
			t.Errorf("the fonts are %s", got)
		}
		if len(other.Fonts.All()) != 0 {
			t.Error("another server has read nothing, and knows the fonts")
		}
		if name == dialect.Postgres { // tells other servers
			var notices int
			must(t, db.QueryRowContext(ctx, "SELECT count(*) FROM notices WHERE topic = 'fonts'").Scan(&notices))
			if notices != 3 {
				t.Errorf("there are %d notices of 3 fonts", notices)
			}
		}
		must(t, other.Fonts.Reload(t.Context()))
		if got := names(other.Fonts.All()); got != names(s.Fonts.All()) {
			t.Errorf("another server has %s", got)
		}
		known, err := other.Fonts.Of(imaging.Operations{Filters: "text(a,0,0,Go)"})
		must(t, err)
		file, err := other.Fonts.File(ctx, regular.ID)
		must(t, err)
		if !bytes.Equal(file, goregular.TTF) {
			t.Error("the file of the font has other bytes")
		}

		events := len(s.Events(audit.Filter{}))
		again, err := add(goregular.TTF)
		must(t, err)
		if again.ID != regular.ID || len(s.Events(audit.Filter{})) != events {
			t.Errorf("the same file again: %+v", again)
		}
		changed := append(bytes.Clone(goregular.TTF), 0, 0, 0, 0)
		replaced, err := add(changed)
		must(t, err)
		if replaced.ID == regular.ID || len(s.Fonts.All()) != 3 {
			t.Errorf("a new version: %+v, %s", replaced, names(s.Fonts.All()))
		}
		_, err = s.Fonts.File(ctx, regular.ID)
		want(t, err, fault.NotFound, "the replaced file")
		at := slices.IndexFunc(known, func(f imaging.Font) bool { return f.Version == regular.ID })
		if _, err := known[at].Load(ctx); err != imaging.ErrFontChanged {
			t.Errorf("the replaced file on another server: %v", err)
		}
		if got := names(other.Fonts.All()); got != names(s.Fonts.All()) || other.Fonts.All()[0].ID != replaced.ID {
			t.Errorf("another server that has missed a font still has %s", got)
		}
		if e := s.Events(audit.Filter{})[0]; e.Action != string(audit.ActionFontAdd) || e.Target != "font:Go" ||
			e.Before["id"] != regular.ID || e.After["id"] != replaced.ID {
			t.Errorf("the event is %+v", e)
		}

		_, err = add(gomono.TTF)
		want(t, err, fault.Conflict, "an installed family")
		engine.err = fault.New(fault.UnsupportedType, "no font")
		_, err = add(append(changed, 0))
		want(t, err, fault.UnsupportedType, "a font that cannot be drawn")
		for _, code := range []fault.Code{fault.CorruptImage, fault.Timeout, fault.TooLarge} {
			engine.err = fault.New(code, "it breaks the worker")
			_, err = add(append(changed, 0))
			want(t, err, fault.CorruptImage, "a font that breaks its worker")
		}
		if len(s.Fonts.All()) != 3 {
			t.Errorf("refused fonts are kept: %s", names(s.Fonts.All()))
		}

		must(t, s.Fonts.Delete(ctx, replaced.ID))
		want(t, s.Fonts.Delete(ctx, replaced.ID), fault.NotFound, "a deleted font")
		_, err = s.Fonts.Get(replaced.ID)
		want(t, err, fault.NotFound, "a deleted font")
		if e := s.Events(audit.Filter{})[0]; e.Action != string(audit.ActionFontDelete) ||
			e.Before["style"] != "Regular" {
			t.Errorf("the event is %+v", e)
		}
	})
}

// TestCase: fonts whose names differ only in case replace one another, and do not hide one another.
func TestCase(t *testing.T) {
	s := gallerytest.New(t, databasetest.SQLite(t), "sqlite3",
		gallerytest.Config{Fonts: fonts.Config{Engine: &trial{}}})
	ctx := s.As(s.Person("ada", auth.RoleAdmin))
	add := func(from, to string) error {
		_, err := s.Fonts.Add(ctx, bytes.NewReader(renamed(t, from, to)))
		return err
	}
	must(t, add("Go Mono", "Go Mono"))
	want(t, add("Go Mono", "GO Mono"), fault.Conflict, "the family in another case")
	must(t, add("Regular", "REGULAR"))
	if got := names(s.Fonts.All()); got != "Go Mono REGULAR; " {
		t.Errorf("the fonts are %s", got)
	}
}

// renamed returns Go Mono with another name in its tables.
func renamed(t *testing.T, from, to string) []byte {
	t.Helper()
	wide := func(s string) []byte {
		var b []byte
		for _, u := range utf16.Encode([]rune(s)) {
			b = binary.BigEndian.AppendUint16(b, u)
		}
		return b
	}
	if !bytes.Contains(gomono.TTF, wide(from)) {
		t.Fatalf("the font has no name %q", from)
	}
	return bytes.ReplaceAll(gomono.TTF, wide(from), wide(to))
}

// TestUsed: a picture has all styles of the families that its texts name, and no other fonts.
func TestUsed(t *testing.T) {
	s := gallerytest.New(t, databasetest.SQLite(t), "sqlite3",
		gallerytest.Config{Fonts: fonts.Config{Engine: &trial{}}})
	ctx := s.As(s.Person("ada", auth.RoleAdmin))
	for _, file := range [][]byte{goregular.TTF, gobold.TTF, gomono.TTF} {
		_, err := s.Fonts.Add(ctx, bytes.NewReader(file))
		must(t, err)
	}
	for filters, want := range map[imaging.Filters]string{
		"":                                     "",
		"blur(2)":                              "",
		"text(a,0,0,sans-24)":                  "",
		"text(a,0,0,Gothic-24)":                "",
		"text(a,0,0,go-bold-24)":               "Go Go",
		"label(a,0,0,20,black,0,Go%20Mono)":    "Go Mono",
		"text(a,0,0,Go):text(b,0,0,go-mono-8)": "Go Go Go Mono",
		"image(filters:text(a,0,0,Go)/b.png)":  "Go Go",
	} {
		used, err := s.Fonts.Of(imaging.Operations{Filters: filters})
		must(t, err)
		var families []string
		for _, f := range used {
			families = append(families, f.Family)
			data, err := f.Load(ctx)
			must(t, err)
			if one, err := s.Fonts.Get(f.Version); err != nil || one.SizeBytes != int64(len(data)) {
				t.Errorf("%s: %d bytes of %+v, %v", filters, len(data), one, err)
			}
		}
		if got := strings.Join(families, " "); got != want {
			t.Errorf("%s uses %q, expected %q", filters, got, want)
		}
	}
}

// TestRefused: what is no font, or has a name that no URL can have, is not tried.
func TestRefused(t *testing.T) {
	engine := &trial{}
	s := gallerytest.New(t, databasetest.SQLite(t), "sqlite3", gallerytest.Config{Fonts: fonts.Config{Engine: engine}})
	ctx := s.As(s.Person("ada", auth.RoleAdmin))
	named := func(from, to string) []byte { return renamed(t, from, to) }
	packed := fontstest.WOFF2(t, goregular.TTF, true)
	for name, c := range map[string]struct {
		file []byte
		code fault.Code
	}{
		"nothing":              {nil, fault.UnsupportedType},
		"a picture":            {[]byte("\x89PNG\r\n\x1a\n"), fault.UnsupportedType},
		"a collection":         {[]byte("ttcf\x00\x01\x00\x00"), fault.UnsupportedType},
		"WOFF 1":               {[]byte("wOFF\x00\x01\x00\x00"), fault.UnsupportedType},
		"too large":            {append(bytes.Clone(goregular.TTF), make([]byte, fonts.MaxBytes)...), fault.TooLarge},
		"a large WOFF2":        {append(bytes.Clone(packed), make([]byte, fonts.MaxBytes)...), fault.TooLarge},
		"a head only":          {goregular.TTF[:12], fault.CorruptImage},
		"cut":                  {goregular.TTF[:2000], fault.CorruptImage},
		"a WOFF2 that is cut":  {packed[:len(packed)/2], fault.CorruptImage},
		"the head of a WOFF2":  {packed[:60], fault.CorruptImage},
		"a family with a dash": {named("Go Mono", "Go-Mono"), fault.Invalid},
		"a control character":  {named("Go Mono", "Go\x07Mono"), fault.Invalid},
		"a hidden character":   {named("Go Mono", "Go\u202eMono"), fault.Invalid},
	} {
		_, err := s.Fonts.Add(ctx, bytes.NewReader(c.file))
		want(t, err, c.code, name)
	}
	if len(engine.drawn) > 0 {
		t.Errorf("drawn were %q", engine.drawn)
	}
}

// TestUnpack: a WOFF2 has the outlines of the font that it was made of.
func TestUnpack(t *testing.T) {
	for name, ttf := range map[string][]byte{"regular": goregular.TTF, "bold italic": gobolditalic.TTF,
		"mono": gomono.TTF} {
		for _, isTransformed := range []bool{false, true} {
			file, _, err := fonts.Read(fontstest.WOFF2(t, ttf, isTransformed))
			must(t, err)
			ours, err := sfnt.Parse(file)
			must(t, err)
			theirs, err := sfnt.Parse(ttf)
			must(t, err)
			if ours.NumGlyphs() != theirs.NumGlyphs() {
				t.Fatalf("%s: %d glyphs, expected %d", name, ours.NumGlyphs(), theirs.NumGlyphs())
			}
			for i := range theirs.NumGlyphs() {
				var a, b sfnt.Buffer
				got, err := ours.LoadGlyph(&a, sfnt.GlyphIndex(i), fixed.I(2048), nil)
				must(t, err)
				want, err := theirs.LoadGlyph(&b, sfnt.GlyphIndex(i), fixed.I(2048), nil)
				must(t, err)
				if !slices.Equal(got, want) {
					t.Fatalf("%s, transformed %v: glyph %d is %v, expected %v", name, isTransformed, i, got, want)
				}
			}
		}
	}
}

// FuzzRead: no file stops the server.
func FuzzRead(f *testing.F) {
	f.Add(goregular.TTF[:4000])
	f.Add(fontstest.WOFF2(f, goregular.TTF, true))
	f.Add(fontstest.WOFF2(f, goregular.TTF, false)[:4000])
	f.Fuzz(func(t *testing.T, file []byte) {
		if _, font, err := fonts.Read(file); err == nil && (font.Family == "" || font.Style == "" || font.Weight < 1) {
			t.Errorf("the font is %+v", font)
		}
	})
}
