package search

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/tokenizer"
)

// TestHiddenFolderIsNotRead checks that a filter by a folder that the caller may not see finds nothing,
// without any query.
func TestHiddenFolderIsNotRead(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		d := database.New(db, name)
		err := d.Entry.Create().SetPath("hidden/a").SetName("a").SetNameKey([]byte("a")).SetKind(KindFile).
			Exec(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		c := New(d, access.Scope{})
		if err := c.Filter(t.Context(), Filter{Folder: "/hidden"}); err != nil {
			t.Fatal(err)
		}
		if len(c.Candidates) != 0 || c.Candidates == nil {
			t.Errorf("candidates %v, expected none", c.Candidates)
		}
		n, err := d.Entry.Query().Where(c.Predicates...).Count(t.Context())
		if err != nil || n != 0 {
			t.Errorf("%d files, %v", n, err)
		}
	})
}

// TestTagsOfAFilterAreLimited checks that a filter takes a few short tags only: each of them is a query.
func TestTagsOfAFilterAreLimited(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		for _, c := range []struct {
			tags []string
			want fault.Code
		}{
			{slices.Repeat([]string{"a"}, maxTags), ""},
			{slices.Repeat([]string{"a"}, maxTags+1), fault.Invalid},
			{[]string{"a", strings.Repeat("b", 2001)}, fault.Invalid},
			{[]string{"a\x00"}, fault.Invalid},
		} {
			err := New(database.New(db, name), access.Everything()).Filter(t.Context(), Filter{Tags: c.tags})
			if c.want == "" && err == nil {
				continue
			}
			if f := fault.Of(err); err == nil || f.Code != c.want || f.Field != "filter.tags" {
				t.Errorf("%d tags: %v, expected %q on filter.tags", len(c.tags), err, c.want)
			}
		}
	})
}

// TestMatching makes the same searches on both databases. The index of words and the condition on rows must
// implement the same rule: each word of the search is the start of a word that is stored for the file or one
// of its folders.
func TestMatching(t *testing.T) {
	texts := []string{
		"Sunset-Beach_2034.png", "IMG2034.jpg", "IMG_0001.JPEG", "img.png image.png", "Großer Plötz.png",
		"GROSSER PLOTZ.png", "日本語の写真.png", "100%.png",
		"a_b.png", "axb.png", "🎉 party.png", "or and not near.png", "NOT.png", "İstanbul.png", "x'y\"z.png",
		"a:b|c&d!.png", "caf\u00e9.png", "cafe\u0301.png",
		"0123456789abcdef0123456789abcdef0123456789abcdef.png", strings.Repeat("long", 30) + ".png", "ab.png", "a.png",
		"",
	}
	// The name of each folder and of its parent. The texts are distributed over all folders.
	folders := [][2]string{{"Tōkyō Trip", ""}, {"Day-2 2034", "Tōkyō Trip"}, {"png", ""}, {"写真", "png"}, {"empty", ""}}
	searches := []string{
		"sunset", "unset", "SET", "beach 2034", "2034", "034", "img", "im", "mg", "i", "img jpg", "image img",
		"grosser", "plötz", "plotz", "日", "本日", "写真", "語",
		"100%", "%", "a_b", "a b", "b a", "_", "🎉", "party 🎉", "or", "and not", "NOT", "near or", "istanbul", "x'y",
		"x y z", "a:b|c", "café", "cafe", "CAFÉ png", "png",
		"0123456789abcdef", "f0123", strings.Repeat("long", 30), "longlong", "nothing", "* png", "png*", "-png",
		"\"png\"",
		"tokyo", "okyo trip", "tokyo day", "day tokyo img", "tokyo png", "day 2034", "2034 tokyo png", "png 写", "写真 語",
		"empty", "trip nothing", "a tokyo", "beach day",
	}
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		d := database.New(db, name)
		ids := map[string]int{"": 0}
		add := func(kind int8, parent int, path, text string) int {
			t.Helper()
			e, err := d.Entry.Create().
				SetPath(path).
				SetParentID(parent).
				SetName(text).
				SetNameKey([]byte(path)).
				SetKind(kind).
				SetWords(tokenizer.Index(text)).
				Save(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return e.ID
		}
		for _, f := range folders {
			ids[f[0]] = add(KindFolder, ids[f[1]], "folder "+f[0], f[0])
		}
		var above []string // folder names that apply to each text
		for i, text := range texts {
			f := folders[i%4]
			add(KindFile, ids[f[0]], text, text)
			above = append(above, tokenizer.Index(f[0], f[1]))
		}
		paths := func(where func(c *Conditions)) []string {
			t.Helper()
			c := New(d, access.Everything())
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
			for i, text := range texts {
				stored := strings.Fields(tokenizer.Index(text) + " " + above[i])
				lacks := func(term string) bool {
					return !slices.ContainsFunc(stored, func(w string) bool { return strings.HasPrefix(w, term) })
				}
				if !slices.ContainsFunc(terms, lacks) {
					want = append(want, text)
				}
			}
			found += len(want)
			byIndex := paths(func(c *Conditions) {
				if err := c.Text(t.Context(), KindFile, search); err != nil || c.Candidates == nil {
					t.Fatalf("%q: candidates %v, %v", search, c.Candidates, err)
				}
			})
			byRow := paths(func(c *Conditions) {
				c.common(func(s *entsql.Selector) *entsql.Predicate {
					all := make([]term, len(terms))
					for i, word := range terms {
						all[i] = term{word: word, files: 1}
					}
					return has(s, all)
				})
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

// TestManyMatches searches for words and folders that are common, alone and together. Whichever lists are too
// long, the result must match the condition on rows.
func TestManyMatches(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		const many = MaxCandidates + 100
		d := database.New(db, name)
		insert := "INSERT INTO entries (id, path, parent_id, name, name_key, kind, words) "
		exec := func(statement string) {
			t.Helper()
			if _, err := db.Exec(statement); err != nil {
				t.Fatal(err)
			}
		}
		key := map[bool]string{true: "convert_to(%s, 'UTF8')", false: "CAST(%s AS BLOB)"}[d.IsPostgres()]
		for id, folder := range []string{"", "alpha", "beta", "gamma"} {
			if id > 0 {
				exec(insert + fmt.Sprintf("VALUES (%d, '%s', 0, '%[2]s', "+key+", 0, '%[2]s')", id, folder,
					"'"+folder+"'"))
			}
		}
		exec("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2 * " + fmt.Sprint(many) + ") " +
			insert + "SELECT 10 + i, 'f' || i, CASE WHEN i < " + fmt.Sprint(many) +
			" THEN 1 WHEN i % 50 = 0 THEN 3 ELSE 2 END, 'f' || i, " +
			fmt.Sprintf(key, "'f' || i") + ", 1, 'img' || CASE WHEN i % 1000 = 7 THEN ' rare' ELSE '' END || " +
			"CASE WHEN i >= " + fmt.Sprint(many) + " THEN ' alpha' ELSE ' delta' END FROM n")
		for search, want := range map[string]int{
			"img":              2*many + 1,
			"alpha":            2*many + 1,
			"alpha delta":      many,
			"alpha img":        2*many + 1,
			"beta delta":       0, // both are common, but never occur together
			"gamma delta":      0,
			"gamma":            204 - 1,
			"gamma alpha":      204 - 1,
			"rare":             21,
			"alpha rare delta": 11,
			"beta rare":        10,
		} {
			c := New(d, access.Everything())
			if err := c.Text(t.Context(), KindFile, search); err != nil {
				t.Fatal(err)
			}
			n, _, err := c.Count(t.Context(), KindFile, true, true)
			if err != nil || n != want {
				t.Errorf("%q finds %d, %v, expected %d (candidates: %d)", search, n, err, want, len(c.Candidates))
			}
			if want < MaxCandidates && c.Candidates == nil {
				t.Errorf("%q reads the order, expected a list", search)
			}
		}
	})
}
