package gallery_test

import (
	"bytes"
	"cmp"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/storage"
)

// shelf is a folder of many rows without files, with ties in every order, and its expected listing.
type shelf struct {
	*stage
	db   *sql.DB
	all  []*ent.Entry
	next int
}

const shelfID, otherID = 900_000, 900_001

func newShelf(t *testing.T, db *sql.DB, name string, files int) *shelf {
	s := &shelf{stage: newStage(t, db, name, gallerytest.Config{}), db: db}
	s.Store = storage.NewMemory()
	s.Rules = s.Again()
	for id, folder := range map[int]string{shelfID: "shelf", otherID: "other"} {
		_, err := db.Exec(
			fmt.Sprintf(
				"INSERT INTO entries (id, path, parent_id, name, name_key, kind, synced) VALUES (%d, '%s', 1, "+
					"'%[2]s', '%[2]s', 0, 1)",
				id, folder,
			),
		)
		must(t, err)
	}
	_, err := db.Exec(
		"INSERT INTO entries (id, path, parent_id, name, name_key, kind, synced) VALUES (1, '', 0, '', '', 0, 1) ON " +
			"CONFLICT DO NOTHING",
	)
	must(t, err)
	tx, err := db.Begin()
	must(t, err)
	for range files {
		s.addTo(tx)
	}
	must(t, tx.Commit())
	return s
}

func (s *shelf) add() {
	s.Helper()
	s.addTo(s.db)
}

// addTo adds a row with one of a few sizes, times and ratings, and one of several kinds of names.
func (s *shelf) addTo(db interface {
	Exec(query string, args ...any) (sql.Result, error)
}) {
	s.Helper()
	i := s.next
	s.next++
	e := &ent.Entry{
		ID:        shelfID + 10 + i,
		ParentID:  shelfID,
		Kind:      1,
		Size:      int64(i * 7 % 5),
		Modified:  int64(i * 13 % 11),
		Pixels:    int64(i * 3 % 4),
		Rating:    int8(i % 3),
		MetaState: 1,
	}
	e.Name = fmt.Sprintf(
		[]string{"img%04d.png", "IMG%04d.png", "é%04d.jpg", "Ü%04d.png", "日本%04d.webp", "%04d", "~%04d.png"}[i%7],
		i*31%1009,
	)
	switch i % 50 {
	case 11:
		e.Name = fmt.Sprintf(".dot%04d.png", i)
	case 23:
		e.Name = fmt.Sprintf("t%04d.template.preview.webp", i)
	case 37:
		e.Name, e.MetaState = fmt.Sprintf("t%04d.Template.JSON", i), search.StateNone
	}
	if e.TakenKey = e.Modified; i%2 == 0 { // otherwise the capture time is unknown
		e.TakenKey = int64(i * 17 % 6)
	}
	if i%9 == 0 {
		e.ParentID = otherID
	}
	e.Hidden = strings.HasPrefix(e.Name, ".")
	e.Name = fmt.Sprintf("%s~%d", e.Name, i)
	if i%50 == 23 || i%50 == 37 {
		e.Name = strings.TrimSuffix(e.Name, fmt.Sprintf("~%d", i))
	}
	e.NameKey = []byte(strings.ToLower(e.Name) + "\x00" + e.Name)
	e.Path = fmt.Sprintf("%d/%s", e.ParentID, e.Name)
	_, err := db.Exec(
		"INSERT INTO entries (id, path, parent_id, name, name_key, kind, hidden, size, modified, taken_key, pixels, "+
			"rating, meta_state) VALUES ($1, $2, $3, $4, $5, 1, $6, $7, $8, $9, $10, $11, $12)",
		e.ID, e.Path, e.ParentID, e.Name, e.NameKey, e.Hidden, e.Size, e.Modified, e.TakenKey, e.Pixels,
		e.Rating, e.MetaState,
	)
	must(s.T, err)
	s.all = append(s.all, e)
}

// remove deletes the row with a name.
func (s *shelf) remove(name string) {
	s.Helper()
	at := slices.IndexFunc(s.all, func(e *ent.Entry) bool { return e.Name == name })
	_, err := s.db.Exec(fmt.Sprintf("DELETE FROM entries WHERE id = %d", s.all[at].ID))
	must(s.T, err)
	s.all = slices.Delete(s.all, at, at+1)
}

// sorted returns the names of the rows for which pass returns true. Ties are sorted by name in one folder,
// and otherwise by id.
func (s *shelf) sorted(key func(*ent.Entry) int64, byName, deep, descending bool, pass func(*ent.Entry) bool) []string {
	list := []*ent.Entry{}
	for _, e := range s.all {
		if pass(e) && (deep || e.ParentID == shelfID) {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b *ent.Entry) int {
		c := cmp.Compare(key(a), key(b))
		if c == 0 && (byName || !deep) {
			c = bytes.Compare(a.NameKey, b.NameKey)
		}
		return cmp.Or(c, cmp.Compare(a.ID, b.ID))
	})
	if descending {
		slices.Reverse(list)
	}
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.Name
	}
	return names
}

var shelfKeys = map[gallery.Sort]func(*ent.Entry) int64{
	gallery.SortName:       func(*ent.Entry) int64 { return 0 },
	gallery.SortSize:       func(e *ent.Entry) int64 { return e.Size },
	gallery.SortModified:   func(e *ent.Entry) int64 { return e.Modified },
	gallery.SortTaken:      func(e *ent.Entry) int64 { return e.TakenKey },
	gallery.SortDimensions: func(e *ent.Entry) int64 { return e.Pixels },
	gallery.SortRating:     func(e *ent.Entry) int64 { return int64(e.Rating) },
}

func isPreview(e *ent.Entry) bool  { return search.IsPreview(e.Name) }
func isTemplate(e *ent.Entry) bool { return e.MetaState == search.StateNone }

// places returns the positions of a list where a page may be wrong: its ends, its middle, where reading
// starts at the other end, and beyond.
func places(n int) []int {
	return []int{
		0,
		1,
		499,
		500,
		501,
		502,
		n/2 - 1,
		n / 2,
		n/2 + 1,
		n/2 + 2,
		n - 101,
		n - 100,
		n - 3,
		n - 1,
		n,
		n + 1,
		n + 1000,
	}
}

// TestPlaces opens pages at all positions of a folder and of the whole gallery, in every order and both
// directions.
func TestPlaces(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newShelf(t, db, name, 1400)
		s.checkPlaces(slices.Collect(maps.Keys(shelfKeys))...)
		for range 60 { // the counts are updated, too
			s.remove(s.all[s.next*7919%len(s.all)].Name)
			s.add()
		}
		s.checkPlaces(gallery.SortName, gallery.SortRating)
	})
}

func (s *shelf) checkPlaces(orders ...gallery.Sort) {
	s.Helper()
	no := false
	for _, order := range orders {
		key := shelfKeys[order]
		for i := range 8 {
			deep, descending, plain := i&1 > 0, i&2 > 0, i&4 > 0
			o := gallery.BrowseOptions{
				Folder:     "shelf",
				Recursive:  deep,
				Sort:       order,
				Descending: descending,
				First:      ptr(int32(100)),
			}
			if deep {
				o.Folder = ""
			}
			if !plain {
				o.Filter.IsTemplate = &no
			}
			all := s.sorted(
				key, order == gallery.SortName, deep, descending,
				func(e *ent.Entry) bool { return !e.Hidden && (deep || !isPreview(e)) && (plain || !isTemplate(e)) },
			)
			for _, place := range places(len(all)) {
				o.Skip = int32(place)
				c, err := s.Files(s.Context(), o)
				must(s.T, err)
				s.samePage(fmt.Sprintf("files %+v", o), nodeNames(c), all, place)
			}
		}
	}
}

func nodeNames(c *gallery.FileConnection) (names []string) {
	for _, f := range c.Nodes() {
		names = append(names, f.Name())
	}
	return names
}

func (s *shelf) samePage(what string, have, all []string, place int) {
	s.Helper()
	if expected := all[min(place, len(all)):min(place+100, len(all))]; !slices.Equal(have, expected) {
		s.Errorf("%s of %d: %v, expected %v", what, len(all), have, expected)
	}
}

// TestPagesOfAChangingFolder removes the file of a cursor and adds files between pages. Each file that exists
// all the time must be seen exactly once.
func TestPagesOfAChangingFolder(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		for order := range shelfKeys {
			s := newShelf(t, db, name, 0)
			for range 150 {
				s.add()
			}
			there := map[string]bool{}
			for _, e := range s.all {
				there[e.Name] = e.ParentID == shelfID && !e.Hidden && !isPreview(e)
			}
			seen := map[string]int{}
			o := gallery.BrowseOptions{Folder: "shelf", Sort: order, First: ptr(int32(13))}
			for {
				c, err := s.Files(access.All(t.Context()), o)
				must(t, err)
				names := nodeNames(c)
				for _, n := range names {
					seen[n]++
				}
				p := pageInfo(t, c)
				if !p.HasNextPage {
					break
				}
				o.After = *p.EndCursor
				s.remove(names[len(names)-1])
				s.add()
				s.add()
			}
			for n, expected := range there {
				if expected && seen[n] != 1 {
					t.Errorf("%s: %s was seen %d times", order, n, seen[n])
				}
			}
			for n, times := range seen {
				if times > 1 {
					t.Errorf("%s: %s was seen %d times", order, n, times)
				}
			}
			_, err := db.Exec("DELETE FROM entries")
			must(t, err)
		}
	})
}
