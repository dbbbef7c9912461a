package bitmaps

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestStarts compares the common starts of words with those that plain counting finds.
func TestStarts(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	counts, plain := newStarts(5), map[string]int{}
	for range 3000 {
		words := fmt.Sprintf("img%04d été sunset 日 %d", random.IntN(10_000), random.IntN(4))
		counts.add(words)
		seen := map[string]bool{}
		for word := range strings.SplitSeq(words, " ") {
			for i := range len(word) {
				if start := word[:i+1]; utf8.ValidString(start) {
					seen[start] = true
				}
			}
		}
		for start := range seen {
			plain[start]++
		}
	}
	const many, short = 250, 5 * 8 // of a start of up to eight bytes
	found := counts.common(many-short, 1000)
	for start, n := range plain {
		if has := slices.Contains(found, start); n >= many && !has || n < many-short && has {
			t.Errorf("%q, of %d files, is among the common: %v", start, n, has)
		}
	}
	if !slices.Contains(found, "é") || !slices.Contains(found, "日") || !slices.Contains(found, "img1") {
		t.Errorf("found %q", found)
	}
	for _, start := range counts.common(1, 3) {
		if plain[start] != 3000 {
			t.Errorf("%q is among the three most common, with %d files", start, plain[start])
		}
	}
	if len(counts.nodes) > 2500 {
		t.Errorf("%d starts take memory", len(counts.nodes))
	}
}

// TestTrie finds the terms that start a word, and no tags or types.
func TestTrie(t *testing.T) {
	terms := []string{Templates, Type("img"), Tag("img"), "i", "img", "img2", "été", "日", "mg"}
	trie := newTrie(terms)
	for words, want := range map[string][]string{"img": {"i", "img"}, "img201 mg201": {"i", "img", "img2", "mg"}, "im": {"i"}, "": nil, "été 日本": {"été", "日"}, "\xc3": nil, "#img /img =template": nil} {
		found := map[string]bool{}
		trie.each(words, func(term int32) { found[terms[term]] = true })
		got := slices.Sorted(maps.Keys(found))
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%q starts with %q, expected %q", words, got, want)
		}
	}
	long := make([]string, 100)
	for i := range long {
		long[i] = fmt.Sprintf("%03d%s", i, strings.Repeat("x", 997))
	}
	if n := len(fit(long)); n != 65 {
		t.Errorf("%d terms of 1,000 bytes have room, expected 65", n)
	}
}
