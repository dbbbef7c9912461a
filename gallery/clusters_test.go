package gallery_test

import (
	"database/sql"
	"fmt"
	"log/slog"
	"math"
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

// gps returns EXIF data with a position.
func gps(latitude, longitude float64) map[string]any {
	letter := func(v float64, positive, negative string) string {
		if v < 0 {
			return negative
		}
		return positive
	}
	return map[string]any{
		"GPSLatitude":     fmt.Sprintf("%.0f/1000000", math.Abs(latitude)*1e6),
		"GPSLatitudeRef":  letter(latitude, "N", "S"),
		"GPSLongitude":    fmt.Sprintf("%.0f/1000000", math.Abs(longitude)*1e6),
		"GPSLongitudeRef": letter(longitude, "E", "W"),
	}
}

// journey returns a stage with pictures of several places.
func journey(t *testing.T, db *sql.DB, name string) *stage {
	t.Helper()
	s := newStage(t, db, name, gallerytest.Config{})
	at := map[string]map[string]any{
		"gion.jpg":    gps(35.0037, 135.7788),  // Kyoto
		"station.jpg": gps(34.9858, 135.7588),  // Kyoto, 2.7 km away
		"uji.jpg":     gps(34.8893, 135.8075),  // Uji, in the region of Kyoto
		"shibuya.jpg": gps(35.6595, 139.7005),  // Tokyo
		"oslo.jpg":    gps(59.9075, 10.7531),   // Oslo
		"taveuni.jpg": gps(-16.85, 179.98),     // Fiji, on both sides of 180 degrees
		"rabi.jpg":    gps(-16.86, -179.97),    // 5 km away
		"ship.jpg":    gps(-48.9, -123.4),      // far from any city
		"pole.jpg":    gps(-90, 0),             // on the edge of the map
		"null.jpg":    gps(0, 0),               // a device without a position
		"beyond.jpg":  gps(91, 10),             // not on earth
		"none.jpg":    {"Model": "Box camera"}, // no position
	}
	pictures := map[string]imaging.Info{}
	for name, exif := range at {
		pictures[name] = imaging.Info{Exif: exif, DominantColor: &imaging.RGB{R: 128, G: 128, B: 128}}
	}
	rules, err := gallerytest.NewRules(
		access.All(t.Context()), gallerytest.Config{}, database.New(db, name), s.Store,
		describedEngine{pictures: pictures}, s.Keys,
		slog.New(slog.DiscardHandler),
	)
	must(t, err)
	s.Rules = rules
	names := []string{}
	for name := range at {
		folder := "Japan/"
		if name == "oslo.jpg" {
			folder = "Norway/"
		}
		s.Put(folder+name, string(grayJPEG(t, 40, 30)))
		names = append(names, name)
	}
	s.analyzed(names...)
	return s
}

var world = search.Bounds{South: -90, West: -180, North: 90, East: 180}

func near(latitude, longitude, kilometers float64) gallery.BrowseOptions {
	return gallery.BrowseOptions{Filter: search.Filter{Near: &search.NearFilter{
		Center:     search.Center{Position: &search.Position{Latitude: latitude, Longitude: longitude}},
		Kilometers: kilometers,
	}}}
}

func nearCity(city string, kilometers float64) gallery.BrowseOptions {
	return gallery.BrowseOptions{Filter: search.Filter{Near: &search.NearFilter{
		Center: search.Center{City: &city}, Kilometers: kilometers,
	}}}
}

// TestSearchPlaces finds pictures by where they were taken.
func TestSearchPlaces(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := journey(t, db, name)
		place := func(name string) gallery.BrowseOptions {
			return gallery.BrowseOptions{Filter: search.Filter{Place: name}}
		}
		within := func(b search.Bounds) gallery.BrowseOptions {
			return gallery.BrowseOptions{Filter: search.Filter{Bounds: &b}}
		}
		s.finds(place("Kyoto"), "gion.jpg", "station.jpg", "uji.jpg") // the city and the region
		s.finds(place("uji"), "uji.jpg")
		s.finds(place("Japan"), "gion.jpg", "station.jpg", "uji.jpg", "shibuya.jpg")
		s.finds(place("jp"), "gion.jpg", "station.jpg", "uji.jpg", "shibuya.jpg")
		s.finds(place("Kyoto, Japan"), "gion.jpg", "station.jpg", "uji.jpg")
		s.finds(place("japan kyo"), "gion.jpg", "station.jpg", "uji.jpg", "shibuya.jpg") // a part of Tokyo, too
		s.finds(place("france"))
		s.finds(near(35.0037, 135.7788, 1), "gion.jpg")
		s.finds(near(35.0037, 135.7788, 4), "gion.jpg", "station.jpg")
		s.finds(nearCity("Kyoto", 25), "gion.jpg", "station.jpg", "uji.jpg")
		s.finds(nearCity("kyoto, jp", 400), "gion.jpg", "station.jpg", "uji.jpg", "shibuya.jpg")
		s.finds(near(-16.85, 180, 10), "taveuni.jpg", "rabi.jpg")
		s.finds(near(-16.85, -180, 10), "taveuni.jpg", "rabi.jpg")
		s.finds(near(-16.85, 179.98, 2), "taveuni.jpg")
		s.finds(near(-89, 100, 200), "pole.jpg")
		s.finds(near(0, 0, 2000))
		s.finds(within(search.Bounds{South: 34.9, West: 135, North: 35.1, East: 136}), "gion.jpg", "station.jpg")
		s.finds(within(search.Bounds{South: -20, West: 179, North: -10, East: -179}), "taveuni.jpg", "rabi.jpg")
		s.finds(within(world), "gion.jpg", "station.jpg", "uji.jpg", "shibuya.jpg", "oslo.jpg", "taveuni.jpg",
			"rabi.jpg",
			"ship.jpg", "pole.jpg")
		s.finds(gallery.BrowseOptions{Filter: search.Filter{HasGps: ptr(false)}}, "null.jpg", "beyond.jpg", "none.jpg")
		both := near(35.0037, 135.7788, 400)
		both.Filter.Place = "Tokyo"
		s.finds(both, "shibuya.jpg")
		for field, o := range map[string]gallery.BrowseOptions{
			"filter.place":            place("..."),
			"filter.near.center.city": nearCity("Nowhereville", 1),
			"filter.near.kilometers":  near(0, 0, 0),
			"filter.near.center":      near(91, 0, 1),
			"filter.bounds":           within(search.Bounds{South: 10, North: 5}),
		} {
			for _, o := range []gallery.BrowseOptions{
				o, near(0, 0, math.NaN()), near(math.NaN(), 0, 1), near(0, 181, 1)} {
				_, err := s.Files(access.All(t.Context()), o)
				if fault.CodeOf(err) != fault.Invalid || !strings.Contains(fmt.Sprint(err), "filter.") {
					t.Errorf("%s: %v, expected %s", field, err, fault.Invalid)
				}
			}
		}
		long := strings.Repeat(",", 1<<20) + "Kyoto"
		for field, o := range map[string]gallery.BrowseOptions{
			"filter.place":            place(long),
			"filter.near.center.city": nearCity(long, 1),
			"filter.folder":           {Filter: search.Filter{Folder: long}},
			"search":                  {Search: long},
		} {
			_, err := s.Files(access.All(t.Context()), o)
			if fault.CodeOf(err) != fault.Invalid || !strings.Contains(fmt.Sprint(err), field+" has 1048581 bytes") {
				t.Errorf("%s of a megabyte: %v, expected %s", field, err, fault.Invalid)
			}
		}
		f, err := s.File(access.All(t.Context()), "Japan/uji.jpg")
		must(t, err)
		if got := f.Place(); got == nil || got.String() != "JP|Kyoto|Uji" || !*f.HasGps() {
			t.Errorf("uji.jpg was taken in %v", got)
		}
		for _, name := range []string{"Japan/ship.jpg", "Japan/null.jpg", "Japan/none.jpg"} {
			if f, err = s.File(access.All(t.Context()), name); err != nil || f.Place() != nil {
				t.Errorf("%s was taken in %v, %v", name, f.Place(), err)
			}
		}
		// The new content was taken elsewhere.
		s.onDisk("Japan/uji.jpg", string(grayJPEG(t, 50, 30)))
		must(t, s.MoveFile(access.All(t.Context()), "Norway/oslo.jpg", "Japan/oslo.jpg"))
		s.scan()
		s.finds(place("uji"))
		s.finds(place("oslo"), "oslo.jpg")
	})
}

// TestSuggestedPlaces checks the suggestions: places of pictures with the number of files, and cities of the
// world.
func TestSuggestedPlaces(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := journey(t, db, name)
		for _, c := range []struct {
			kind       gallery.SuggestionKind
			text, want string
		}{
			{gallery.SuggestPlace, "", "JP 4, Kyoto, JP 3"},
			{gallery.SuggestPlace, "kyoto", "Kyoto, JP 3, Uji, JP 1"},
			{gallery.SuggestPlace, "jap", "JP 4, Kyoto, JP 3"},
			{gallery.SuggestPlace, "uji japan", "Uji, JP 1"},
			{gallery.SuggestPlace, "france", ""},
			{gallery.SuggestCity, "kyot", "Kyoto, JP, Kyotera, UG"},
			{gallery.SuggestCity, "", ""},
		} {
			list, err := s.Suggestions(access.All(t.Context()), c.kind, c.text, 2, gallery.BrowseOptions{})
			must(t, err)
			got := []string{}
			for _, one := range list {
				count := ""
				if one.Count != nil {
					count = fmt.Sprint(" ", *one.Count)
				}
				got = append(got, one.Value+count)
				if c.kind == gallery.SuggestPlace {
					all, err := s.Files(access.All(t.Context()),
						gallery.BrowseOptions{Recursive: true, Filter: search.Filter{Place: one.Value}})
					must(t, err)
					if len(all.Nodes()) != int(*one.Count) {
						t.Errorf("%s selects %d files, and %d are suggested", one.Value, len(all.Nodes()), *one.Count)
					}
				}
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("%s %q: %q, expected %q", c.kind, c.text, strings.Join(got, ", "), c.want)
			}
		}
	})
}

// TestClusters groups pictures by the zoom of a map.
func TestClusters(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := journey(t, db, name)
		clusters := func(o gallery.BrowseOptions, b search.Bounds, zoom int) []*gallery.Cluster {
			t.Helper()
			o.Recursive = true
			list, err := s.Clusters(access.All(t.Context()), o, b, zoom)
			must(t, err)
			return list
		}
		said := func(list []*gallery.Cluster) string {
			all := []string{}
			for _, c := range list {
				place := ""
				if c.Place != nil {
					place = " " + c.Place.Name()
				}
				all = append(all, fmt.Sprint(c.Count, place))
			}
			slices.Sort(all)
			return strings.Join(all, "; ")
		}
		japan := search.Bounds{South: 30, West: 130, North: 40, East: 145}
		fiji := search.Bounds{South: -20, West: 170, North: -10, East: -170}
		for _, c := range []struct {
			o      gallery.BrowseOptions
			bounds search.Bounds
			zoom   int
			want   string
		}{
			{gallery.BrowseOptions{}, japan, 4, "4 JP"},
			{gallery.BrowseOptions{}, japan, 7, "1 Tokyo, JP; 3 Kyoto, JP"},
			{gallery.BrowseOptions{}, search.Bounds{South: 34.5, West: 135, North: 35.5, East: 136.5}, 12,
				"1 Kyoto, JP; 1 Kyoto, JP; 1 Uji, JP"},
			{gallery.BrowseOptions{}, fiji, 6, "2 Labasa, FJ"}, // on both sides of 180 degrees
			{gallery.BrowseOptions{Folder: "Norway"}, world, 2, "1 Oslo, NO"},
			{gallery.BrowseOptions{Filter: search.Filter{Place: "Uji"}}, world, 2, "1 Uji, JP"},
			{gallery.BrowseOptions{Search: "shib"}, world, 2, "1 Tokyo, JP"},
			{gallery.BrowseOptions{Search: "nothing"}, world, 2, ""},
			{gallery.BrowseOptions{}, search.Bounds{South: -60, West: -140, North: -40, East: -100}, 3, "1"},
		} {
			if got := said(clusters(c.o, c.bounds, c.zoom)); got != c.want {
				t.Errorf("%+v at zoom %d: %s, expected %s", c.bounds, c.zoom, got, c.want)
			}
		}
		// One cluster contains all pictures with a place, and its bounds contain the same number.
		for zoom := range 5 {
			total := int32(0)
			for _, c := range clusters(gallery.BrowseOptions{}, world, zoom) {
				total += c.Count
				inside, err := s.Files(access.All(t.Context()),
					gallery.BrowseOptions{Recursive: true, Filter: search.Filter{Bounds: &c.Bounds}})
				must(t, err)
				if len(inside.Nodes()) < int(c.Count) || c.Cover == nil {
					t.Errorf("zoom %d: %+v holds %d of %d pictures", zoom, c.Bounds, len(inside.Nodes()), c.Count)
				}
			}
			if total != 9 {
				t.Errorf("zoom %d has %d pictures, expected 9", zoom, total)
			}
		}
		over := clusters(gallery.BrowseOptions{}, fiji, 6)[0]
		if over.Bounds.West < 179 || over.Bounds.East > -179 {
			t.Errorf("a group over 180 degrees has the bounds %+v", over.Bounds)
		}
		for _, c := range []struct {
			bounds search.Bounds
			zoom   int
		}{{world, -1}, {world, 23}, {world, 8}, {search.Bounds{South: 5}, 3}, {search.Bounds{East: math.NaN()}, 3}} {
			_, err := s.Clusters(access.All(t.Context()), gallery.BrowseOptions{Recursive: true}, c.bounds, c.zoom)
			if fault.CodeOf(err) != fault.Invalid {
				t.Errorf("%+v at zoom %d: %v", c.bounds, c.zoom, err)
			}
		}
	})
}

// TestClustersFarFromCities checks that pictures without a place do not affect the name of a group, in one
// cell of the grid or in several.
func TestClustersFarFromCities(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := journey(t, db, name)
		_, err := db.Exec("UPDATE entries SET place = '' WHERE name IN ('station.jpg', 'uji.jpg')")
		must(t, err)
		kyoto := search.Bounds{South: 34.85, West: 135.7, North: 35.05, East: 135.9}
		for zoom := 6; zoom <= 14; zoom++ {
			list, err := s.Clusters(access.All(t.Context()), gallery.BrowseOptions{Recursive: true}, kyoto, zoom)
			must(t, err)
			named := 0
			for _, c := range list {
				if c.Place == nil {
					continue
				}
				if named++; c.Place.Name() != "Kyoto, JP" {
					t.Errorf("zoom %d: a group is in %v", zoom, c.Place)
				}
			}
			if named != 1 {
				t.Errorf("zoom %d: %d of %d groups have a name, expected the one of gion.jpg", zoom, named, len(list))
			}
		}
	})
}

// TestMapIndex checks that PostgreSQL counts the groups of a map using only an index. On SQLite, each index
// contains the id.
func TestMapIndex(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		if name != "postgres" {
			return
		}
		journey(t, db, name)
		_, err := db.Exec("VACUUM ANALYZE entries")
		must(t, err)
		conn, err := db.Conn(access.All(t.Context()))
		must(t, err)
		defer conn.Close()
		// For a table with few rows, a sequential scan is faster.
		_, err = conn.ExecContext(access.All(t.Context()), "SET enable_seqscan = off; SET enable_bitmapscan = off")
		must(t, err)
		rows, err := conn.QueryContext(
			access.All(t.Context()), "EXPLAIN SELECT count(*), max(place), max(id) FROM entries "+
				"WHERE map_x BETWEEN 0 AND 9 AND map_y BETWEEN 0 AND 9 AND kind = 1 AND hidden = FALSE GROUP BY "+
				"map_x / 5",
		)
		must(t, err)
		defer rows.Close()
		plan := ""
		for rows.Next() {
			var line string
			must(t, rows.Scan(&line))
			plan += line + "\n"
		}
		must(t, rows.Err())
		if !strings.Contains(plan, "Index Only Scan using entry_map") {
			t.Errorf("the plan is\n%s", plan)
		}
	})
}
