package gallery_test

import (
	"os"
	"strings"
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/imaging"
)

// aim is the target time of totalCount.
const aim = 50 * time.Millisecond

// counts measures totalCount, with its page, up to the limit and exactly.
func (m measured) counts(name string) {
	m.furnish(name)
	must(m.T, database.New(m.Pool, name).Upkeep(m.Context())) // as the server does
	m.Logf("totalCount and its page of 50; load %s", load())
	m.table(name, m.searchesCounted())
}

// furnish adds tags, and 100,000 files in one folder, and as many in 100 folders below one.
func (m measured) furnish(name string) {
	from, to := "FROM (SELECT *, id - 2002 AS i FROM entries WHERE kind = 1 AND id BETWEEN 2002 AND 102001) AS e",
		"CAST(path AS TEXT)"
	columns := "size, modified, taken_key, pixels, width, height, etag, type, meta_state, colors, phash, words, " +
		"taken, rating, favorite, has_gps"
	top := "(SELECT max(id) FROM entries)"
	for _, statement := range []string{
		"INSERT INTO entries (id, path, parent_id, name, name_key, kind, synced, words) SELECT " + top +
			" + 1, 'large', 1, 'large', " + m.key(name, "'large'") + ", 0, 1, 'large'",
		"INSERT INTO entries (id, path, parent_id, name, name_key, kind, " + columns + ") SELECT " + top +
			" + 1 + i, 'large/' || name, " + top + ", name, name_key, 1, " + columns + " " + from,
		"INSERT INTO entries (id, path, parent_id, name, name_key, kind, synced, words) SELECT " + top +
			" + 1, 'tree', 1, 'tree', " + m.key(name, "'tree'") + ", 0, 1, 'tree'",
		"INSERT INTO entries (id, path, parent_id, name, name_key, kind, synced, words) SELECT " + top +
			" + 1 + i, 'tree/' || name, " + top + ", name, name_key, 0, 1, name FROM (SELECT *, id - 2 AS i FROM " +
			"entries WHERE kind = 0 AND id BETWEEN 2 AND 101) AS e",
		"INSERT INTO entries (id, path, parent_id, name, name_key, kind, " + columns + ") SELECT " + top +
			" + 1 + i, 'tree/f00' || substr(" + to + ", 4, 2) || '/' || name, " + top +
			" - 99 + i % 100, name, name_key, 1, " + columns + " " + from,
		"INSERT INTO taggings (entry_id, key, name) SELECT id, 'sea', 'sea' FROM entries WHERE kind = 1 AND id % 10 " +
			"<> 0",
		"INSERT INTO taggings (entry_id, key, name) SELECT id, 'lake', 'lake' FROM entries WHERE kind = 1 AND id % " +
			"5 = 0",
		"ANALYZE",
	} {
		if m.files < 100_000 && strings.Contains(statement, "tree/f'") {
			continue
		}
		_, err := m.Pool.Exec(statement)
		if err != nil {
			m.Fatalf("%s: %v", statement, err)
		}
	}
	if name == "postgres" {
		_, err := m.Pool.Exec("SELECT setval(pg_get_serial_sequence('entries', 'id'), (SELECT max(id) FROM entries))")
		must(m.T, err)
	}
}

// key returns the sort key of a name, as entries store it.
func (m measured) key(name, text string) string {
	if name == "postgres" {
		return "convert_to(" + text + ", 'UTF8') || '\\x00'::bytea || convert_to(" + text + ", 'UTF8')"
	}
	return "CAST(" + text + " || char(0) || " + text + " AS BLOB)"
}

// counted is a search whose files are counted.
type counted struct {
	what string
	o    gallery.BrowseOptions
}

// searchesCounted are the searches of the application's filter bar, and the folders and months that it shows.
// The application never shows templates.
func (m measured) searchesCounted() []counted {
	none := false
	day := func(n int) *time.Time { return ptr(time.Unix(0, 0).UTC().AddDate(0, 0, n)) }
	list := []counted{
		{"everything", gallery.BrowseOptions{}},
		{"a type", gallery.BrowseOptions{Filter: search.Filter{Formats: []imaging.Format{imaging.JPEG}}}},
		{"a word of all", gallery.BrowseOptions{Search: "img"}},
		{"a word and a tag", gallery.BrowseOptions{Search: "jpg", Filter: search.Filter{Tags: []string{"sea"}}}},
		{"a word of a tenth", gallery.BrowseOptions{Search: "00"}},
		{"a word of a thousandth", gallery.BrowseOptions{Search: "w123"}},
		{"two words", gallery.BrowseOptions{Search: "img jpg"}},
		{"a folder of 100,000", gallery.BrowseOptions{Search: "large"}},
		{"a folder of 100,000 and a word of all", gallery.BrowseOptions{Search: "large img"}},
		{"two folders", gallery.BrowseOptions{Search: "tree f0012"}},
		{"a folder and a word that is never in it", gallery.BrowseOptions{Search: "large w1x"}},
		{"a folder, by its words", gallery.BrowseOptions{Filter: search.Filter{Folder: "tree"}}},
		{"blue", gallery.BrowseOptions{Filter: search.Filter{Color: &search.ColourFilter{Colour: "blue"}}}},
		{"two words, one of a hundredth", gallery.BrowseOptions{Search: "img w12"}},
		{
			"a word and a type",
			gallery.BrowseOptions{Search: "im", Filter: search.Filter{Formats: []imaging.Format{imaging.JPEG}}},
		},
		{"a tag of 9 of 10", gallery.BrowseOptions{Filter: search.Filter{Tags: []string{"sea"}}}},
		{"a tag of a fifth", gallery.BrowseOptions{Filter: search.Filter{Tags: []string{"lake"}}}},
		{"two tags", gallery.BrowseOptions{Filter: search.Filter{Tags: []string{"sea", "lake"}}}},
		{
			"a tag and a type",
			gallery.BrowseOptions{
				Filter: search.Filter{Tags: []string{"sea"}, Formats: []imaging.Format{imaging.JPEG}},
			},
		},
		{
			"two words, a tag and a type",
			gallery.BrowseOptions{
				Search: "pg 00",
				Filter: search.Filter{Tags: []string{"sea"}, Formats: []imaging.Format{imaging.JPEG}},
			},
		},
		{"a rating", gallery.BrowseOptions{Filter: search.Filter{MinRating: ptr(int32(1))}}},
		{"a word and a rating", gallery.BrowseOptions{Search: "img", Filter: search.Filter{MinRating: ptr(int32(1))}}},
		{"favorites", gallery.BrowseOptions{Filter: search.Filter{Favorite: ptr(true)}}},
		{"a place", gallery.BrowseOptions{Filter: search.Filter{HasGps: ptr(true)}}},
		{"an orientation", gallery.BrowseOptions{Filter: search.Filter{Orientation: ptr(search.Portrait)}}},
		{
			"an orientation and a tag",
			gallery.BrowseOptions{Filter: search.Filter{Orientation: ptr(search.Landscape), Tags: []string{"sea"}}},
		},
		{"a least width", gallery.BrowseOptions{Filter: search.Filter{MinWidth: ptr(int32(2000))}}},
		{"a least height", gallery.BrowseOptions{Filter: search.Filter{MinHeight: ptr(int32(2000))}}},
		{
			"a word, a width and a height",
			gallery.BrowseOptions{
				Search: "img",
				Filter: search.Filter{MinWidth: ptr(int32(2000)), MinHeight: ptr(int32(2000))},
			},
		},
		{"taken after a day", gallery.BrowseOptions{Filter: search.Filter{TakenAfter: day(4000)}}},
		{
			"taken between two days, a word",
			gallery.BrowseOptions{Search: "img", Filter: search.Filter{TakenAfter: day(2000), TakenBefore: day(5000)}},
		},
		{"a month", gallery.BrowseOptions{Filter: search.Filter{DateAfter: day(3000), DateBefore: day(3030)}}},
		{
			"a year, a tag",
			gallery.BrowseOptions{
				Filter: search.Filter{DateAfter: day(3000), DateBefore: day(3365), Tags: []string{"sea"}},
			},
		},
		{"sizes", gallery.BrowseOptions{Filter: search.Filter{MinSize: ptr(int64(5_000_000))}}},
		{
			"a common color",
			gallery.BrowseOptions{
				Filter: search.Filter{Color: &search.ColourFilter{Colour: "808080", Within: ptr(0.2)}},
			},
		},
		{
			"a common color and a tag",
			gallery.BrowseOptions{
				Filter: search.Filter{
					Color: &search.ColourFilter{Colour: "808080", Within: ptr(0.2)},
					Tags:  []string{"sea"},
				},
			},
		},
		{
			"a color of most",
			gallery.BrowseOptions{
				Filter: search.Filter{Color: &search.ColourFilter{Colour: "808080", Within: ptr(0.5)}},
			},
		},
		{
			"a color and a date",
			gallery.BrowseOptions{
				Filter: search.Filter{
					Color:     &search.ColourFilter{Colour: "808080", Within: ptr(0.2)},
					DateAfter: day(3000),
				},
			},
		},
		{"a small folder, a word", gallery.BrowseOptions{Folder: "f0001", Search: "img"}},
		{"a folder of 100,000, a word", gallery.BrowseOptions{Folder: "large", Search: "img"}},
		{
			"a folder of 100,000, a tag",
			gallery.BrowseOptions{Folder: "large", Filter: search.Filter{Tags: []string{"sea"}}},
		},
		{"below a folder of 100, a word", gallery.BrowseOptions{Folder: "tree", Search: "img"}},
		{
			"below a folder of 100, a type, a date",
			gallery.BrowseOptions{
				Folder: "tree",
				Filter: search.Filter{Formats: []imaging.Format{imaging.JPEG}, TakenAfter: day(3000)},
			},
		},
	}
	for i := range list {
		list[i].o.Recursive, list[i].o.Filter.IsTemplate = true, &none
		if list[i].o.Folder == "large" {
			list[i].o.Recursive = false
		}
	}
	return list
}

// table prints the page of each search and the count of its files, up to the limit and exactly, with their
// CPU time. On PostgreSQL, this excludes parallel workers.
func (m measured) table(name string, list []counted) {
	m.Logf(
		"| totalCount of | files | page, ms | its CPU | count, ms | its CPU | exact, ms | its CPU | CPU of the "+
			"count under %v |",
		aim,
	)
	for _, c := range list {
		var took, cpu [3]time.Duration
		var f *gallery.FileConnection
		var n *int32
		for i, do := range []func() error{
			func() (err error) { f, err = m.Files(m.Context(), c.o); return err },
			func() (err error) { n, err = f.TotalCount(m.Context(), false); return err },
			func() (err error) { n, err = f.TotalCount(m.Context(), true); return err },
		} {
			began, used := time.Now(), ownCPU()+postgresCPU(m.T, m.Pool, name)
			must(m.T, do())
			took[i] = time.Since(began)
			cpu[i] = ownCPU() + postgresCPU(m.T, m.Pool, name) - used
		}
		mark := "yes"
		if cpu[1] > aim {
			mark = "NO"
		}
		ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
		m.Logf("| %s | %d | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %s |",
			c.what, *n, ms(took[0]), ms(cpu[0]), ms(took[1]), ms(cpu[1]), ms(took[2]), ms(cpu[2]), mark)
	}
}

// load returns the load of this computer in the last minute.
func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Fields(string(b))[0]
}
