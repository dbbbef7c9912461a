package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// TestMemoryOfDrawings asks for SVGs that take gigabytes to draw, all at once: the server and its workers stay within
// memory-limit together, and an ordinary picture is served meanwhile.
func TestMemoryOfDrawings(t *testing.T) {
	if testing.Short() {
		t.Skip("drawing them takes a while")
	}
	s := &hostileSite{T: t, protected: true, flags: []string{"--isolation", "risky"}}
	s.launch()
	const area = `width="2000" height="2000"`
	var named, masks strings.Builder
	masks.WriteString(`<mask id="m0"><rect ` + area + ` fill="white"/></mask>`)
	for n := range 190 {
		fmt.Fprintf(&named, `<feOffset dx="1" in="SourceGraphic" result="r%d"/>`, n) // each result is kept: 16 MB
		fmt.Fprintf(&masks, `<mask id="m%d"><rect %s fill="white" mask="url(#m%d)"/></mask>`, n+1, area, n)
	}
	drawings := map[string]string{
		"results.svg":  `<filter id="f">` + named.String() + `</filter><rect ` + area + ` filter="url(#f)"/>`,
		"masks.svg":    masks.String() + `<rect ` + area + ` mask="url(#m190)"/>`,
		"groups.svg":   strings.Repeat(`<g opacity="0.9">`, 120) + `<rect ` + area + `/>` + strings.Repeat(`</g>`, 120),
		"patterns.svg": `<pattern id="a" width="1" height="1" patternUnits="userSpaceOnUse" patternTransform="scale(10000)"><circle r="1"/></pattern><rect ` + area + ` fill="url(#a)"/>`,
	}
	var wg sync.WaitGroup
	for name, inside := range drawings {
		data := `<svg xmlns="http://www.w3.org/2000/svg" ` + area + `>` + inside + `</svg>`
		if err := os.WriteFile(filepath.Join(s.files, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		for width := range 3 {
			path := "fit-in/" + strconv.Itoa(2000-width) + "x2000/" + name
			wg.Go(func() {
				if r := s.get(s.signed(path)); r.err != nil || !slices.Contains(hostileStatuses, r.status) {
					t.Errorf("%s: %d %v", path, r.status, r.err)
				}
			})
		}
	}
	wg.Wait()
	s.end()
}
