package places_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/safelight/safelight/gallery/places"
)

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		latitude, longitude float64
		want                string
	}{
		{35.0116, 135.7681, "JP|Kyoto|Kyoto"},
		{69.66, 18.94, "NO|Troms|Tromsø"},
		{-16.5, 179.99, "FJ|Northern|Labasa"},
		{-16.8, -179.9, "FJ|Northern|Labasa"}, // on the other side of 180 degrees
		{40.7580, -73.9855, "US|New York|New York City"},
		{40.7696, -74.0204, "US|New Jersey|Weehawken"},
		{0, 0, ""},
		{90, 0, ""},
		{-90, 0, ""},
		{-48.9, -123.4, ""}, // the point that is farthest from land
	} {
		city, ok := places.Nearest(c.latitude, c.longitude)
		if got := city.Place.String(); got != c.want || ok != (c.want != "") {
			t.Errorf("%g, %g is near %q, expected %q", c.latitude, c.longitude, got, c.want)
		}
	}
}

// TestNearestOfAll compares the search with the definition: no city is nearer.
func TestNearestOfAll(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	all := places.Search("san", 5000)
	for range 50 {
		latitude, longitude := random.Float64()*130-60, random.Float64()*360-180
		found, ok := places.Nearest(latitude, longitude)
		distance := 150.0
		if ok {
			distance = places.Distance(latitude, longitude, found.Latitude, found.Longitude)
		}
		for _, other := range all {
			d := places.Distance(latitude, longitude, other.Latitude, other.Longitude)
			if d < distance && distance > 30 { // no city has a larger radius
				t.Errorf("%g, %g: %s is at %.1f km, %s at %.1f", latitude, longitude, other.City, d, found.City,
					distance)
			}
		}
	}
}

func TestFind(t *testing.T) {
	for name, want := range map[string]string{
		"Paris":          "FR|Île-de-France|Paris",
		"paris, texas":   "US|Texas|Paris",
		"Paris, US":      "US|Texas|Paris", // the largest one there
		"malaga":         "ES|Andalusia|Málaga",
		"SAO PAULO":      "BR|São Paulo|São Paulo",
		"Cambridge, UK":  "GB|England|Cambridge",
		"Kyoto , Japan ": "JP|Kyoto|Kyoto",
		"Kyoto, France":  "",

		"washington,d.c.":               "US|District of Columbia|Washington, D.C.",
		"Washington, D.C., USA":         "US|District of Columbia|Washington, D.C.",
		"Basford, Stoke-on-Trent":       "GB|England|Basford, Stoke-on-Trent",
		"Basford, Stoke-on-Trent, Peru": "",
		"Washington, D":                 "",

		"Nowhereville": "",
		" , ":          "",
	} {
		city, ok := places.Find(name)
		if got := city.Place.String(); got != want || ok != (want != "") {
			t.Errorf("%q is %q, expected %q", name, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	for stored, want := range map[string]string{
		"JP|Kyoto|Kyoto":         "Kyoto, JP",
		"US|Kentucky|Paris":      "Paris, Kentucky, US",
		"US|Texas|Paris":         "Paris, Texas, US", // although it is the largest one
		"FR|Île-de-France|Paris": "Paris, FR",
		"JP|Kyoto|":              "Kyoto, JP",
		"JP||":                   "JP",
	} {
		place, ok := places.Parse(stored)
		if got := place.Name(); !ok || got != want || place.String() != stored {
			t.Errorf("%s is called %q, expected %q", stored, got, want)
		}
		if whole, _ := places.NewQuery(want).Matches(place.Folded()); !whole {
			t.Errorf("%s is not found by its name %q", stored, want)
		}
	}
	if _, ok := places.Parse("JP"); ok {
		t.Error("a place without parts is one")
	}
}

// TestNamesOfAll finds all cities by their own names, including names with a comma.
func TestNamesOfAll(t *testing.T) {
	for i, city := range places.Search("a", math.MaxInt) {
		if i%50 > 0 && !strings.Contains(city.City, ",") {
			continue
		}
		name := city.Name()
		found, ok := places.Find(name)
		if !ok || found.Name() != name || found.People < city.People {
			t.Errorf("%q is %v, expected %v or a larger one of this name", name, found, city)
		}
		if whole, _ := places.NewQuery(name).Matches(city.Place.Folded()); !whole {
			t.Errorf("%v is not found by its name %q", city, name)
		}
	}
}

func TestMatches(t *testing.T) {
	kyoto := places.Place{City: "Kyoto", Region: "Kyoto", Country: "JP"}
	york := places.Place{City: "New York City", Region: "New York", Country: "US"}
	for _, c := range []struct {
		place       places.Place
		name        string
		whole, some bool
	}{
		{kyoto, "kyoto", true, true},
		{kyoto, "Japan", true, true},
		{kyoto, "jp", true, true},
		{kyoto, "Kyoto, JP", true, true},
		{kyoto, "kyo", false, true},
		{kyoto, "japan kyo", false, true},
		{kyoto, "Osaka", false, false},
		{kyoto, "Kyoto, China", false, false},
		{kyoto, "yoto", false, true}, // part of a word, as in all searches
		{kyoto, "yot osa", false, false},
		{york, "york", false, true},
		{york, "New York", true, true},
		{york, "usa", true, true},
		{york, ",", false, false},
	} {
		if whole, some := places.NewQuery(c.name).Matches(c.place.Folded()); whole != c.whole || some != c.some {
			t.Errorf("%v, %q: %t, %t, expected %t, %t", c.place, c.name, whole, some, c.whole, c.some)
		}
	}
}

func TestSearch(t *testing.T) {
	for text, want := range map[string]string{
		"tok":     "Tokyo, JP",
		"york":    "York, GB",
		"new yor": "New York City, US",
		"paulo":   "Paulo Afonso, BR",
	} {
		if list := places.Search(text, 1); len(list) != 1 || list[0].Name() != want {
			t.Errorf("%q suggests %v, expected %s", text, list, want)
		}
	}
	if list := places.Search(" ", 5); len(list) != 0 {
		t.Errorf("no text suggests %v", list)
	}
}

func TestCommon(t *testing.T) {
	kyoto := places.Place{City: "Kyoto", Region: "Kyoto", Country: "JP"}
	for _, c := range []struct{ other, want places.Place }{
		{kyoto, kyoto},
		{places.Place{City: "Uji", Region: "Kyoto", Country: "JP"}, places.Place{Region: "Kyoto", Country: "JP"}},
		{places.Place{City: "Kobe", Region: "Hyōgo", Country: "JP"}, places.Place{Country: "JP"}},
		{places.Place{City: "Oslo", Region: "Oslo", Country: "NO"}, places.Place{}},
	} {
		if got := kyoto.Common(c.other); got != c.want {
			t.Errorf("%v and %v have %v in common, expected %v", kyoto, c.other, got, c.want)
		}
	}
}

func TestPoint(t *testing.T) {
	for _, c := range []struct {
		latitude, longitude float64
		want                places.Point
	}{
		{0, 0, places.Point{X: places.Side / 2, Y: places.Side / 2}},
		{0, -180, places.Point{Y: places.Side / 2}},
		{0, 180, places.Point{X: places.Side - 1, Y: places.Side / 2}},
		{90, 0, places.Point{X: places.Side / 2}},
		{-90, 0, places.Point{X: places.Side / 2, Y: places.Side - 1}},
	} {
		if got := places.PointOf(c.latitude, c.longitude); got != c.want {
			t.Errorf("%g, %g is at %v, expected %v", c.latitude, c.longitude, got, c.want)
		}
	}
	for _, latitude := range []float64{-85, -33.87, 0.5, 35.01, 69.65, 84.9} {
		for _, longitude := range []float64{-179.9, -0.1, 135.77, 179.9} {
			back, east := places.PointOf(latitude, longitude).Degrees()
			if math.Abs(back-latitude) > 1e-6 || math.Abs(east-longitude) > 1e-6 {
				t.Errorf("%g, %g became %g, %g", latitude, longitude, back, east)
			}
		}
	}
}

// TestAround compares the boxes of a circle with the distance: at the equator, far north, across 180 degrees
// and at the poles.
func TestAround(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct{ latitude, longitude, kilometers float64 }{
		{0, 0, 25}, {51.5, 0, 500}, {69.6, 18.9, 100}, {-17, 179.9, 200}, {-17, -179.9, 200}, {83, 20, 900},
		{-84, 0, 300},
		{35.69, 139.69, 2000}, {60, 10, 0.05},
	} {
		boxes := places.Around(c.latitude, c.longitude, c.kilometers)
		degrees, inside := c.kilometers/111*1.4, 0
		for range 2000 {
			latitude := c.latitude + (random.Float64()*2-1)*degrees
			longitude := c.longitude + (random.Float64()*2-1)*min(180, degrees/math.Cos(c.latitude*math.Pi/180)*2)
			longitude -= 360 * math.Floor((longitude+180)/360)
			if math.Abs(latitude) > 85 {
				continue // the edge of the map
			}
			found, p := false, places.PointOf(latitude, longitude)
			for _, b := range boxes {
				found = found || b.Has(p)
			}
			distance := places.Distance(c.latitude, c.longitude, latitude, longitude) / c.kilometers
			if distance < 1 {
				inside++
			}
			if found && distance > 1.04 || !found && distance < 0.96 {
				t.Errorf("%v: %g, %g at %.3f of the radius is inside: %t", c, latitude, longitude, distance, found)
			}
		}
		if inside < 50 {
			t.Errorf("%v: only %d positions were inside", c, inside)
		}
	}
}
