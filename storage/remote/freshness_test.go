package remote

import (
	"net/http"
	"testing"
	"time"

	"github.com/safelight/safelight/fault"
)

// clock is a time that only the test moves.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// validated is a picture with validators whose headers and body the test changes.
type validated struct {
	body, etag, modified, control string
	status                        int // 0: as the validators say
	full, unchanged               int
}

func (v *validated) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, value := range map[string]string{"Etag": v.etag, "Last-Modified": v.modified,
		"Cache-Control": v.control} {
		if value != "" {
			w.Header().Set(name, value)
		}
	}
	none, since := r.Header.Get("If-None-Match"), r.Header.Get("If-Modified-Since")
	switch {
	case v.status != 0:
		w.WriteHeader(v.status)
	case none != "" && none == v.etag || none == "" && since != "" && since == v.modified:
		v.unchanged++
		w.WriteHeader(http.StatusNotModified)
	default:
		v.full++
		_, _ = w.Write([]byte(v.body))
	}
}

func TestRevalidation(t *testing.T) {
	const date = "Wed, 01 Jan 2025 00:00:00 GMT"
	for name, v := range map[string]*validated{
		"etag":     {etag: `"1"`},
		"weak":     {etag: `W/"1"`},
		"modified": {modified: date},
		"both":     {etag: `"1"`, modified: date},
		"no-cache": {etag: `"1"`, control: "no-cache, max-age=60"},
	} {
		t.Run(name, func(t *testing.T) {
			v.body = "one"
			s := serve(t, "127.0.0.1", v.ServeHTTP)
			f := fetcher(t, Config{}, s)
			first, again := get(t, f, s.URL), get(t, f, s.URL)
			if v.full != 1 || v.unchanged != 1 || string(again.Data) != "one" || again.ETag != first.ETag {
				t.Errorf("%d full and %d unchanged, got %q", v.full, v.unchanged, again.Data)
			}
			v.body, v.etag, v.modified = "two", `"2"`, "Thu, 02 Jan 2025 00:00:00 GMT"
			if o := get(t, f, s.URL); string(o.Data) != "two" || o.ETag == first.ETag {
				t.Errorf("got %q after a change", o.Data)
			}
		})
	}
}

func TestFreshness(t *testing.T) {
	c := &clock{at: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	v := &validated{body: "one", etag: `"1"`, control: "public, max-age=60"}
	s := serve(t, "127.0.0.1", v.ServeHTTP)
	f := fetcher(t, Config{hooks: hooks{now: c.now}}, s)
	for i, step := range []struct {
		after           time.Duration
		control         string
		full, unchanged int
	}{
		{0, "public, max-age=60", 1, 0},
		{59 * time.Second, "", 1, 0},
		{time.Second, "", 1, 1},
		{59 * time.Second, "max-age=999999999999", 1, 1}, // the 304 said nothing, so it is 60 again
		{time.Second, "max-age=999999999999", 1, 2},
		{maxFresh - time.Second, "no-store", 1, 2},
		{time.Second, "no-store", 1, 3},
		{0, "no-store", 2, 3},
		{0, "no-store", 3, 3},
	} {
		c.at = c.at.Add(step.after)
		v.control = step.control
		get(t, f, s.URL)
		if v.full != step.full || v.unchanged != step.unchanged {
			t.Errorf(
				"step %d: %d full and %d unchanged, expected %d and %d", i, v.full, v.unchanged, step.full,
				step.unchanged,
			)
		}
	}
}

func TestForgets(t *testing.T) {
	v := &validated{body: "one", etag: `"1"`}
	s := serve(t, "127.0.0.1", v.ServeHTTP)
	f := fetcher(t, Config{}, s)
	get(t, f, s.URL)
	v.status = http.StatusInternalServerError
	refused(t, f, s.URL, fault.Unavailable)
	v.status = 0
	get(t, f, s.URL)
	if v.unchanged != 1 {
		t.Error("a failure of the host has made it forget")
	}
	v.status = http.StatusNotFound
	refused(t, f, s.URL, fault.NotFound)
	v.status = 0
	get(t, f, s.URL)
	if v.full != 2 {
		t.Error("it kept what is gone")
	}
}

// TestRevalidationBehindRedirect checks that validators go to the URL that gave them only, and that a redirect that
// may not be kept is asked for each time.
func TestRevalidationBehindRedirect(t *testing.T) {
	v := &validated{body: "one", etag: `"1"`, control: "max-age=60"}
	end := serve(t, "127.0.0.1", v.ServeHTTP)
	leaked := false
	s := serve(t, "127.0.0.1", func(w http.ResponseWriter, r *http.Request) {
		leaked = leaked || r.Header.Get("If-None-Match") != ""
		w.Header().Set("Location", end.URL)
		w.WriteHeader(http.StatusFound)
	})
	f := fetcher(t, Config{}, s, end)
	get(t, f, s.URL)
	if o := get(t, f, s.URL); string(o.Data) != "one" || v.full != 1 || v.unchanged != 1 || leaked {
		t.Errorf("%d full and %d unchanged, leaked %t", v.full, v.unchanged, leaked)
	}
}

func TestReadPolicy(t *testing.T) {
	for _, c := range []struct {
		control, age string
		want         policy
	}{
		{"", "", policy{stated: true}},
		{"max-age=10", "", policy{stated: true, fresh: 10 * time.Second}},
		{`Public , MAX-AGE = "10"`, "", policy{stated: true, fresh: 10 * time.Second}},
		{"max-age=10", "4", policy{stated: true, fresh: 6 * time.Second}},
		{"max-age=10", "40", policy{stated: true}},
		{"max-age=-1", "", policy{stated: true}},
		{"max-age=ten", "", policy{stated: true}},
		{"max-age", "", policy{stated: true}},
		{"max-age=99999999999999999999", "", policy{stated: true, fresh: 24 * time.Hour}},
		{"no-cache, max-age=10", "", policy{stated: true}},
		{"max-age=10, No-Store", "", policy{stated: true, noStore: true}},
	} {
		if got := readPolicy(http.Header{"Cache-Control": {c.control}, "Age": {c.age}}); got != c.want {
			t.Errorf("%q: got %+v, expected %+v", c.control, got, c.want)
		}
	}
	if got := readPolicy(http.Header{}); got != (policy{}) {
		t.Errorf("nothing: got %+v", got)
	}
}
