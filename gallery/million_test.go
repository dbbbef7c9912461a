package gallery_test

import (
	"database/sql"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"gocloud.dev/blob/memblob"

	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/storage"
)

// TestMillion measures pages, orders and searches over an index of many files: SAFELIGHT_BENCH_GALLERY=1000000, which
// `make bench-gallery` sets. The rows have no files behind them.
func TestMillion(t *testing.T) {
	files, err := strconv.Atoi(os.Getenv("SAFELIGHT_BENCH_GALLERY"))
	if err != nil {
		t.Skip("SAFELIGHT_BENCH_GALLERY says not how many files: make bench-gallery sets it")
	}
	eachDatabase(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallery.Config{})
		s.store = storage.OpenBucket(memblob.OpenBucket(nil))
		s.Gallery = s.again()
		began := time.Now()
		fillIndex(t, db, name, files)
		t.Logf("%d rows in %v", files, time.Since(began).Round(time.Second))
		measure := func(what string, do func(i int) error) {
			var took []time.Duration
			for i := range 200 {
				began := time.Now()
				must(t, do(i))
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			t.Logf("%-44s p50 %8v  p99 %8v", what, took[100].Round(10*time.Microsecond), took[198].Round(10*time.Microsecond))
		}
		hundred := int32(100)
		page := func(o gallery.BrowseOptions) error {
			o.First = &hundred
			_, err := s.Files(t.Context(), o)
			return err
		}
		for _, order := range []gallery.SortBy{gallery.SortByName, gallery.SortBySize, gallery.SortByModified} {
			measure("listFiles by "+string(order), func(i int) error {
				_, err := s.ListFiles(t.Context(), fmt.Sprintf("f%04d", i%2000), gallery.ListFilesOptions{Limit: 100, Offset: 100, SortBy: order, Descending: i%2 == 0})
				return err
			})
		}
		for _, order := range []gallery.Order{gallery.OrderName, gallery.OrderSize, gallery.OrderModified, gallery.OrderTaken, gallery.OrderDimensions} {
			measure("files of everything by "+string(order), func(i int) error {
				return page(gallery.BrowseOptions{Recursive: true, Order: order, Descending: i%2 == 0})
			})
			measure("files of a folder by "+string(order), func(i int) error {
				return page(gallery.BrowseOptions{Folder: fmt.Sprintf("f%04d", i%2000), Order: order})
			})
		}
		for what, words := range map[string]string{"of all": "img", "of a thousandth": "w%d", "of one": "%07d", "of none": "nothing%d", "of two words": "img w%d"} {
			measure("search "+what, func(i int) error {
				text := words
				if slices.Contains([]byte(words), '%') {
					text = fmt.Sprintf(words, i*37%1000)
				}
				return page(gallery.BrowseOptions{Recursive: true, Search: text, Order: gallery.OrderModified})
			})
		}
		for _, distance := range []int{3, 7, 11} {
			measure(fmt.Sprintf("similar by %d bits", distance), func(i int) error {
				c, err := s.Files(t.Context(), gallery.BrowseOptions{Folder: fmt.Sprintf("f%04d", i)})
				if err != nil {
					return err
				}
				_, err = s.SimilarFiles(t.Context(), c.Nodes()[0], distance, 100)
				return err
			})
		}
		measure("duplicates, of which there are none", func(int) error {
			_, err := s.Duplicates(t.Context(), 20, "")
			return err
		})
		deep := gallery.BrowseOptions{Recursive: true, Order: gallery.OrderSize, First: &hundred}
		for range min(5000, files/100-1) {
			c, err := s.Files(t.Context(), deep)
			must(t, err)
			deep.After = *c.PageInfo().EndCursor
		}
		measure("a page 5,000 deep by SIZE", func(int) error { return page(deep) })
	})
}

// fillIndex makes 2,000 folders of equal size.
func fillIndex(t *testing.T, db *sql.DB, name string, files int) {
	series, key := "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d)", "CAST(x || char(0) || x AS BLOB)"
	if name == "postgres" {
		series, key = "WITH n AS (SELECT generate_series(0, %d) AS i)", `convert_to(x, 'UTF8') || '\x00'::bytea || convert_to(x, 'UTF8')`
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
			return fmt.Sprintf("lpad((%s)::text, %d, '0')", expression, width)
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
	exec(fmt.Sprintf(series, 1999) + " INSERT INTO entries (id, path, parent_id, name, name_key, kind, synced, words) SELECT i + 2, " + folder + ", 1, " + folder + ", " + key2("("+folder+")") + ", 0, 1, " + folder + " FROM n")
	hashes := "random(), randomblob(32)"
	if name == "postgres" {
		hashes = "((random() - 0.5) * 18446744073709551615.0)::numeric::bigint, sha256(i::text::bytea)"
	}
	file := "'img" + "' || " + padded("i", 7) + " || '.jpg'"
	exec(fmt.Sprintf(series, files-1) + " INSERT INTO entries (id, path, parent_id, name, name_key, kind, size, modified, taken_key, pixels, width, height, etag, type, meta_state, phash, sha256, words) SELECT i + 2002, 'f' || " +
		padded("i % 2000", 4) + " || '/' || " + file + ", i % 2000 + 2, " + file + ", " + key2("("+file+")") + ", 1, CAST(i AS BIGINT) * 7919 % 10000000, CAST(i AS BIGINT) * 104729 % 1000000007, CAST(i AS BIGINT) * 1299709 % 1000000007, i % 5000 * 3000, i % 5000, 3000, 'e', 'jpeg', 1, " + hashes + ", 'img jpg ' || " +
		padded("i", 7) + " || ' w' || (i % 1000) FROM n")
	exec("ANALYZE")
}

// TestScanMany measures the first scan of local files: SAFELIGHT_BENCH_SCAN=100000.
func TestScanMany(t *testing.T) {
	files, err := strconv.Atoi(os.Getenv("SAFELIGHT_BENCH_SCAN"))
	if err != nil {
		t.Skip("SAFELIGHT_BENCH_SCAN says not how many files: make bench-gallery sets it")
	}
	eachDatabase(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallery.Config{})
		for i := range files {
			s.onDisk(fmt.Sprintf("f%03d/img%06d.png", i%200, i), png)
		}
		for _, what := range []string{"first scan", "scan without changes"} {
			began := time.Now()
			s.scan()
			t.Logf("%s of %d files: %v", what, files, time.Since(began).Round(10*time.Millisecond))
		}
		began := time.Now()
		must(t, s.MoveFile(t.Context(), "f000", "moved/here"))
		t.Logf("moving a folder of %d files: %v", files/200, time.Since(began).Round(time.Millisecond))
	})
}
