package bitmaps

import (
	"database/sql"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/safelight/safelight/gallery/words"
)

// The terms of other facts of a file. All blocks have them.
const (
	files       = factPrefix + "file" // all of them
	Landscape   = factPrefix + "landscape"
	Portrait    = factPrefix + "portrait"
	Square      = factPrefix + "square"
	Favorite    = factPrefix + "favorite"
	NotFavorite = factPrefix + "notfavorite"
	Gps         = factPrefix + "gps"
	NoGps       = factPrefix + "nogps"
	Broken      = factPrefix + "broken"
	NotBroken   = factPrefix + "notbroken"
	maxRating   = 5
)

// Rating returns the term of a rating, 0 to 5.
func Rating(stars int) string { return factPrefix + "rated" + strconv.Itoa(stars) }

// factTerms are the terms that are one set in each block.
func factTerms() []string {
	list := []string{files, Templates, Previews, Landscape, Portrait, Square, Favorite, NotFavorite, Gps, NoGps, Broken, NotBroken}
	for stars := range maxRating + 1 {
		list = append(list, Rating(stars))
	}
	return list
}

// isFact reports whether a term may change without a change of words, type, tags, folder or visibility. Such changes are logged apart: the first
// analysis of a large library makes very many.
func isFact(term string) bool {
	return strings.HasPrefix(term, factPrefix) && term != files && term != Templates && term != Previews && term != Column("parent_id")
}

// Range selects files by the number that they have in a column, from Low to High. Files without a number are left out.
type Range struct {
	Column    string // as in the table of entries
	Low, High int64
}

// facts are what read returns of a file beside its words and type.
type facts struct {
	flags   int64
	numbers [7]sql.NullInt64 // as columns
	lab     [3]sql.NullFloat64
}

// The flags of facts. The rating is what is left after division by flagRating.
const (
	flagTemplate = 1 << iota
	flagPreview
	flagFavorite
	flagGps
	flagBroken
	flagRating
)

// factColumns returns the columns of facts, as SQL.
func (k *Keeper) factColumns() string {
	template := "meta_state = 3 AND " + words.TemplateSQL(k.db.Dialect(), "name")
	preview := words.PreviewSQL(k.db.Dialect(), "name")
	flags := fmt.Sprintf("CAST(rating AS BIGINT) * %d", flagRating)
	for _, f := range []struct {
		flag int
		when string
	}{{flagTemplate, template}, {flagPreview, preview}, {flagFavorite, "favorite"}, {flagGps, "has_gps"}, {flagBroken, "meta_state = 4"}} {
		flags += fmt.Sprintf(" + CASE WHEN %s THEN %d ELSE 0 END", f.when, f.flag)
	}
	return flags + ", " + strings.Join(columns, ", ") + ", ok_l, ok_a, ok_b"
}

// noFacts are as many columns as factColumns returns, for rows of other kinds.
var noFacts = "0" + strings.Repeat(", 0", len(columns)) + ", 0.0, 0.0, 0.0"

func (f *facts) targets() []any {
	list := []any{&f.flags}
	for i := range f.numbers {
		list = append(list, &f.numbers[i])
	}
	return append(list, &f.lab[0], &f.lab[1], &f.lab[2])
}

// takeFacts takes the facts of a file.
func (b *block) takeFacts(f *facts, at uint16) {
	either := func(has bool, yes, no string) {
		if !has {
			yes = no
		}
		if yes != "" {
			b.addTerm(yes, at)
		}
	}
	b.addTerm(files, at)
	either(f.flags&flagTemplate != 0, Templates, "")
	either(f.flags&flagPreview != 0, Previews, "")
	either(f.flags&flagFavorite != 0, Favorite, NotFavorite)
	either(f.flags&flagGps != 0, Gps, NoGps)
	either(f.flags&flagBroken != 0, Broken, NotBroken)
	b.addTerm(Rating(int(f.flags/flagRating)), at)
	if width, height := f.numbers[1].Int64, f.numbers[2].Int64; width > 0 {
		either(width > height, Landscape, "")
		either(width < height, Portrait, "")
		either(width == height, Square, "")
	}
	for i, n := range f.numbers {
		if n.Valid {
			b.numbers[i] = append(b.numbers[i], valued{n.Int64, at})
		}
	}
	if f.lab[0].Valid && f.lab[1].Valid && f.lab[2].Valid {
		for len(b.colours) <= int(at) {
			b.colours = append(b.colours, noColour)
		}
		b.colours[at] = cell([3]float64{f.lab[0].Float64, f.lab[1].Float64, f.lab[2].Float64})
	}
}

// Least and Most are the bounds of a range that has one on the other side only.
const (
	Least int64 = math.MinInt64
	Most  int64 = math.MaxInt64
)
