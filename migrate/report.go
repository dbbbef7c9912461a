package migrate

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"io"
	"sort"
	"strings"
)

// Config configures Run.
type Config struct {
	From    Product // product of every URL; empty: guessed for each URL
	Prefix  string  // path prefix of the product's URLs, such as /images; other URLs are ignored
	JSON    bool    // one JSON object per line, with the summary last
	Summary bool    // the summary only
}

// maxKinds is the max number of entries of each list of a Summary.
const maxKinds = 1000

// Count is a text with the number of URLs to which it applies.
type Count struct {
	Text string `json:"text"`
	URLs int    `json:"urls"`
}

// Summary counts what Run has read. A repeated URL is counted only in Requests.
type Summary struct {
	Lines    int `json:"lines"`
	Requests int `json:"requests"` // for images; excludes lines without a URL, other methods and failed requests
	URLs     int `json:"urls"`     // distinct URLs that were recognized
	Same     int `json:"same"`
	Differ   int `json:"differ"`
	Refused  int `json:"refused"`
	Others   int `json:"others"` // distinct URLs that were not recognized

	Products    []Count `json:"products"`
	Differences []Count `json:"differences"` // by filter, option or parameter
	Reasons     []Count `json:"reasons"`     // why URLs are refused
	Needs       []Count `json:"needs"`       // settings
}

// Code returns the exit code: 0 if all results are the same, 2 if some differ, and 3 if some URLs are refused.
func (s Summary) Code() int {
	switch {
	case s.Refused > 0:
		return 3
	case s.Differ > 0:
		return 2
	}
	return 0
}

// run is the state of Run.
type run struct {
	Config
	out     io.Writer
	err     error // error of the first write that failed
	seed    maphash.Seed
	seen    map[uint64]bool
	summary Summary
	counts  [4]map[string]int // counts of products, differences, reasons and needs
}

// Run translates every URL of in, which is a list or an access log, and writes a report to out: each distinct URL once,
// then a summary. It returns errors of reading and writing.
func Run(in io.Reader, out io.Writer, c Config) (Summary, error) {
	r := &run{Config: c, out: out, seed: maphash.MakeSeed(), seen: map[uint64]bool{}}
	for i := range r.counts {
		r.counts[i] = map[string]int{}
	}
	if err := lines(in, r.line); err != nil {
		return r.summary, err
	}
	for i, list := range []*[]Count{&r.summary.Products, &r.summary.Differences, &r.summary.Reasons, &r.summary.Needs} {
		*list = sorted(r.counts[i])
	}
	r.writeSummary()
	return r.summary, r.err
}

// line processes one line.
func (r *run) line(line string) {
	r.summary.Lines++
	url, ok := urlOf(line)
	if !ok {
		return
	}
	path, query := split(url)
	if prefix := strings.Trim(r.Prefix, "/"); prefix != "" {
		if path, ok = strings.CutPrefix(path, prefix+"/"); !ok {
			return
		}
	}
	if query != "" {
		path += "?" + query
	}
	r.summary.Requests++
	hash := maphash.String(r.seed, path)
	if r.seen[hash] {
		return
	}
	r.seen[hash] = true
	result, ok := Translate("/"+path, r.From)
	if !ok {
		r.summary.Others++
		return
	}
	result.URL = url
	r.count(result)
	if !r.Summary {
		r.writeResult(result)
	}
}

// count adds a result to the summary.
func (r *run) count(result Result) {
	s := &r.summary
	s.URLs++
	switch result.Verdict {
	case Same:
		s.Same++
	case Differs:
		s.Differ++
	case Refused:
		s.Refused++
		r.tally(2, result.Reason)
	}
	r.tally(0, string(result.From))
	subjects := map[string]bool{}
	for _, d := range result.Differences {
		subjects[d.Subject] = true
	}
	for subject := range subjects {
		r.tally(1, subject)
	}
	for _, need := range result.Needs {
		r.tally(3, need)
	}
}

func (r *run) tally(list int, text string) {
	if counts := r.counts[list]; counts[text] > 0 || len(counts) < maxKinds {
		counts[text]++
	}
}

// sorted returns counts in descending order.
func sorted(counts map[string]int) []Count {
	list := make([]Count, 0, len(counts))
	for text, n := range counts {
		list = append(list, Count{text, n})
	}
	sort.Slice(list, func(i, j int) bool {
		a, b := list[i], list[j]
		return a.URLs > b.URLs || a.URLs == b.URLs && a.Text < b.Text
	})
	return list
}

// printf writes text. After an error, it does nothing.
func (r *run) printf(format string, args ...any) {
	if r.err == nil {
		_, r.err = fmt.Fprintf(r.out, format, args...)
	}
}

// encode writes a line of JSON.
func (r *run) encode(value any) {
	if r.err == nil {
		e := json.NewEncoder(r.out)
		e.SetEscapeHTML(false)
		r.err = e.Encode(value)
	}
}

func (r *run) writeResult(result Result) {
	if r.JSON {
		r.encode(result)
		return
	}
	r.printf("%-8s %s\n", result.Verdict, result.URL)
	if result.Path != "" && (result.From == Imgproxy || result.From == Imaginary) {
		r.printf("         here: %s\n", result.Path)
	}
	for _, d := range result.Differences {
		r.printf("         %s: %s\n", d.Subject, d.Text)
	}
	if result.Reason != "" {
		r.printf("         %s\n", result.Reason)
	}
}

func (r *run) writeSummary() {
	s := r.summary
	if r.JSON {
		r.encode(struct {
			Summary Summary `json:"summary"`
		}{s})
		return
	}
	r.printf("\n%d lines, %d requests, %d different image URLs: %d same, %d differ, %d refused; %d other URLs\n",
		s.Lines, s.Requests, s.URLs, s.Same, s.Differ, s.Refused, s.Others)
	for _, part := range []struct {
		title string
		list  []Count
	}{{"from", s.Products}, {"differs", s.Differences}, {"refused", s.Reasons}, {"needs", s.Needs}} {
		for _, c := range part.list {
			r.printf("%8d  %s: %s\n", c.URLs, part.title, c.Text)
		}
	}
}
