// Package places contains the cities of the world, so that the position of a picture can be named without a
// request to a service: about 47,000 places of GeoNames with at least 5,000 people, and the capitals of
// countries and regions. scripts/places creates the list.
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

// Place is a city, its region and its country. For a group of pictures, City and Region may be empty.
type Place struct {
	City    string
	Region  string // the top-level division of a country, such as a state; empty if there is none
	Country string // ISO 3166-1 alpha-2
}

// City is a place with its position in degrees.
type City struct {
	Place

	Latitude, Longitude float64
	People              int
}

// list is the content of the file. The cities are sorted from south to north.
type list struct {
	cities    []City
	folded    []string            // names of the cities, folded for comparisons
	countries map[string][]string // folded code and names, by code
	regions   map[string][]string // regions of the cities with a name, by country code and folded name
}

var load = sync.OnceValue(func() *list {
	l, err := parse(zipped)
	if err != nil {
		panic(fmt.Sprintf("the list of cities is damaged: %v", err)) // the list is embedded in the program
	}
	return l
})

// parse reads blocks, one for each country: `=CODE<tab>name<tab>other names`, then its regions, `-name`, each
// followed by its cities, `name<tab>latitude<tab>longitude<tab>people`.
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
	farthest = 150 // kilometers from a city within which its name is used
	widest   = 30  // kilometers; no city has a larger radius
)

// radius estimates the radius of a city in kilometers, with 10,000 people per square kilometer.
func (c City) radius() float64 { return math.Sqrt(float64(max(c.People, 1)) / 10_000 / math.Pi) }

// Nearest returns the city that contains a position in degrees, according to its radius. For example, midtown
// Manhattan is in New York, although the center of Weehawken is nearer. If no city contains the position,
// Nearest returns the nearest city, or false if there is none within 150 km.
func Nearest(latitude, longitude float64) (City, bool) {
	l := load()
	here, _ := slices.BinarySearchFunc(l.cities, latitude, func(c City, to float64) int {
		return cmp.Compare(c.Latitude, to)
	})
	best, least := City{}, float64(1+farthest)
	try := func(i int) bool { // reports whether cities farther away may be better
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

// earthRadius in kilometers, of a sphere with the earth's volume.
const (
	earthRadius = 6371.0
	kmPerDegree = earthRadius * math.Pi / 180
)

// Distance returns the distance in kilometers between two positions in degrees, by the haversine formula.
func Distance(latitude, longitude, toLatitude, toLongitude float64) float64 {
	const degree = math.Pi / 180
	a := math.Sin((toLatitude - latitude) * degree / 2)
	b := math.Sin((toLongitude - longitude) * degree / 2)
	h := a*a + math.Cos(latitude*degree)*math.Cos(toLatitude*degree)*b*b
	return 2 * earthRadius * math.Asin(math.Sqrt(min(1, h)))
}

// Find returns the city with a name, such as `Paris` or `Paris, Texas`. If several cities match, it returns
// the largest. Parts after a comma are regions or countries, by name or code, unless they are part of the
// name: `Washington, D.C.`.
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

// Search returns at most limit cities whose names contain all words of a text. Names that start with the text
// come first, then larger cities.
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

// hasWords reports whether a folded text contains all words.
func hasWords(folded string, words []string) bool {
	return len(words) > 0 &&
		!slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(folded, word) })
}

// between is the separator that fold puts between the parts of a name.
const between = ", "

// fold normalizes a name for comparisons: folded, with one space after each comma and without empty parts.
func fold(name string) string {
	var parts []string
	for part := range strings.SplitSeq(name, ",") {
		if part = tokenizer.Fold(strings.TrimSpace(part)); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, between)
}

// cutName returns the rest of a text after a name; both are folded. It returns false if the text does not
// start with the name.
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

// areAll reports whether a folded text consists only of names. names must be sorted by length, longest first.
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

// separator separates the parts of a stored place. Names do not contain it.
const separator = "|"

// String encodes the place for storage: country, region and city. Parse decodes it.
func (p Place) String() string {
	if p.Country == "" {
		return ""
	}
	return strings.Join([]string{p.Country, p.Region, p.City}, separator)
}

// Parse decodes a stored place. It returns false for anything else.
func Parse(stored string) (Place, bool) {
	parts := strings.Split(stored, separator)
	if len(parts) != 3 {
		return Place{}, false
	}
	return Place{parts[2], parts[1], parts[0]}, true
}

// Name returns the search term that finds the place: `Kyoto, JP`, or a country code. It includes the region
// of a city if the country has another city with the same name.
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

// Query is the name of a place to search for, such as `Kyoto`, `Kyoto, Japan` or `jp`. It is prepared for
// comparison with many places.
type Query struct {
	folded string
	words  []string
}

// NewQuery returns the query of a name.
func NewQuery(name string) Query { return Query{fold(name), tokenizer.Split(name)} }

// Folded holds the folded names of a place, for comparison with many queries.
type Folded struct {
	city  string
	wider []string // region and country, the longest first
	all   string
}

// Folded folds the names of the place.
func (p Place) Folded() Folded {
	city, wider := fold(p.City), p.widerNames()
	return Folded{city, wider, city + " " + strings.Join(wider, " ")}
}

// Matches reports how well the query matches a place. whole: it is the name of its city, region or country.
// some: these names contain all of its words.
func (q Query) Matches(p Folded) (whole, some bool) {
	if q.folded == "" {
		return false, false
	}
	rest, isCity := cutName(q.folded, p.city)
	whole = isCity && areAll(rest, p.wider) || areAll(q.folded, p.wider)
	return whole, hasWords(p.all, q.words)
}

// Common returns what two places have in common: the whole place, region and country, the country, or
// nothing.
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
