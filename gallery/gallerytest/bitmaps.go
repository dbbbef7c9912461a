package gallerytest

import (
	"context"
	"strings"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/gallery/bitmaps"
)

// MakeBitmaps makes the bitmaps of all files that there are. Files that change later are looked up.
func (s *Stage) MakeBitmaps() {
	s.Helper()
	keeper := bitmaps.New(database.New(s.Pool, s.name), bitmaps.Config{MinFiles: -1, Common: 1, Eager: true})
	s.Must(keeper.Upkeep(context.Background()))
}

// CountByBitmaps returns how many visible files have a word, tag or type of each list, and whether bitmaps count them.
func (s *Stage) CountByBitmaps(all ...[]string) (int, bool) {
	s.Helper()
	n, known, err := bitmaps.Count(context.Background(), database.New(s.Pool, s.name), bitmaps.Query{All: all, Rows: entsql.Expr(s.matches(all))})
	s.Must(err)
	return n, known
}

// CountByRows returns the same number by reading all entries.
func (s *Stage) CountByRows(all ...[]string) (n int) {
	s.Helper()
	s.Must(s.Pool.QueryRow("SELECT count(*) FROM entries WHERE " + s.matches(all)).Scan(&n))
	return n
}

// matches is the condition of rows with a word, tag or type of each list.
func (s *Stage) matches(all [][]string) string {
	where := "kind = 1 AND NOT hidden"
	for _, terms := range all {
		var either []string
		for _, term := range terms {
			switch term[0] {
			case '/':
				either = append(either, "type = '"+term[1:]+"'")
			case '#':
				either = append(either, "EXISTS (SELECT 1 FROM taggings WHERE entry_id = entries.id AND key = '"+term[1:]+"')")
			default:
				either = append(either, "' ' || words LIKE '% "+term+"%'")
			}
		}
		where += " AND (" + strings.Join(either, " OR ") + ")"
	}
	return where
}

// countedSets are searches that checkBitmaps counts.
var countedSets = [][][]string{{{"a"}}, {{"png"}}, {{"g"}, {"/png"}}, {{"p"}, {"#sea"}}, {{"#sea"}}, {{"#b"}, {"#a"}}, {{"n"}, {"a"}}, {{"/png", "/jpeg", "/webp"}, {"g"}}}

// checkBitmaps holds that counts by bitmaps are those of the entries, after whatever the test did: with the changes that are logged, and once
// all of them are in bitmaps.
func (s *Stage) checkBitmaps() {
	for _, when := range []string{"with changes", "made again"} {
		for _, all := range countedSets {
			n, known := s.CountByBitmaps(all...)
			if want := s.CountByRows(all...); known && n != want {
				s.Errorf("bitmaps %s, %v: %d files, expected %d", when, all, n, want)
			}
		}
		s.MakeBitmaps()
	}
}
