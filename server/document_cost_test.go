package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql/introspection"
)

// costlyDocument is a request that must be rejected, or answered, cheaply.
type costlyDocument struct {
	name, query string
	variables   string // JSON; empty: none
	code        string // of the first error
}

// times joins what form returns for 0 to n-1.
func times(n int, form string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(form, "#", fmt.Sprint(i)) + " ")
	}
	return b.String()
}

// within nests inside n times between before and after.
func within(n int, before, inside, after string) string {
	return strings.Repeat(before, n) + inside + strings.Repeat(after, n)
}

const refusedByRules = "GRAPHQL_VALIDATION_FAILED"

func costlyDocuments() []costlyDocument {
	long := strings.Repeat("x", 200_000)
	return []costlyDocument{
		{"repeated fields", "{ " + times(2100, "processorStatus { configured }") + "}", "", "INVALID"},
		{"repeated leaves", "{ me { " + times(1900, "id") + "} }", "", "INVALID"},
		{"repeated through inline fragments", "{ me { " + within(15, "... { ", times(100, "id"), "} ") + "} }", "",
			"INVALID"},
		{"repeated through fragments", "{ me { " + times(99, "...F#") + "} } " +
			times(99, "fragment F# on User { id id id }"), "", "INVALID"},
		{"repeated with arguments", "{ " + times(140, `node(id: "`+strings.Repeat("y", 1500)+`") { id }`) + "}", "",
			"INVALID"},
		{"two fields of many arguments", "{ " + strings.Repeat("node("+times(1200, "a#: 1")+") { id } ", 2) + "}", "",
			"INVALID"},
		{"products of repeats", "{ " + times(40, "me { "+times(40, "id")+"}") + "}", "", "INVALID"},
		{"aliases", "{ me { " + times(2500, "a#: id") + "} }", "", "INVALID"},
		{"fields that do not exist", "{ me { " + times(1900, "nothing#") + "} }", "", "INVALID"},
		{"fields that exist elsewhere", "{ me { " + times(1900, "a#: parseProcessorUrl") + "} }", "", refusedByRules},
		{"types that do not exist", "{ me { " + times(1500, "... on "+strings.Repeat("N", 60)+"# { id }") + "} }", "",
			"INVALID"},
		{"types of variables that do not exist", "query (" + times(190, "$v#: "+strings.Repeat("N", 60)+"#") +
			") { me { id } }", "", "INVALID"},
		{"types of fragments that do not exist", "{ me { id } }" + times(90,
			"fragment F# on "+strings.Repeat("N", 60)+"# { id }"), "", "INVALID"},
		{"arguments that do not exist", "{ " + times(1, "me("+times(3000, "nothing#: 1")+") { id }") + "}", "",
			refusedByRules},
		{"directives that do not exist", "{ me { id " + times(400, "@nothing#") + " } }", "", refusedByRules},
		{"directives", "{ me { id " + times(3000, "@include(if: true)") + " } }", "", "INVALID"},
		{"fragments that double", bomb(90), "", "INVALID"},
		{"fragments in a circle", "{ ...F0 } " + times(90, "fragment F# on Query { ...F# me { id } }"), "", "INVALID"},
		{"many fragments", "{ me { id } } " + times(1500, "fragment F# on User { id }"), "", "INVALID"},
		{"a chain of fragments", "{ me { ...F0 } } " + chain(99, 30), "", "INVALID"},
		{"spreads of one fragment", "{ me { " + times(3000, "...F") + "} } fragment F on User { id }", "", "INVALID"},
		{"many operations", times(2000, "query Q# { me { id } }"), "", "INVALID"},
		{"many variables", "query (" + times(2500, "$v#: ID!") + ") { me { id } }", "", "INVALID"},
		{"variables used everywhere", "query (" + times(190, "$v#: ID!") + ") { " +
			times(45, "a#: node(id: $v#) { id }") + "}", "", refusedByRules},
		{"deep selections", "{ " + within(900, "me { ", "id", "} ") + "}", "", "INVALID"},
		{"deep inline fragments", "{ " + within(900, "... { ", "me { id }", "} ") + "}", "", "INVALID"},
		{"deep lists", "{ node(id: " + within(900, "[", "1", "]") + ") { id } }", "", "INVALID"},
		{"deep objects", "{ node(id: " + within(900, "{a: ", "1", "}") + ") { id } }", "", "INVALID"},
		{"deep types", "query ($v: " + within(900, "[", "ID", "]") + ") { me { id } }", "", "INVALID"},
		{"a huge list", "{ node(id: [" + times(7000, "1") + "]) { id } }", "", refusedByRules},
		{"a huge object", "{ node(id: {" + times(3000, "a#: 1") + "}) { id } }", "", refusedByRules},
		{"a huge string", `{ node(id: "` + long + `") { id } }`, "", "INVALID"},
		{"a huge block string", `{ node(id: """` + strings.ReplaceAll(long[:100_000], "xx", "x\n ") + `""") { id } }`,
			"", "INVALID"},
		{"a huge number", "{ node(id: " + strings.Repeat("9", 200_000) + ") { id } }", "", "INVALID"},
		{"a huge document", "{ me { id } } #" + strings.Repeat(long, 4), "", "INVALID"},
		{"a huge name", "{ " + long + " }", "", "INVALID"},
		{"huge names", "{ " + times(1500, strings.Repeat("n", 60)+"#") + "}", "", "INVALID"},
		{"comments", times(60_000, "#\n") + "{ me { id } }", "", "INVALID"},
		{"commas", "{ me { id } }" + strings.Repeat(",", 250_000) + "{", "", "GRAPHQL_PARSE_FAILED"},
		{"tokens", "{ " + strings.Repeat("x ", 100_000) + "}", "", "INVALID"},
		{"introspection by aliases", "{ " + times(45, "a#: __schema { types { fields { args { name type { name } } "+
			"type { name } } } }") + "}", "", "INVALID"},
		{"introspection in itself", "{ __schema { types { fields { type { fields { type { fields { type { fields { " +
			"name } } } } } } } } } }", "", "INVALID"},
		{"introspection of aliases", "{ __schema { types { " + times(100, "a#: fields { args { name } }") + "} } }", "",
			"INVALID"},
		{"many variable values", "query ($v: [ID!]) { me { id } }", `{"v":[` + strings.Repeat(`"a",`, 200_000) +
			`"a"]}`, "INVALID_REQUEST"},
		{"many unknown variables", "{ me { id } }", "{" + strings.TrimSuffix(times(80_000, `"v#":1,`), ", ") + "}",
			"INVALID_REQUEST"},
		{"deep variables", "query ($v: ID) { node(id: $v) { id } }", `{"v":` + within(9_000, "[", "1", "]") + `}`,
			"INVALID_REQUEST"},
		{"100,000 filters in a URL", "query ($u: String!) { parseProcessorUrl(url: $u) { image } }",
			`{"u":"/unsafe/filters:` + strings.Repeat("blur(1):", 100_000) + `blur(1)/a.png"}`, "INVALID"},
		{"filters in a URL", "query ($u: String!) { parseProcessorUrl(url: $u) { image } }", `{"u":"/unsafe/filters:` +
			strings.Repeat("hue(1):", 3_000) + `blur(1)/a.png"}`, "INVALID"},
		{"nested layers in a URL", "query ($u: String!) { parseProcessorUrl(url: $u) { image } }", `{"u":"/unsafe/` +
			within(900, "filters:image(/", "a", ")/a.png") + `"}`, ""},
		{"brackets in a URL", "query ($u: String!) { parseProcessorUrl(url: $u) { image } }",
			`{"u":"/unsafe/filters:a` + strings.Repeat("(", 30_000) + `/a.png"}`, ""},
		{"slashes in a URL", "query ($u: String!) { parseProcessorUrl(url: $u) { image } }", `{"u":"/unsafe/` +
			strings.Repeat("smart/", 5_000) + `/a.png"}`, ""},
	}
}

// chain returns n fragments, each with some fields and a spread of the next.
func chain(n, fields int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "fragment F%d on User { %s", i, times(fields, fmt.Sprintf("a%d_#: id", i)))
		if i+1 < n {
			fmt.Fprintf(&b, "...F%d", i+1)
		}
		b.WriteString(" } ")
	}
	return b.String()
}

// maxCost is the max cost of a document, in runs of the yardstick.
const maxCost = 3

// TestCostlyDocuments holds the CPU cost of rejected documents and the codes of the rejections. The yardstick is
// decoding a megabyte of JSON in the same process, about 20 ms: anyone may cause that.
func TestCostlyDocuments(t *testing.T) {
	s := newStage(t, nil)
	megabyte := []byte("[" + strings.Repeat(`{"name":"value"},`, 60_000) + "{}]")
	yardstick := cheapest(t, func() {
		var v any
		s.must(json.Unmarshal(megabyte, &v))
	})
	for _, c := range costlyDocuments() {
		var v any
		if c.variables != "" {
			v = json.RawMessage(c.variables)
		}
		var a answer
		cost := cheapest(t, func() { a = s.graphQL("admin", c.query, v) })
		if a.code() != c.code || a.status != 200 && a.status != 400 {
			t.Errorf("%s: %d %.300s, expected %s", c.name, a.status, a.body, c.code)
		}
		t.Logf("%-40s %8v, %6d bytes", c.name, cost, len(a.body))
		if cost > maxCost*yardstick {
			t.Errorf("%s costs %v, expected at most %v", c.name, cost, maxCost*yardstick)
		}
	}
}

// cheapest returns the min CPU time of three runs.
func cheapest(t *testing.T, run func()) time.Duration {
	t.Helper()
	best := time.Duration(1 << 62)
	for range 3 {
		began := processCPU(t)
		run()
		best = min(best, processCPU(t)-began)
	}
	return best
}

// TestIntrospectionPasses runs the introspection queries of real clients: the limits of documents are above them.
func TestIntrospectionPasses(t *testing.T) {
	s := newStage(t, nil)
	if a := s.graphQL("admin", introspection.Query, nil); a.code() != "" || a.json("data", "__schema", "types") == nil {
		t.Errorf("%d %.300s", a.status, a.body)
	}
}

// processCPU returns the CPU time of this process, in all threads.
func processCPU(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
