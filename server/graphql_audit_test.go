package server_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// An httpAudit is one of the 61 of npm's graphql-http 1.23.1, by its id: what is sent and what has to come.
type httpAudit struct {
	id, accept string
	method     string // POST when empty
	body       any    // marshalled; a string is sent as it is
	noType     bool   // without a content type
	low, high  int
	noErrors   bool
	noData     bool
}

const (
	newType = "application/graphql-response+json"
	oldType = "application/json"
	hello   = `{ __typename }`
	named   = `query Type($name: String!) { __type(name: $name) { name } }`
)

// audits lists them all.
func audits() []httpAudit {
	type m = map[string]any
	list := []httpAudit{
		{id: "22EB", accept: newType, body: m{"query": hello}}, {id: "4655", accept: "application/json",
			body: m{"query": hello}},
		{id: "47DE", accept: "*/*", body: m{"query": hello}}, {id: "80D8", body: m{"query": hello}},
		{id: "82A3", body: m{"query": hello}},
		{id: "BF61", body: m{"query": `{ __type(name: "Run🏃Swim🏊") { name } }`}}, {id: "78D5", body: m{"query": hello}},
		{id: "2C94", body: m{"query": hello}},
		{id: "5A70", method: "GET", body: m{"query": hello}}, {id: "9C48", method: "GET", accept: newType,
			body: m{"query": "mutation { __typename }"}, low: 400, high: 499},
		{id: "9ABE", noType: true, body: m{"query": hello}, low: 400, high: 499}, {id: "03D4", body: m{"query": hello}},
		{id: "A5BF", body: "", low: 400},
		{id: "423L", accept: newType, body: m{"notquery": hello}, low: 400},
		{id: "34A2", accept: newType, body: m{"query": hello}}, {id: "13EE", accept: oldType, body: m{"query": hello},
			noErrors: true},
		{id: "8161", accept: newType, body: m{"operationName": "Query", "query": "query Query { __typename }"}},
		{id: "B8B3", accept: oldType, body: m{"operationName": "Query", "query": "query Query { __typename }"},
			noErrors: true},
		{id: "2EA1", accept: newType, body: m{"query": named, "variables": m{"name": "x"}}},
		{id: "28B9", accept: oldType, body: m{"query": named, "variables": m{"name": "x"}}, noErrors: true},
		{id: "D6D5", method: "GET", accept: newType, body: m{"query": named, "variables": m{"name": "x"}},
			noErrors: true},
		{id: "6A70", method: "GET", accept: oldType, body: m{"query": named, "variables": m{"name": "x"}},
			noErrors: true},
		{id: "428F", accept: newType, body: m{"query": hello, "extensions": m{"some": "value"}}},
		{id: "1B7A", accept: oldType, body: m{"query": hello, "extensions": m{"some": "value"}}, noErrors: true},
		{id: "B6DC", accept: oldType, body: `{ "not a JSON`, low: 400},
		{id: "BCF8", accept: oldType, body: `{ "not a JSON`, low: 400},
		{id: "B7N8", accept: newType, body: `{ "not a JSON`, low: 400},
		{id: "8764", body: m{"qeury": hello}, low: 400, high: 599}, {id: "3E3A", body: m{"qeury": hello}, low: 400},
		{id: "572B", accept: oldType, body: m{"query": "{"}}, {id: "FDE2", accept: oldType,
			body: m{"query": "{ f31403dfe404bccbb0e835f2629c6a7 }"}},
		{id: "7B9B", accept: oldType, body: m{"query": "query C($id: ID!){ __typename }", "variables": m{"id": nil}}},
		{id: "865D", accept: newType, body: m{"query": "{"}, low: 400, high: 599},
		{id: "556A", accept: newType, body: m{"query": "{"}, low: 400},
		{id: "D586", accept: newType, body: m{"query": "{"}, low: 400, noData: true},
		{id: "51FE", accept: newType, body: m{"query": "{ f3 }"}, low: 400, high: 599},
		{id: "74FF", accept: newType, body: m{"query": "{ f3 }"}, low: 400},
		{id: "5E5B", accept: newType, body: m{"query": "{ f3 }"}, low: 400, noData: true},
		{id: "86EE", accept: newType, body: m{"query": "query C($id: ID!){ __typename }", "variables": m{"id": nil}},
			low: 400},
	}
	for i, wrong := range []any{m{"obj": "ect"}, 0, false, []string{"array"}} {
		list = append(list, httpAudit{id: fmt.Sprint("LKJ", i), body: m{"query": wrong}, low: 400},
			httpAudit{id: fmt.Sprint("6C0", i), body: m{"query": hello, "operationName": wrong}, low: 400})
	}
	for i, wrong := range []any{"string", 0, false, []string{"array"}} {
		list = append(list, httpAudit{id: fmt.Sprint("476", i), body: m{"query": hello, "variables": wrong}, low: 400},
			httpAudit{id: fmt.Sprint("58B", i), body: m{"query": hello, "extensions": wrong}, low: 400})
	}
	for i, name := range []string{"variables", "operationName", "extensions"} {
		list = append(list, httpAudit{id: fmt.Sprint("94B", i), accept: newType, body: m{"query": hello, name: nil},
			noErrors: true}, httpAudit{id: fmt.Sprint("022", i), accept: oldType, body: m{"query": hello, name: nil},
			noErrors: true})
	}
	return list
}

func TestGraphQLOverHTTP(t *testing.T) {
	s := newStage(t, nil)
	list := audits()
	if len(list) != 61 {
		t.Errorf("the table has %d audits, expected 61", len(list))
	}
	for _, a := range list {
		s.audit(a)
	}
}

func (s *stage) audit(a httpAudit) {
	s.Helper()
	headers := []string{"Authorization", "Bearer " + s.tokens["admin"]}
	if a.accept != "" {
		headers = append(headers, "Accept", a.accept)
	}
	body, ok := a.body.(string)
	if !ok {
		b, err := json.Marshal(a.body)
		s.must(err)
		body = string(b)
	}
	method, path := "POST", "/api/graphql"
	if a.method == "GET" {
		method, path, body = "GET", path+"?"+queryOf(a.body.(map[string]any)), ""
	} else if !a.noType {
		headers = append(headers, "Content-Type", "application/json")
	}
	got := s.do(method, path, body, headers...)
	low, high := a.low, a.high
	if low == 0 {
		low = 200
	}
	if high == 0 {
		high = low
	}
	want := a.accept
	if want != newType {
		want = oldType
	}
	if got.status < low || got.status > high || !strings.HasPrefix(got.header.Get("Content-Type"), want) {
		s.Errorf("%s: %d %s %s, expected %d..%d %s", a.id, got.status, got.header.Get("Content-Type"), got.body, low,
			high, want)
	}
	if a.noErrors && got.json("errors") != nil || a.noData && strings.Contains(got.body, `"data"`) {
		s.Errorf("%s: %s", a.id, got.body)
	}
}

func queryOf(body map[string]any) string {
	q := url.Values{}
	for name, v := range body {
		text, ok := v.(string)
		if !ok {
			b, _ := json.Marshal(v)
			text = string(b)
		}
		q.Set(name, text)
	}
	return q.Encode()
}
