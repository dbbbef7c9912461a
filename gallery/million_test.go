package gallery_test

import (
	"database/sql"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"entgo.io/ent/dialect"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/colors"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage"
)

// TestMillion measures pages, orders and searches over an index of many files:
// SAFELIGHT_BENCH_GALLERY=1000000, which `make bench-gallery` sets. The files of the rows do not exist.
func TestMillion(t *testing.T) {
	files, err := strconv.Atoi(os.Getenv("SAFELIGHT_BENCH_GALLERY"))
	if err != nil {
		t.Skip("SAFELIGHT_BENCH_GALLERY says not how many files: make bench-gallery sets it")
	}
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		began := time.Now()
		only, folders := os.Getenv("SAFELIGHT_BENCH_ONLY"), 2000
		if only == "rights" || only == "requests" {
			folders = 20_000
		}
		fillIndex(t, db, name, files, folders)
		t.Logf("%d rows in %v", files, time.Since(began).Round(time.Second))
		s := newStage(t, db, name, gallerytest.Config{})
		s.Store = storage.NewMemory()
		s.Rules = s.Again()
		m := measured{s, files, name == dialect.Postgres}
		switch only {
		case "places":
			m.places(name)
			return
		case "rights":
			m.rights()
			return
		case "requests":
			m.requests()
			return
		}
		m.counts(name)
		if only == "counts" {
			m.neighbor()
			return
		}
		m.pages()
		m.searches()
		m.timelines()
		m.neighbor()
		m.deep()
		m.moves(db)
	})
}

// measured is a stage with an index of many files.
type measured struct {
	*stage
	files      int
	onPostgres bool
}

// measure times 200 calls of do, with different arguments, three times each. The best of three is the cost of
// the index. The first one includes the load of the computer.
func (m measured) measure(what string, do func(i int) error) {
	var first, best []time.Duration
	for i := range 200 {
		var three []time.Duration
		for range 3 {
			began := time.Now()
			must(m.T, do(i))
			three = append(three, time.Since(began))
		}
		first, best = append(first, three[0]), append(best, slices.Min(three))
	}
	slices.Sort(first)
	slices.Sort(best)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	m.Logf(
		"%-44s p50 %8.2f  p99 %8.2f  best of three: p50 %8.2f  p99 %8.2f", what, ms(first[100]),
		ms(first[198]), ms(best[100]), ms(best[198]),
	)
}

// places measures the map and searches by place. Every file has a position, in 1,000 cities in 50 countries.
func (m measured) places(name string) {
	code := "char(65 + id % 50 / 26, 65 + id % 50 % 26)"
	if name == "postgres" {
		code = "chr(65 + (id % 50 / 26)::integer) || chr((65 + id % 50 % 26)::integer)"
	}
	for _, statement := range []string{
		"UPDATE entries SET has_gps = TRUE, map_x = id % 1000 * 1073741 + id * 7919 % 200000, " +
			"map_y = 300000000 + id % 1000 * 65537 % 400000000 + id * 104729 % 200000, " +
			"place = " + code + " || '|Region|City ' || (id % 1000) WHERE kind = 1",
		"ANALYZE",
	} {
		_, err := m.Pool.Exec(statement)
		must(m.T, err)
	}
	must(m.T, database.New(m.Pool, name).Upkeep(m.Context()))
	measure := func(what string, do func(i int) error) {
		times := []time.Duration{}
		for i := range 11 {
			began := time.Now()
			must(m.T, do(i))
			times = append(times, time.Since(began))
		}
		slices.Sort(times)
		m.Logf("%-32s median %v, longest %v", what, times[5].Round(time.Millisecond), times[10].Round(time.Millisecond))
	}
	whole := search.Bounds{South: -85, West: -180, North: 85, East: 180}
	clusters := func(o gallery.BrowseOptions, b search.Bounds, zoom int) error {
		o.Recursive = true
		_, err := m.Clusters(m.Context(), o, b, zoom)
		return err
	}
	measure("clusters of the whole map", func(int) error { return clusters(gallery.BrowseOptions{}, whole, 2) })
	measure("clusters of a country", func(i int) error {
		west := float64(i%30) * 10
		return clusters(gallery.BrowseOptions{}, search.Bounds{
			South: 30, West: west - 180, North: 45, East: west - 165}, 6)
	})
	measure("clusters of a city", func(i int) error {
		west := float64(i%300) - 150
		return clusters(gallery.BrowseOptions{}, search.Bounds{South: 35, West: west, North: 36, East: west + 1}, 11)
	})
	measure("clusters of a rating", func(int) error {
		return clusters(gallery.BrowseOptions{Filter: search.Filter{MinRating: ptr(int32(5))}}, whole, 2)
	})
	for _, kilometers := range []float64{1, 25, 500} {
		measure(fmt.Sprintf("near, %g km", kilometers), func(i int) error {
			o := near(40, float64(i%300)-150, kilometers)
			o.Recursive, o.Sort = true, gallery.SortTaken
			return m.page(o)
		})
	}
	for _, name := range []string{"City 7", "City 7, AH", "AH", "city"} {
		measure("place "+name, func(int) error {
			return m.page(gallery.BrowseOptions{Recursive: true, Sort: gallery.SortTaken,
				Filter: search.Filter{Place: name}})
		})
	}
	measure("suggested places", func(int) error {
		_, err := m.Suggestions(m.Context(), gallery.SuggestPlace, "cit", 8, gallery.BrowseOptions{})
		return err
	})
}

// page requests 100 files.
func (m measured) page(o gallery.BrowseOptions) error {
	hundred := int32(100)
	o.First = &hundred
	_, err := m.Files(m.Context(), o)
	return err
}

func (m measured) pages() {
	for _, order := range []gallery.Sort{gallery.SortName, gallery.SortSize, gallery.SortModified, gallery.SortTaken,
		gallery.SortDimensions} {
		m.measure("files of everything by "+string(order), func(i int) error {
			return m.page(gallery.BrowseOptions{Recursive: true, Sort: order, Descending: i%2 == 0})
		})
		m.measure("files below a folder by "+string(order), func(i int) error {
			return m.page(gallery.BrowseOptions{Folder: fmt.Sprintf("f%04d", i%2000), Recursive: true, Sort: order})
		})
		m.measure("files of a folder by "+string(order), func(i int) error {
			return m.page(gallery.BrowseOptions{Folder: fmt.Sprintf("f%04d", i%2000), Sort: order})
		})
	}
}

func (m measured) searches() {
	for _, search := range [][2]string{{"of all", "img"}, {"of 11,000", "w%02d"}, {"of 10,000", "0%02d"},
		{"of a thousandth", "w%03d"}, {"of one", "%07d"}, {"of none", "nothing%d"},
		{"of all in the middle of a word", "mg"}, {"of two digits anywhere", "%02d"},
		{"of three digits anywhere", "%03d"},
		{"of 11,000 by two words", "img w%02d"}, {"of two common words, one file each", "img jpg %07d"}} {
		m.measure("search "+search[0], func(i int) error {
			text := search[1]
			if strings.Contains(text, "%") {
				n := 100 + i*37%900
				if strings.Contains(text, "%02d") {
					n = 10 + i%90
				}
				text = fmt.Sprintf(text, n)
			}
			return m.page(gallery.BrowseOptions{Recursive: true, Search: text, Sort: gallery.SortModified})
		})
	}
	m.measure("search of all by NAME in a folder", func(i int) error {
		return m.page(gallery.BrowseOptions{Folder: fmt.Sprintf("f%04d", i%2000), Search: "img"})
	})
	m.measure("search of all below a folder", func(i int) error {
		return m.page(gallery.BrowseOptions{
			Folder:    fmt.Sprintf("f%04d", i%2000),
			Recursive: true,
			Search:    "img",
			Sort:      gallery.SortModified,
		})
	})
	wide, narrow := 0.3, 0.01
	for _, colour := range []struct {
		what   string
		within *float64
	}{{"a common colour", &wide}, {"a rare colour", &narrow}} {
		m.measure(colour.what, func(i int) error {
			return m.page(gallery.BrowseOptions{
				Recursive: true,
				Sort:      gallery.SortModified,
				Filter: search.Filter{
					Color: &search.ColourFilter{
						Colour: fmt.Sprintf("%02x%02x%02x", i, 255-i, i*7%256),
						Within: colour.within,
					},
				},
			})
		})
	}
}

// timelines measures the buckets of a timeline.
func (m measured) timelines() {
	for what, o := range map[string]gallery.BrowseOptions{
		"of everything": {Recursive: true}, "of a folder": {Folder: "f0001"},
		"below a folder": {Folder: "f0001", Recursive: true}, "of a word of 11,000": {Recursive: true, Search: "w12"},
		"of a word of all": {Recursive: true, Search: "img"}} {
		for _, by := range []search.TimelineUnit{search.Month, search.Day} {
			var best time.Duration
			buckets := 0
			for range 5 {
				began := time.Now()
				list, err := m.Timeline(m.Context(), o, by)
				must(m.T, err)
				if took := time.Since(began); best == 0 || took < best {
					best, buckets = took, len(list)
				}
			}
			m.Logf(
				"timeline %-20s by %-6s %6d buckets, best of five %v", what, by, buckets,
				best.Round(10*time.Microsecond),
			)
		}
	}
}

func (m measured) neighbor() {
	for _, distance := range []int{3, 7, 11} {
		m.measure(fmt.Sprintf("similar by %d bits", distance), func(i int) error {
			c, err := m.Files(m.Context(), gallery.BrowseOptions{Folder: fmt.Sprintf("f%04d", i)})
			if err != nil {
				return err
			}
			_, err = m.SimilarFiles(m.Context(), c.Nodes()[0], distance, 100, "")
			return err
		})
	}
	m.measure("duplicates, of which there are none", func(int) error {
		_, err := m.Duplicates(m.Context(), 20, "")
		return err
	})
}

func (m measured) deep() {
	hundred := int32(100)
	o := gallery.BrowseOptions{Recursive: true, Sort: gallery.SortSize, First: &hundred}
	m.measure("the first page by SIZE", func(int) error { return m.page(o) })
	for range min(5000, m.files/100-1) {
		c, err := m.Files(m.Context(), o)
		must(m.T, err)
		o.After = *pageInfo(m.T, c).EndCursor
	}
	m.measure("a page 5,000 deep by SIZE", func(int) error { return m.page(o) })
}

// moves measures the transaction that updates the rows when a folder of 10,000 files moves.
func (m measured) moves(db *sql.DB) {
	must(m.T, m.CreateFolder(m.Context(), "many"))
	if _,
		err := db.Exec("UPDATE entries SET path = 'many/' || name, parent_id = (SELECT id FROM entries WHERE path = " +
		"'many') WHERE kind = 1 AND id < 12002"); err != nil {
		m.Fatal(err)
	}
	_, err := m.Store.Create(m.Context(), "many/one.jpg", strings.NewReader(png), storage.CreateOptions{})
	must(m.T, err)
	at := "many"
	for range 5 {
		to := at + "x"
		began := time.Now()
		must(m.T, m.MoveFile(m.Context(), at, to))
		m.Logf(
			"moving a folder of %d files in the index: %v", min(10_000, m.files),
			time.Since(began).Round(time.Millisecond),
		)
		at = to
	}
}

// fillIndex creates folders of equal size.
func fillIndex(t *testing.T, db *sql.DB, name string, files, folders int) {
	series, key := "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d)",
		"CAST(x || char(0) || x AS BLOB)"
	if name == "postgres" {
		series, key = "WITH n AS (SELECT generate_series(0, %d) AS i)",
			`convert_to(x, 'UTF8') || '\x00'::bytea || convert_to(x, 'UTF8')`
	}
	key2 := func(x string) string {
		var b []byte
		for _, c := range []byte(key) {
			if c == 'x' && (len(b) == 0 || b[len(b)-1] == '(' || b[len(b)-1] == ' ') {
				b = append(b, x...)
				continue
			}
			b = append(b, c)
		}
		return string(b)
	}
	padded := func(expression string, width int) string {
		if name == "postgres" {
			return fmt.Sprintf("lpad((%[1]s)::text, greatest(%[2]d, length((%[1]s)::text)), '0')", expression, width)
		}
		return fmt.Sprintf("printf('%%0%dd', %s)", width, expression)
	}
	exec := func(q string) {
		t.Helper()
		if _, err := db.Exec(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	exec("INSERT INTO entries (id, path, parent_id, name, name_key, kind, synced) VALUES (1, '', 0, '', '', 0, 1)")
	folder := "'f' || " + padded("i", 4)
	exec(
		fmt.Sprintf(series, folders-1) +
			" INSERT INTO entries (id, path, parent_id, name, name_key, kind, synced, words) SELECT i + 2, " + folder +
			", 1, " + folder + ", " + key2("("+folder+")") + ", 0, 1, " + folder + " FROM n",
	)
	hashes := "random(), randomblob(32)"
	if name == "postgres" {
		// random() leaves the last bits of such large numbers 0.
		hashes = "('x' || substr(md5('p' || i), 1, 16))::bit(64)::bigint, sha256(i::text::bytea)"
	}
	// Two of the cells of sRGB colors.
	far := 1.0
	all := colors.Like(imaging.RGB{}, &far)
	cells := fmt.Sprintf("substr('%[1]s', CAST(1 + i %% %[2]d AS INTEGER), 1) || ' ' || substr('%[1]s', CAST(1 + i "+
		"* 31 %% %[2]d AS INTEGER), 1)", string(all), len(all))
	file := "'img" + "' || " + padded("i", 7) + " || '.jpg'"
	number, few := padded("i", 7), "CAST(i % 1000 AS TEXT)"
	// And the ends of these words, as in tokenizer.Index.
	words := "'img jpg ' || " + number + " || ' w' || " + few + " || ' mg pg'"
	for at := 2; at <= 6; at++ {
		words += fmt.Sprintf(" || ' ' || substr(%s, %d)", number, at)
	}
	words += " || CASE WHEN i % 1000 > 99 THEN ' ' || " + few + " || ' ' || substr(" + few +
		", 2) WHEN i % 1000 > 9 THEN ' ' || " + few + " ELSE '' END"
	exec(
		fmt.Sprintf(series, files-1) +
			" INSERT INTO entries (id, path, parent_id, name, name_key, kind, size, modified, taken_key, pixels, " +
			"width, height, etag, type, meta_state, colors, phash, sha256, words, taken, rating, favorite, has_gps, " +
			"camera, lens) " +
			"SELECT i + " +
			fmt.Sprint(folders+2) + ", 'f' || " + padded(fmt.Sprintf("i %% %d", folders), 4) + " || '/' || " + file +
			", i % " + fmt.Sprint(folders) + " + 2, " + file + ", " + key2("("+file+")") +
			", 1, CAST(i AS BIGINT) * 7919 % 10000000, CAST(i AS BIGINT) * 104729 % 1000000007, CAST(i AS BIGINT) * " +
			"1299709 % 1000000007 * 700000000, i % 5000 * 3000, i % 5000, 3000, 'e', 'jpeg', 1, " + cells + ", " +
			hashes + ", " + words + ", CASE WHEN i % 4 > 0 THEN CAST(i AS BIGINT) * 1299709 % 1000000007 * " +
			"700000000 END, i * 31 % 100 / 94, i % 17 = 3, i % 3 = 0, " +
			"'Camera ' || CAST(i % 41 AS TEXT), 'Lens ' || CAST(i % 43 AS TEXT) FROM n",
	)
	if name == "postgres" {
		exec("SELECT setval(pg_get_serial_sequence('entries', 'id'), (SELECT max(id) FROM entries))")
	}
	exec("ANALYZE")
}
