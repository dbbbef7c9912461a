package gallery_test

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/imaging"
)

// describedEngine returns the metadata of a picture from a table, by name.
type describedEngine struct {
	imaging.Engine
	pictures map[string]imaging.Info
}

func (e describedEngine) Info(_ context.Context, src imaging.Source, _ imaging.InfoRequest, _ imaging.Limits) (
	*imaging.Info, error) {
	info := e.pictures[path.Base(src.Name)]
	info.Format, info.Width, info.Height, info.Pages = imaging.JPEG, 40, 30, 1
	return &info, nil
}

// searchStage returns a stage with three pictures in folders, and two other files.
func searchStage(t *testing.T, db *sql.DB, name string) *stage {
	t.Helper()
	s := newStage(t, db, name, gallerytest.Config{})
	exif := func(model, lens string) map[string]any {
		return map[string]any{"Make": "NIKON CORPORATION", "Model": model, "LensModel": lens}
	}
	share := func(r, g, b uint8, share float64) imaging.PaletteColour {
		return imaging.PaletteColour{RGB: imaging.RGB{R: r, G: g, B: b}, Share: share}
	}
	engine := describedEngine{pictures: map[string]imaging.Info{
		"bird.jpg": {
			Exif:    exif("NIKON Z 6", "NIKKOR Z 24-70mm f/4 S"),
			Palette: []imaging.PaletteColour{share(0x7a, 0x52, 0x36, 0.9), share(0xb7, 0x1b, 0x1c, 0.05)},
		},
		"tower.jpg": {
			Exif:    exif("NIKON Z 6II", "85mm f/1.8"),
			Palette: []imaging.PaletteColour{share(0x2f, 0x6f, 0xc0, 1)},
		},
		"tokyo.jpg": {DominantColor: &imaging.RGB{R: 128, G: 128, B: 128}},
	}}
	rules, err := gallerytest.NewRules(
		access.All(t.Context()), gallerytest.Config{}, database.New(db, name), s.Store, engine, s.Keys,
		slog.New(slog.DiscardHandler),
	)
	must(t, err)
	s.Rules = rules
	data := string(grayJPEG(t, 40, 30))
	s.Put("Tōkyō/June 2024/bird.jpg", data)
	s.Put("Tōkyō/tower.jpg", data)
	s.Put("Oslo/tokyo.jpg", data)
	s.analyzed("Tōkyō/June 2024/bird.jpg", "Tōkyō/tower.jpg", "Oslo/tokyo.jpg")
	return s
}

// analyzed waits until the colors of files are stored.
func (s *stage) analyzed(paths ...string) {
	s.Helper()
	ctx, stop := context.WithCancel(s.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Gallery.Run(ctx, gallery.RunConfig{MetadataWorkers: 1})
	}()
	defer func() { stop(); <-done }()
	s.until("the pictures are analyzed", func() bool {
		var n int
		must(s.T, s.Pool.QueryRow("SELECT count(*) FROM entries WHERE kind = 1 AND colors <> ''").Scan(&n))
		return n == len(paths)
	})
}

// finds checks the results of files, totalCount and timeline.
func (s *stage) finds(o gallery.BrowseOptions, want ...string) {
	s.Helper()
	o.Recursive = true
	c, err := s.Files(s.Context(), o)
	must(s.T, err)
	got := []string{}
	for _, f := range c.Nodes() {
		got = append(got, f.Name())
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		s.Errorf("search %q, filter %+v: %q, expected %q", o.Search, o.Filter, got, want)
	}
	total, err := c.TotalCount(s.Context(), false)
	must(s.T, err)
	months, err := s.Timeline(s.Context(), o, search.Year)
	must(s.T, err)
	dated := 0
	for _, m := range months {
		dated += int(m.Count)
	}
	if int(*total) != len(want) || dated != len(want) {
		s.Errorf("search %q, filter %+v: total %d, timeline %d, expected %d", o.Search, o.Filter, *total, dated,
			len(want))
	}
}

// TestSearchConditions searches by words of folders, cameras, lenses and colors. All counts must agree.
func TestSearchConditions(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := searchStage(t, db, name)
		with := func(f search.Filter) gallery.BrowseOptions { return gallery.BrowseOptions{Filter: f} }
		words := func(text string) gallery.BrowseOptions { return gallery.BrowseOptions{Search: text} }
		color := func(c string) gallery.BrowseOptions {
			return with(search.Filter{Color: &search.ColourFilter{Colour: c}})
		}
		s.finds(words("tokyo"), "bird.jpg", "tower.jpg", "tokyo.jpg")
		s.finds(words("tokyo 2024 bird"), "bird.jpg")
		s.finds(words("oslo tokyo"), "tokyo.jpg")
		s.finds(words("nikon tokyo june"), "bird.jpg")
		s.finds(words("oslo bird"))
		s.finds(gallery.BrowseOptions{Folder: "Oslo", Search: "tokyo"}, "tokyo.jpg")
		s.finds(color("red"), "bird.jpg")
		s.finds(color("0000ff"), "tower.jpg")
		s.finds(color("gray"), "tokyo.jpg")
		s.finds(color("yellow"))
		s.finds(with(search.Filter{Camera: "nikon z"}), "bird.jpg", "tower.jpg")
		s.finds(with(search.Filter{Camera: "nikon z 6"}), "bird.jpg") // the complete name of one camera
		s.finds(with(search.Filter{Camera: "6ii"}), "tower.jpg")
		s.finds(with(search.Filter{Camera: "canon"}))
		s.finds(with(search.Filter{Lens: "nikkor 24"}), "bird.jpg")
		s.finds(with(search.Filter{Folder: "tokyo"}), "bird.jpg", "tower.jpg")
		s.finds(with(search.Filter{Folder: "june tokyo"}), "bird.jpg")
		s.finds(with(search.Filter{Folder: "oslo june"}))
		s.finds(with(search.Filter{Folder: "/Tōkyō/June 2024"}), "bird.jpg")
		s.finds(with(search.Filter{Folder: "/Tōkyō/June"}))
		s.finds(with(search.Filter{Folder: "/"}), "bird.jpg", "tower.jpg", "tokyo.jpg")
		for field, f := range map[string]search.Filter{
			"filter.camera": {Camera: "..."},
			"filter.lens":   {Lens: strings.Repeat("a b ", 11)},
			"filter.folder": {Folder: "?"},
		} {
			_, err := s.Files(access.All(t.Context()), with(f))
			if fault.CodeOf(err) != fault.Invalid || !strings.Contains(fmt.Sprint(err), field) {
				t.Errorf("%+v: %v, expected %s of %s", f, err, fault.Invalid, field)
			}
		}
		// A folder only matches the words of its own name.
		c, err := s.Folders(access.All(t.Context()), gallery.BrowseOptions{Recursive: true, Search: "tokyo"})
		must(t, err)
		if len(c.Nodes()) != 1 {
			t.Errorf("%d folders are called tokyo, expected 1", len(c.Nodes()))
		}
		// If a folder is renamed, its files match the new name.
		must(t, s.MoveFile(access.All(t.Context()), "Tōkyō", "Kyoto"))
		s.finds(words("tokyo"), "tokyo.jpg")
		s.finds(words("kyoto"), "bird.jpg", "tower.jpg")
	})
}

// TestTruncated checks that a truncated file is shown as far as possible, and counts as broken.
func TestTruncated(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := searchStage(t, db, name)
		data := string(grayJPEG(t, 40, 30))
		s.Put("Oslo/whole.jpg", data+"beyond its end")
		s.onDisk("Oslo/half.jpg", data[:len(data)-20])
		s.onDisk("Oslo/text.txt", "no picture")
		s.scan()
		s.analyzed("a", "b", "c", "whole", "half")
		broken := func(is bool) gallery.BrowseOptions {
			return gallery.BrowseOptions{Folder: "Oslo", Filter: search.Filter{IsBroken: &is}}
		}
		s.finds(broken(true), "half.jpg")
		s.finds(broken(false), "whole.jpg", "tokyo.jpg", "text.txt")
		f, err := s.File(access.All(t.Context()), "Oslo/half.jpg")
		must(t, err)
		if f.Metadata() != gallery.MetadataKnown {
			t.Errorf("%s, expected what is known of a part", f.Metadata())
		}
		s.onDisk("Oslo/half.jpg", data)
		s.scan()
		s.finds(broken(true))
	})
}

// TestSuggestions checks the values that are suggested for conditions, with their number of files.
func TestSuggestions(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := searchStage(t, db, name)
		_, err := s.UpdateFile(access.All(t.Context()),
			gallery.UpdateFileInput{Path: "Tōkyō/tower.jpg", Tags: &[]string{"Night City", "red"}})
		must(t, err)
		_, err = s.UpdateFile(access.All(t.Context()),
			gallery.UpdateFileInput{Path: "Oslo/tokyo.jpg", Tags: &[]string{"red"}})
		must(t, err)
		for _, c := range []struct {
			kind gallery.SuggestionKind
			text string
			want string
		}{
			{gallery.SuggestTag, "", "red 2, Night City 1"},
			{gallery.SuggestTag, "city nig", "Night City 1"},
			{gallery.SuggestTag, "%", "red 2, Night City 1"},
			{gallery.SuggestCamera, "", "NIKON Z 6 1, NIKON Z 6II 1"},
			{gallery.SuggestCamera, "6ii", "NIKON Z 6II 1"},
			{gallery.SuggestCamera, "canon", ""},
			{gallery.SuggestLens, "nikkor", "NIKKOR Z 24-70mm f/4 S 1"},
			{gallery.SuggestFolder, "", "/Oslo 1, /Tōkyō 2"},
			{gallery.SuggestFolder, "june", "/Tōkyō/June 2024 1"},
		} {
			list, err := s.Suggestions(access.All(t.Context()), c.kind, c.text, 8, gallery.BrowseOptions{})
			must(t, err)
			var got []string
			for _, one := range list {
				got = append(got, fmt.Sprint(one.Value, " ", *one.Count))
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("%s %q: %q, expected %q", c.kind, c.text, strings.Join(got, ", "), c.want)
			}
		}
		for _, limit := range []int{0, 51} {
			_, err := s.Suggestions(access.All(t.Context()), gallery.SuggestTag, "", limit, gallery.BrowseOptions{})
			if fault.CodeOf(err) != fault.Invalid {
				t.Errorf("limit %d: %v", limit, err)
			}
		}
	})
}
