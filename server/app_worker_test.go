package server

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestWorkerKnowsPages: the service worker answers for the application's pages while there is no connection, and for
// nothing else. /pick is a page in the frames of other sites.
func TestWorkerKnowsPages(t *testing.T) {
	script, err := os.ReadFile("../web/public/app/worker.js")
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`(?s)const pages = \[(.*?)\]`).FindStringSubmatch(string(script))
	if list == nil {
		t.Fatal("the worker has no list of pages")
	}
	known := regexp.MustCompile(`"(\w*)"`).FindAllStringSubmatch(list[1], -1)
	var have, want []string
	for _, one := range known {
		have = append(have, one[1])
	}
	for _, p := range appPaths {
		if first := strings.Split(p, "/")[1]; first != "pick" && !slices.Contains(want, first) {
			want = append(want, first)
		}
	}
	slices.Sort(have)
	slices.Sort(want)
	if !slices.Equal(have, want) {
		t.Errorf("the worker knows the pages %q, the server %q", have, want)
	}
}
