package gallery_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/gallery/bitmaps"
	"github.com/safelight/safelight/gallery/gallerytest"
)

// bitmapSearches are what a test counts: each list is an alternative.
var bitmapSearches = [][][]string{{{"img"}}, {{"im"}, {"jp"}}, {{"00"}}, {{"w1"}, {"/jpeg"}}, {{"w"}, {"/jpeg", "/png"}}, {{"img"}, {"#sea"}}, {{"#sea"}}, {{"other"}}, {{"00"}, {"w1"}, {"#sea"}, {"/png"}}}

// bitmapsMatch holds that bitmaps count what the rows of entries are.
func (s *stage) bitmapsMatch(when string) {
	s.Helper()
	for _, all := range bitmapSearches {
		s.bitmapsKnown(when, all)
	}
}

// TestBitmaps changes files in every way that matters to a search, after bitmaps were made: what the triggers log is looked up.
func TestBitmaps(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		must(t, database.Migrate(t.Context(), db, name))
		fillIndex(t, db, name, 3000)
		s := newStage(t, db, name, gallerytest.Config{})
		exec := func(query string) {
			t.Helper()
			_, err := db.Exec(query)
			must(t, err)
		}
		exec("UPDATE entries SET id = id + 130000 WHERE id > 4500") // two blocks more, of which one is empty
		exec("INSERT INTO taggings (entry_id, key, name) SELECT id, 'sea', 'Sea' FROM entries WHERE kind = 1 AND id % 3 = 0")
		exec("UPDATE entries SET words = words || ' other' WHERE id % 50 = 0")
		if _, known := s.CountByBitmaps([]string{"img"}); known {
			t.Error("bitmaps count before they are made")
		}
		s.MakeBitmaps()
		s.bitmapsMatch("at first")
		if n, known := s.CountByBitmaps([]string{"nothing"}); known {
			t.Errorf("a word without a bitmap: %d files, expected that they are not known", n)
		}
		random := rand.New(rand.NewPCG(3, 4))
		for round := range 3 {
			for i, change := range []string{"UPDATE entries SET words = 'img 00 w1 other' WHERE id %% 97 = %d", "UPDATE entries SET hidden = NOT hidden WHERE id %% 89 = %d", "UPDATE entries SET type = 'png' WHERE id %% 83 = %d",
				"DELETE FROM entries WHERE id %% 79 = %d AND kind = 1", "INSERT INTO taggings (entry_id, key, name) SELECT id, 'sea', 'sea' FROM entries WHERE id %% 73 = %d AND kind = 1 ON CONFLICT DO NOTHING",
				"DELETE FROM taggings WHERE entry_id %% 71 = %d", "UPDATE taggings SET key = 'lake' WHERE entry_id %% 67 = %d", "UPDATE entries SET meta_state = 3, name = 'x.template.json' WHERE id %% 61 = %d AND kind = 1",
				"UPDATE entries SET kind = 1 - kind WHERE id %% 401 = %d", "UPDATE entries SET words = '' WHERE id %% 407 = %d"} {
				exec(fmt.Sprintf(change, 1+random.IntN(60)))
				s.bitmapsMatch(fmt.Sprintf("round %d, after change %d", round, i))
			}
			for _, id := range []int{200000 + round, 100000 + round} { // after all, and among those of bitmaps: PostgreSQL gives ids before a commit
				if id >= 200000 || name == "postgres" {
					exec(fmt.Sprintf("INSERT INTO entries (id, path, parent_id, name, name_key, kind, words, type) VALUES (%d, 'new%[1]d', 1, 'new%[1]d', '%[1]d', 1, 'img w1 other', 'jpeg')", id))
				}
			}
			s.bitmapsMatch("after new files")
			if round == 1 {
				s.MakeBitmaps()
				var left int
				must(t, db.QueryRow("SELECT count(*) FROM bitmap_changes").Scan(&left))
				if left != 0 {
					t.Errorf("%d changes are left, expected that bitmaps have them", left)
				}
				s.bitmapsMatch("made again")
			}
		}
	})
}

// TestBitmapsFewFiles: bitmaps of a library that has become small are dropped.
func TestBitmapsFewFiles(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		must(t, database.Migrate(t.Context(), db, name))
		fillIndex(t, db, name, 500)
		s := newStage(t, db, name, gallerytest.Config{})
		s.MakeBitmaps()
		if n, known := s.CountByBitmaps([]string{"img"}, []string{"/jpeg"}); !known || n != 500 {
			t.Errorf("%d files by bitmaps (known: %v), expected 500", n, known)
		}
		must(t, bitmaps.New(database.New(db, name), bitmaps.Config{MinFiles: 1000, Eager: true}).Upkeep(t.Context()))
		if _, known := s.CountByBitmaps([]string{"img"}); known {
			t.Error("bitmaps count files after they were dropped")
		}
		var logged, left int
		must(t, db.QueryRow("SELECT logged, (SELECT count(*) FROM bitmap_terms) + (SELECT count(*) FROM bitmaps) FROM bitmap_state").Scan(&logged, &left))
		if logged != 0 || left != 0 {
			t.Errorf("changes up to id %d are logged, %d rows are left, expected none", logged, left)
		}
	})
}

// TestBitmapsBesideWriters makes bitmaps while files change, by two servers at once, and counts all the time. On PostgreSQL a writer also ends
// only after bitmaps were made: it logs its changes, or nothing is made beside it.
func TestBitmapsBesideWriters(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		must(t, database.Migrate(t.Context(), db, name))
		fillIndex(t, db, name, 1500)
		s := newStage(t, db, name, gallerytest.Config{})
		if name == "postgres" {
			tx, err := db.Begin()
			must(t, err)
			defer tx.Rollback() //nolint:errcheck // committed, or the test has failed
			_, err = tx.Exec("UPDATE entries SET words = 'other' WHERE id = 2500")
			must(t, err)
			impatient := bitmaps.Config{MinFiles: -1, Common: 1, Eager: true, Wait: func(context.Context, int) bool { return false }}
			must(t, bitmaps.New(database.New(db, name), impatient).Upkeep(t.Context()))
			if n, known := s.CountByBitmaps([]string{"img"}); known {
				t.Errorf("bitmaps were made beside a writer that logs nothing: %d files", n)
			}
			must(t, tx.Commit())
		}
		s.MakeBitmaps()
		s.bitmapsKnown("before", [][]string{{"img"}, {"jp"}})
		sizes := s.sized(name)
		small, known := sizes()
		if !known || small == 0 {
			t.Fatalf("%d small files (known: %v)", small, known)
		}
		done := make(chan struct{})
		var wg sync.WaitGroup
		for i := range 3 {
			wg.Go(func() {
				for n := 0; ; n++ {
					select {
					case <-done:
						return
					default:
					}
					// a file that loses a word in one statement and gets it back in the next, and one that another takes the place of
					at := 2010 + i*400 + n%390
					for _, change := range []string{"UPDATE entries SET words = 'other' WHERE id = %d", "UPDATE entries SET words = 'img jpg w1 00' WHERE id = %d"} {
						_, err := db.Exec(fmt.Sprintf(change, at))
						must(t, err)
					}
					_, err := db.Exec(fmt.Sprintf("UPDATE entries SET hidden = NOT hidden WHERE id IN (%d, %d)", at, 3210+i))
					must(t, err)
					// two files change places: one of them is small at any time
					_, err = db.Exec(fmt.Sprintf("UPDATE entries SET size = %d - size WHERE id IN (%d, %d)", 2*middleSize, 3401+2*i, 3402+2*i))
					must(t, err)
				}
			})
		}
		for range 2 {
			wg.Go(func() {
				for range 12 {
					s.MakeBitmaps()
				}
			})
		}
		all := [][]string{{"img"}, {"other"}} // none at any time: a file has one of the two
		for range 60 {
			if n, known := s.CountByBitmaps(all...); known && n != 0 {
				t.Errorf("%d files by bitmaps beside writers, expected none", n)
			}
			if n, known := sizes(); known && n != small {
				t.Errorf("%d small files by bitmaps beside writers, expected %d", n, small)
			}
		}
		close(done)
		wg.Wait()
		s.bitmapsKnown("after writers", [][]string{{"img"}, {"jp"}})
		s.MakeBitmaps()
		s.bitmapsKnown("made again", [][]string{{"img"}, {"jp"}})
	})
}

// middleSize is a size that lies between the first and the last of a chunk of sizes, so that rows have to be read.
const middleSize = 1_234_567

// sized gives pairs of files a size below and above middleSize, and returns what counts those below.
func (s *stage) sized(name string) func() (int, bool) {
	s.Helper()
	_, err := s.Pool.Exec(fmt.Sprintf("UPDATE entries SET words = 'img jpg pair', size = %d + (id %% 2 * 2 - 1) * (id - 3390) WHERE id BETWEEN 3401 AND 3406", middleSize))
	must(s.T, err)
	s.MakeBitmaps()
	q := bitmaps.Query{All: [][]string{{"pair"}}, Ranges: []bitmaps.Range{{Column: "size", Low: bitmaps.Least, High: middleSize}}, Rows: entsql.Expr(fmt.Sprintf("kind = 1 AND NOT hidden AND words LIKE '%% pair%%' AND size <= %d", middleSize))}
	return func() (int, bool) {
		n, known, err := bitmaps.Count(s.Context(), database.New(s.Pool, name), q)
		must(s.T, err)
		return n, known
	}
}

// bitmapsKnown holds that bitmaps count what the rows of entries are.
func (s *stage) bitmapsKnown(when string, all [][]string) {
	s.Helper()
	n, known := s.CountByBitmaps(all...)
	if want := s.CountByRows(all...); !known || n != want {
		s.Errorf("%s: %v: %d files by bitmaps (known: %v), expected %d", when, all, n, known, want)
	}
}

// TestBitmapsWithoutFacts holds that blocks which a server made that knows no facts are made again, although nothing changes.
func TestBitmapsWithoutFacts(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		must(t, database.Migrate(t.Context(), db, name))
		fillIndex(t, db, name, 500)
		s := newStage(t, db, name, gallerytest.Config{})
		s.MakeBitmaps()
		for _, statement := range []string{`UPDATE bitmap_state SET terms = '["img"]'`, "DELETE FROM bitmap_terms WHERE term LIKE '=%'"} {
			_, err := db.Exec(statement)
			must(t, err)
		}
		if _, known := s.CountByBitmaps([]string{"img"}); known {
			t.Fatal("bitmaps without facts are of use: this test sees nothing")
		}
		keeper := bitmaps.New(database.New(db, name), bitmaps.Config{MinFiles: -1, Common: 1})
		must(t, keeper.Upkeep(t.Context())) // sees that no files come
		must(t, keeper.Upkeep(t.Context()))
		s.bitmapsKnown("made again", [][]string{{"img"}})
	})
}
