package gallery_test

import (
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/bitmaps"
	"github.com/safelight/safelight/gallery/search"
)

// bitmaps measures the making of bitmaps, and what they count.
func (m measured) bitmaps(name string) {
	forgetWords(m.T, m.Pool)
	db := database.New(m.Pool, name)
	keeper := bitmaps.New(db, bitmaps.Config{MinFiles: -1})
	must(m.T, keeper.Upkeep(m.Context())) // sees that no files come
	began := time.Now()
	must(m.T, keeper.Upkeep(m.Context()))
	var terms, sets, bytes int
	must(m.T, m.Pool.QueryRow("SELECT (SELECT count(*) FROM bitmap_terms), count(*), sum(length(bits)) FROM bitmaps").Scan(&terms, &sets, &bytes))
	m.Logf("bitmaps of %d terms, %d sets, %d bytes: %v", terms, sets, bytes, time.Since(began).Round(time.Millisecond))
	jpeg, none := []string{"jpeg"}, false
	for _, c := range []struct {
		what string
		o    gallery.BrowseOptions
	}{
		{"of a tag of 9 of 10", gallery.BrowseOptions{Filter: search.Filter{Tags: []string{"sea"}}}},
		{"of a word of all", gallery.BrowseOptions{Search: "img"}},
		{"of the same without templates", gallery.BrowseOptions{Search: "img", Filter: search.Filter{IsTemplate: &none}}},
		{"of a word of a tenth", gallery.BrowseOptions{Search: "00"}},
		{"of two words of all", gallery.BrowseOptions{Search: "img jpg"}},
		{"of a word of all and a type", gallery.BrowseOptions{Search: "jp", Filter: search.Filter{Types: jpeg}}},
		{"of a word of all and a tag", gallery.BrowseOptions{Search: "im", Filter: search.Filter{Tags: []string{"sea"}}}},
		{"of two words, a tag and a type", gallery.BrowseOptions{Search: "pg 00", Filter: search.Filter{Tags: []string{"sea"}, Types: jpeg}}},
	} {
		began := time.Now()
		n := m.total(c.o)
		m.Logf("totalCount %-33s by bitmaps, first %v: %d", c.what, time.Since(began).Round(10*time.Microsecond), n)
	}
}
