// Package places knows the cities of the world, so that the position of a picture has a name without a request to
// anybody: about 47,000 places of GeoNames with at least 5,000 people, and the capitals of countries and regions.
// scripts/places makes the list.
package places

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/safelight/safelight/gallery/tokenizer"
)

//go:embed cities.txt.gz
var zipped []byte

// Place is a city, its region and its country. In a name of a group of pictures, City and Region may be empty.
type Place struct {
	City    string
	Region  string // the largest part of a country, such as a state; empty if it has none
	Country string // ISO 3166-1 alpha-2
}

// City is a place with its position in degrees.
type City struct {
	Place

	Latitude, Longitude float64
	People              int
}

// list is what the file holds, with the cities from south to north.
type list struct {
	cities    []City
	folded    []string            // the names of the cities, for comparisons
	countries map[string][]string // the folded code and names, by code
	regions   map[string][]string // of the cities of a name, by the code of the country and the folded name
}

var load = sync.OnceValue(func() *list {
	l, err := parse(zipped)
	if err != nil {
		panic(fmt.Sprintf("the list of cities is damaged: %v", err)) // it is a part of the program
	}
	return l
})

// parse reads blocks of a country, `=CODE<tab>name<tab>other names`, with its regions, `-name`, and their cities,
// `name<tab>latitude<tab>longitude<tab>people`.
func parse(zipped []byte) (*list, error) {
	text, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		return nil, err
	}
	l := &list{countries: map[string][]string{}, regions: map[string][]string{}}
	country, region := "", ""
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		switch {
		case strings.HasPrefix(fields[0], "="):
			country = fields[0][1:]
			for _, name := range append([]string{country}, fields[1:]...) {
				for part := range strings.SplitSeq(name, ",") {
					l.countries[country] = append(l.countries[country], fold(part))
				}
			}
		case strings.HasPrefix(fields[0], "-"):
			region = fields[0][1:]
		default:
			city, err := parseCity(fields)
			if err != nil {
				return nil, err
			}
			city.Place = Place{City: fields[0], Region: region, Country: country}
			l.cities = append(l.cities, city)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(l.cities, func(a, b City) int { return cmp.Compare(a.Latitude, b.Latitude) })
	for _, c := range l.cities {
		folded := fold(c.City)
		l.folded = append(l.folded, folded)
		if key := c.Country + folded; !slices.Contains(l.regions[key], c.Region) {
			l.regions[key] = append(l.regions[key], c.Region)
		}
	}
	return l, nil
}

func parseCity(fields []string) (c City, err error) {
	if len(fields) != 4 {
		return c, fmt.Errorf("%d fields in %q", len(fields), fields)
	}
	for i, to := range []*float64{&c.Latitude, &c.Longitude} {
		if *to, err = strconv.ParseFloat(fields[i+1], 64); err != nil {
			return c, err
		}
	}
	c.People, err = strconv.Atoi(fields[3])
	return c, err
}

const (
	farthest = 150 // kilometers from a city to where its name still says something
	widest   = 30  // kilometers that the radius of no city exceeds
)

// radius returns how many kilometers a city reaches, about: as far as 10,000 people to a square kilometer take.
func (c City) radius() float64 { return math.Sqrt(float64(max(c.People, 1)) / 10_000 / math.Pi) }

// Nearest returns the city that a position in degrees is in, by its radius: midtown Manhattan is in New York, although
// the center of Weehawken is nearer. Elsewhere it is the nearest city; false if none is within 150 km.
func Nearest(latitude, longitude float64) (City, bool) {
	l := load()
	here, _ := slices.BinarySearchFunc(l.cities, latitude, func(c City, to float64) int {
		return cmp.Compare(c.Latitude, to)
	})
	best, least := City{}, float64(1+farthest)
	try := func(i int) bool { // reports whether cities beyond may be better
		c := l.cities[i]
		if math.Abs(c.Latitude-latitude)*kmPerDegree > max(least, widest) {
			return false
		}
		rank := Distance(latitude, longitude, c.Latitude, c.Longitude)
		if r := c.radius(); rank < r {
			rank /= r
		} else {
			rank++
		}
		if rank < least {
			best, least = c, rank
		}
		return true
	}
	for i := here; i < len(l.cities) && try(i); i++ {
	}
	for i := here - 1; i >= 0 && try(i); i-- {
	}
	return best, best.City != ""
}

// earthRadius is in kilometers, of a sphere of the earth's volume.
const (
	earthRadius = 6371.0
	kmPerDegree = earthRadius * math.Pi / 180
)

// Distance returns the kilometers between two positions in degrees, by the haversine formula.
func Distance(latitude, longitude, toLatitude, toLongitude float64) float64 {
	const degree = math.Pi / 180
	a := math.Sin((toLatitude - latitude) * degree / 2)
	b := math.Sin((toLongitude - longitude) * degree / 2)
	h := a*a + math.Cos(latitude*degree)*math.Cos(toLatitude*degree)*b*b
	return 2 * earthRadius * math.Asin(math.Sqrt(min(1, h)))
}

// Find returns the city of a name, such as `Paris` or `Paris, Texas`: the largest one if several have it. Parts after a
// comma are regions or countries, by name or code, unless they belong to the name: `Washington, D.C.`.
func Find(name string) (City, bool) {
	l, text, best := load(), fold(name), -1
	better := func(i int) bool {
		return best < 0 || cmp.Or(
			cmp.Compare(len(l.folded[i]), len(l.folded[best])), cmp.Compare(l.cities[i].People, l.cities[best].People),
		) > 0
	}
	for i, folded := range l.folded {
		if rest, ok := cutName(text, folded); ok && better(i) && areAll(rest, l.cities[i].widerNames()) {
			best = i
		}
	}
	if best < 0 {
		return City{}, false
	}
	return l.cities[best], true
}

// Search returns the cities in whose names all words of a text occur, at most limit: first those that begin with the
// text, the largest ones first.
func Search(text string, limit int) []City {
	l, words, start := load(), tokenizer.Split(text), fold(text)
	if len(words) == 0 {
		return nil
	}
	var begin, other []City
	for i, folded := range l.folded {
		switch {
		case strings.HasPrefix(folded, start):
			begin = append(begin, l.cities[i])
		case hasWords(folded, words):
			other = append(other, l.cities[i])
		}
	}
	for _, found := range [][]City{begin, other} {
		slices.SortStableFunc(found, func(a, b City) int { return cmp.Compare(b.People, a.People) })
	}
	found := append(begin, other...)
	return found[:min(limit, len(found))]
}

// hasWords reports whether all words occur in a folded text.
func hasWords(folded string, words []string) bool {
	return len(words) > 0 &&
		!slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(folded, word) })
}

// between is what fold puts between the parts of a name.
const between = ", "

// fold returns a name for comparisons: folded, with one space after each comma and without empty parts.
func fold(name string) string {
	var parts []string
	for part := range strings.SplitSeq(name, ",") {
		if part = tokenizer.Fold(strings.TrimSpace(part)); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, between)
}

// cutName returns the parts that follow a name in a text, both folded. It is false if the text does not start with it.
func cutName(text, name string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(text, name)
	if name == "" || !ok {
		return "", false
	}
	if rest == "" {
		return "", true
	}
	return strings.CutPrefix(rest, between)
}

// widerNames returns the folded names of the region and the country, the longest first.
func (p Place) widerNames() []string {
	country, ok := load().countries[p.Country]
	if !ok {
		country = []string{fold(p.Country)}
	}
	names := append([]string{fold(p.Region)}, country...)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return names
}

// areAll reports whether a folded text consists of names, which are sorted by length, the longest first.
func areAll(text string, names []string) bool {
next:
	for text != "" {
		for _, name := range names {
			if rest, ok := cutName(text, name); ok {
				text = rest
				continue next
			}
		}
		return false
	}
	return true
}

// separator is between the parts of a stored place. No name has it.
const separator = "|"

// String returns the place as it is stored: country, region and city. It is what Parse reads.
func (p Place) String() string {
	if p.Country == "" {
		return ""
	}
	return strings.Join([]string{p.Country, p.Region, p.City}, separator)
}

// Parse reads a stored place; false for anything else.
func Parse(stored string) (Place, bool) {
	parts := strings.Split(stored, separator)
	if len(parts) != 3 {
		return Place{}, false
	}
	return Place{parts[2], parts[1], parts[0]}, true
}

// Name returns what finds the place in a search: `Kyoto, JP`, or the code of the country. It names the region of a city
// if the country has another one of this name.
func (p Place) Name() string {
	switch {
	case p.City == "" && p.Region == "":
		return p.Country
	case p.City == "":
		return p.Region + ", " + p.Country
	case p.Region != "" && len(load().regions[p.Country+fold(p.City)]) > 1:
		return p.City + ", " + p.Region + ", " + p.Country
	}
	return p.City + ", " + p.Country
}

// Query is a name of places, such as `Kyoto`, `Kyoto, Japan` or `jp`, to compare with many of them.
type Query struct {
	folded string
	words  []string
}

// NewQuery returns the query of a name.
func NewQuery(name string) Query { return Query{fold(name), tokenizer.Split(name)} }

// Folded has the names of a place folded, to be compared with many queries.
type Folded struct {
	city  string
	wider []string // the region and the country, the longest first
	all   string
}

// Folded folds the names of the place.
func (p Place) Folded() Folded {
	city, wider := fold(p.City), p.widerNames()
	return Folded{city, wider, city + " " + strings.Join(wider, " ")}
}

// Matches reports how well the name says a place: whole if it is that of its city, region or country; some if all of
// its words occur in them.
func (q Query) Matches(p Folded) (whole, some bool) {
	if q.folded == "" {
		return false, false
	}
	rest, isCity := cutName(q.folded, p.city)
	whole = isCity && areAll(rest, p.wider) || areAll(q.folded, p.wider)
	return whole, hasWords(p.all, q.words)
}

// Common returns what two places have in common: all of them, the region and the country, the country, or nothing.
func (p Place) Common(other Place) Place {
	switch {
	case p.Country != other.Country:
		return Place{}
	case p.Region != other.Region:
		return Place{Country: p.Country}
	case p.City != other.City:
		return Place{Region: p.Region, Country: p.Country}
	}
	return p
}
