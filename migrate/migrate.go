// Package migrate translates image URLs of thumbor, imagor, imgproxy and imaginary. For each URL it says whether
// Safelight gives the same result, what differs, or why there is no translation. It does not load images, so
// differences that depend on the size of an image are described in words.
//
// Translate is the entry point; read.go finds URLs in lists and access logs, report.go counts and prints, thumbor.go,
// imgproxy.go and imaginary.go each parse one grammar.
package migrate

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// Product is an image server whose URLs are read.
type Product string

// The products. ThumborFamily means that both thumbor and imagor accept the URL.
const (
	Thumbor       Product = "thumbor"
	Imagor        Product = "imagor"
	ThumborFamily Product = "thumbor or imagor"
	Imgproxy      Product = "imgproxy"
	Imaginary     Product = "imaginary"
)

// ParseProduct returns the product with a name that an operator has typed; fault.Invalid if there is none.
func ParseProduct(name string) (Product, error) {
	for _, p := range []Product{Thumbor, Imagor, Imgproxy, Imaginary} {
		if name == string(p) {
			return p, nil
		}
	}
	return "", fault.OnField(fault.Invalid, "from",
		"the product %s is unknown, expected thumbor, imagor, imgproxy or imaginary", fault.Quote(name))
}

// Verdict is the outcome of translating a URL.
type Verdict string

// The verdicts.
const (
	Same    Verdict = "same"    // geometry, filters and format have the same effect
	Differs Verdict = "differs" // there is a result, but it differs; see Differences
	Refused Verdict = "refused" // it cannot be translated, or the server would respond with an error
)

// Difference is one difference between the results.
type Difference struct {
	Subject string `json:"subject"` // the filter, option or parameter
	Text    string `json:"text"`    // one sentence without a final period
}

// Result is the translation of one URL.
type Result struct {
	URL         string       `json:"url"` // as read
	From        Product      `json:"from"`
	Verdict     Verdict      `json:"verdict"`
	Path        string       `json:"path,omitempty"` // for `safelight url sign`; empty if refused
	Differences []Difference `json:"differences,omitempty"`
	Reason      string       `json:"reason,omitempty"` // why it is refused
	Needs       []string     `json:"needs,omitempty"`  // settings that the URL requires, in words
}

// Translate translates a URL. ok is false if it is not a URL of the product. If from is empty, Translate guesses the
// product.
func Translate(raw string, from Product) (r Result, ok bool) {
	path, query := split(raw)
	switch from {
	case Imgproxy:
		r, ok = translateImgproxy(path)
	case Imaginary:
		r, ok = translateImaginary(path, query)
	case Thumbor, Imagor:
		r, ok = judge(path, query, from)
	default:
		if r, ok = translateImgproxy(path); !ok {
			r, ok = translateImaginary(path, query)
		}
		if !ok {
			r, ok = judge(path, query, "")
		}
	}
	r.URL = raw
	return r, ok
}

// split returns the raw path of a URL or path, without its leading slashes, and its query.
func split(raw string) (path, query string) {
	for _, scheme := range []string{"http://", "https://"} {
		if rest, found := strings.CutPrefix(raw, scheme); found {
			_, raw, _ = strings.Cut(rest, "/")
			break
		}
	}
	raw, _, _ = strings.Cut(raw, "#")
	path, query, _ = strings.Cut(raw, "?")
	return strings.TrimLeft(path, "/"), query
}

// target collects the translation of a URL.
type target struct {
	from    Product
	request imaging.Request
	filters []imaging.Filter
	result  Result
	refused string // why the URL cannot be translated; empty: it can
}

// add appends a filter.
func (t *target) add(name string, args ...any) {
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = fmt.Sprint(a)
	}
	t.filters = append(t.filters, imaging.Filter{Name: name, Args: strings.Join(texts, ",")})
}

// differs records a difference, without duplicates.
func (t *target) differs(subject, format string, args ...any) {
	d := Difference{subject, fmt.Sprintf(format, args...)}
	if !slices.Contains(t.result.Differences, d) {
		t.result.Differences = append(t.result.Differences, d)
	}
}

// needs records a setting that the URL requires, without duplicates.
func (t *target) needs(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(t.result.Needs, text) {
		t.result.Needs = append(t.result.Needs, text)
	}
}

// refuse returns the result for a URL that cannot be translated.
func (t *target) refuse(format string, args ...any) Result {
	return Result{From: t.from, Verdict: Refused, Reason: fmt.Sprintf(format, args...)}
}

// fitIn makes the picture fit into the box.
func (t *target) fitIn(enlarge bool) {
	t.request.Operations.Fit.In = true
	if enlarge {
		t.add("upscale")
	}
}

// fills makes the picture fill the box. That would enlarge it, so it adds no_upscale() unless enlarge is set.
func (t *target) fills(enlarge bool) {
	if !enlarge {
		t.add("no_upscale")
	}
}

// resultFormat returns the format with the given name or, if name is empty, the format of the image's extension. It is
// empty if the format is unknown.
func (t *target) resultFormat(name string) imaging.Format {
	if name == "" {
		name = strings.TrimPrefix(path.Ext(t.request.Image), ".")
	}
	f, _ := imaging.ParseFormat(name)
	return f
}

// finish returns the translation: the canonical path of the collected operations.
func (t *target) finish() Result {
	if t.refused != "" {
		return t.refuse("%s", t.refused)
	}
	t.request.Operations.Filters = imaging.FiltersOf(t.filters...)
	path := t.request.Path()
	if parsed, err := imaging.Parse("unsafe/" + path); err != nil {
		return t.refuse("%s", fault.Of(err).Message)
	} else if reason := refusal(parsed); reason != "" {
		return t.refuse("%s", reason)
	}
	return t.done(path)
}

// done returns the result with the translated path.
func (t *target) done(path string) Result {
	r := t.result
	r.From, r.Path, r.Verdict = t.from, path, Same
	if len(r.Differences) > 0 {
		r.Verdict = Differs
	}
	return r
}

// refusal returns why the server would respond with an error for every image; empty if it would not.
func refusal(r imaging.Request) string {
	calls, _, err := r.Operations.Filters.Calls(false)
	if err != nil {
		return fault.Of(err).Message
	}
	if _, err := imaging.OutputFormat(calls, imaging.JPEG, imaging.Options{}, writable()); err != nil {
		return fault.Of(err).Message
	}
	header := imaging.Header{Format: imaging.JPEG, Width: 4000, Height: 3000, Pages: 1, Bands: 3, Depth: 8,
		Orientation: 1}
	_, err = imaging.NewPlan(header, r.Operations, imaging.DefaultLimits(),
		imaging.PlanOptions{Writable: writable(), Describe: r.Meta})
	if fault.CodeOf(err) == fault.TooLarge {
		return fault.Of(err).Message
	}
	return ""
}

// writable returns the formats that a full build writes.
var writable = sync.OnceValue(func() (list []imaging.Format) {
	for _, f := range imaging.Formats() {
		if f.Saver != "" {
			list = append(list, f.Format)
		}
	}
	return list
})

// source sets the image from its address on the other server: a remote URL, or a path in a storage.
func (t *target) source(address string) error {
	scheme, rest, remote := strings.Cut(address, "://")
	switch {
	case !remote:
		t.request.Image = strings.TrimLeft(address, "/")
	case scheme == "http" || scheme == "https":
		t.request.Image = address
		t.needsHost(address)
	case scheme == "local" || scheme == "file":
		t.request.Image = strings.TrimLeft(rest, "/")
	default: // a bucket
		bucket, key, _ := strings.Cut(rest, "/")
		key, _, _ = strings.Cut(key, "?")
		t.request.Image = key
		t.needs("storage: the files of the bucket %s", bucket)
	}
	// Without encoding, the query would not be part of the path.
	t.request.Base64 = strings.ContainsAny(t.request.Image, "?#")
	return imaging.CheckImage(t.request.Image)
}

// needsHost records that the host of a remote image must be allowed.
func (t *target) needsHost(address string) {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		t.needs("remote-sources: %s", u.Host)
	}
}

// qualityFor returns the argument of quality() that makes the encoder of the format use the quality encoder.
func qualityFor(f imaging.Format, encoder int) int {
	for _, traits := range imaging.Formats() {
		if traits.Format != f || len(traits.QualityScale) == 0 {
			continue
		}
		best := encoder
		for q := 1; q <= 100; q++ {
			if abs(traits.QualityScale.At(q)-encoder) < abs(traits.QualityScale.At(best)-encoder) {
				best = q
			}
		}
		return best
	}
	return encoder
}

func abs(n int) int { return max(n, -n) }
