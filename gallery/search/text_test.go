package search

import (
	"database/sql"
	"slices"
	"strings"
	"testing"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/gallery/tokenizer"
)

// TestMatching searches the same texts on both databases. The index of words and the condition on rows have to find
// what the rule says: each word of the search starts a word that is stored of the text.
func TestMatching(t *testing.T) {
	texts := []string{
		"Sunset-Beach_2034.png", "IMG2034.jpg", "IMG_0001.JPEG", "img.png image.png", "Großer Plötz.png", "GROSSER PLOTZ.png", "日本語の写真.png", "100%.png",
		"a_b.png", "axb.png", "🎉 party.png", "or and not near.png", "NOT.png", "İstanbul.png", "x'y\"z.png", "a:b|c&d!.png", "caf\u00e9.png", "cafe\u0301.png",
		"0123456789abcdef0123456789abcdef0123456789abcdef.png", strings.Repeat("long", 30) + ".png", "ab.png", "a.png", "",
	}
	searches := []string{
		"sunset", "unset", "SET", "beach 2034", "2034", "034", "img", "im", "mg", "i", "img jpg", "image img", "grosser", "plötz", "plotz", "日", "本日", "写真", "語",
		"100%", "%", "a_b", "a b", "b a", "_", "🎉", "party 🎉", "or", "and not", "NOT", "near or", "istanbul", "x'y", "x y z", "a:b|c", "café", "cafe", "CAFÉ png", "png",
		"0123456789abcdef", "f0123", strings.Repeat("long", 30), "longlong", "nothing", "* png", "png*", "-png", "\"png\"",
	}
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		if err := database.Migrate(t.Context(), db, name); err != nil {
			t.Fatal(err)
		}
		d := database.New(db, name)
		for i, text := range texts {
			err := d.Entry.Create().
				SetPath(text).
				SetName(text).
				SetNameKey([]byte{byte(i)}).
				SetKind(KindFile).
				SetWords(tokenizer.Index(text)).
				Exec(t.Context())
			if err != nil {
				t.Fatal(err)
			}
		}
		paths := func(where func(c *Conditions)) []string {
			t.Helper()
			c := New(d)
			where(c)
			list, err := d.Entry.Query().
				Where(c.Of(KindFile, true)).
				Order(entry.ByID()).
				Select(entry.FieldPath).
				Strings(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return list
		}
		found := 0
		for _, search := range searches {
			terms := tokenizer.Split(search)
			if len(terms) == 0 {
				continue
			}
			want := []string{}
			for _, text := range texts {
				stored := strings.Fields(tokenizer.Index(text))
				lacks := func(term string) bool {
					return !slices.ContainsFunc(stored, func(w string) bool { return strings.HasPrefix(w, term) })
				}
				if !slices.ContainsFunc(terms, lacks) {
					want = append(want, text)
				}
			}
			found += len(want)
			byIndex := paths(func(c *Conditions) {
				if err := c.Text(t.Context(), search); err != nil || c.Candidates == nil {
					t.Fatalf("%q: candidates %v, %v", search, c.Candidates, err)
				}
			})
			byRow := paths(func(c *Conditions) {
				c.common(func(s *entsql.Selector) *entsql.Predicate { return hasWords(s, terms) })
			})
			if !slices.Equal(byIndex, want) {
				t.Errorf("%q: the index finds %q, expected %q", search, byIndex, want)
			}
			if !slices.Equal(byRow, want) {
				t.Errorf("%q: the condition finds %q, expected %q", search, byRow, want)
			}
		}
		if found < 50 {
			t.Errorf("%d matches in all: the searches compare next to nothing", found)
		}
	})
}
