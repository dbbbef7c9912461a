package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/jpeg"
	"strings"
	"testing"
	"time"
)

// TestSrcsetNeverEnlarges: each candidate of a srcset has the width that it claims, and none is wider than the picture.
func TestSrcsetNeverEnlarges(t *testing.T) {
	t.Parallel()
	s := startReal(t, "--listen", "127.0.0.1:0")
	s.photo("small.jpg", 200, 100)
	token := s.login()
	const query = `{"query":"{ file(path: \"small.jpg\") { width ` +
		`none: srcset(widths: [480, 960]) some: srcset(widths: [100, 480]) exact: srcset(widths: [200, 201]) ` +
		`srcFamily(vary: [WIDTH]) { template widths } } }"}`
	var answer struct {
		Data struct {
			File struct {
				Width             *int
				None, Some, Exact string
				SrcFamily         struct{ Widths []int }
			}
		}
	}
	for answer.Data.File.Width == nil { // until it is analyzed
		r := s.post("/api/graphql", query, token)
		if err := json.Unmarshal(r.body, &answer); err != nil || r.status != 200 {
			t.Fatalf("%d %s", r.status, r.body)
		}
		time.Sleep(20 * time.Millisecond)
	}
	file := answer.Data.File
	if fmt.Sprint(file.SrcFamily.Widths) != "[200]" {
		t.Errorf("the family has the widths %v", file.SrcFamily.Widths)
	}
	for set, want := range map[string]string{file.None: "200w", file.Some: "100w 200w", file.Exact: "200w"} {
		var have []string
		for _, candidate := range strings.Split(set, ", ") {
			address, descriptor, _ := strings.Cut(candidate, " ")
			have = append(have, descriptor)
			r := s.get(address)
			c, err := jpeg.DecodeConfig(bytes.NewReader(r.body))
			if err != nil || fmt.Sprintf("%dw", c.Width) != descriptor {
				t.Errorf("%s: %d pixels wide, %d, %v", candidate, c.Width, r.status, err)
			}
		}
		if strings.Join(have, " ") != want {
			t.Errorf("%s: expected %s", set, want)
		}
	}
}
