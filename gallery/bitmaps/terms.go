package bitmaps

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/safelight/safelight/imaging"
)

// The terms that are no words, which have letters and digits only: a type, a tag, and other facts of a file: that it is a saved
// template or the preview of one.
const (
	typePrefix = "/"
	tagPrefix  = "#"
	factPrefix = "="
	Templates  = factPrefix + "template"
	Previews   = factPrefix + "preview"
)

// Type returns the term of a type, as the index stores it.
func Type(name string) string { return typePrefix + name }

// Tag returns the term of the key of a tag.
func Tag(key string) string { return tagPrefix + key }

// fixedTerms are those that every block has: all types, and facts.
func fixedTerms() []string {
	list := factTerms()
	for _, f := range imaging.Formats() {
		list = append(list, Type(string(f.Format)))
	}
	return list
}

// starts counts how many files have each start of a word. A start is counted from when more than split files had the one before it, a
// character shorter, so few that are rare take memory: the numbers are too low, by split for each byte at the utmost.
type starts struct {
	next   map[edge]int32
	nodes  []start
	split  int32
	number int32 // of the file
}

type edge struct {
	node int32
	next byte
}

type start struct {
	parent      int32
	last        byte
	files, file int32 // how many, and the number of the last
}

func newStarts(split int) *starts {
	return &starts{next: map[edge]int32{}, nodes: make([]start, 1), split: int32(split)}
}

// add counts the words of one more file.
func (s *starts) add(words string) {
	s.number++
	for word := range strings.SplitSeq(words, " ") {
		node := int32(0)
		for i := range len(word) {
			e := edge{node, word[i]}
			next, ok := s.next[e]
			if !ok {
				if node != 0 && s.nodes[node].files <= s.split {
					break
				}
				next = int32(len(s.nodes))
				s.next[e] = next
				s.nodes = append(s.nodes, start{parent: node, last: word[i]})
			}
			if n := &s.nodes[next]; n.file != s.number {
				n.file, n.files = s.number, n.files+1
			}
			node = next
		}
	}
}

// common returns the starts that at least min files have, at most limit of them, those of most files.
func (s *starts) common(min, limit int) []string {
	var list []int32
	for i, n := range s.nodes {
		if i > 0 && int(n.files) >= min {
			list = append(list, int32(i))
		}
	}
	slices.SortFunc(list, func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.nodes[b].files, s.nodes[a].files), cmp.Compare(a, b))
	})
	var words []string
	for _, i := range list {
		if len(words) == limit {
			break
		}
		var b []byte
		for n := i; n != 0; n = s.nodes[n].parent {
			b = append(b, s.nodes[n].last)
		}
		slices.Reverse(b)
		if utf8.Valid(b) { // others end within a character
			words = append(words, string(b))
		}
	}
	return words
}

// trie finds the terms that start a word.
type trie struct {
	next [][256]uint16
	term []int32 // of each node, -1 for none
}

// maxNodes is how many nodes a trie numbers.
const maxNodes = 1<<16 - 1

// newTrie returns the trie of those terms that are words. Longer words than it has room for are never found.
func newTrie(terms []string) *trie {
	t := &trie{next: make([][256]uint16, 1), term: []int32{-1}}
	for number, term := range terms {
		if !isWord(term) {
			continue
		}
		node := uint16(0)
		for i := range len(term) {
			next := t.next[node][term[i]]
			if next == 0 {
				next = uint16(len(t.next))
				t.next[node][term[i]] = next
				t.next, t.term = append(t.next, [256]uint16{}), append(t.term, -1)
			}
			node = next
		}
		t.term[node] = int32(number)
	}
	return t
}

// fit returns as many terms, from the first, as a trie has room for.
func fit(terms []string) []string {
	room := maxNodes
	for i, term := range terms {
		if room -= len(term); room <= 0 {
			return terms[:i]
		}
	}
	return terms
}

func isWord(term string) bool {
	return !strings.HasPrefix(term, typePrefix) && !strings.HasPrefix(term, tagPrefix) && !strings.HasPrefix(term, factPrefix)
}

// each calls found with the number of each term that starts one of the words, once or more.
func (t *trie) each(words string, found func(term int32)) {
	for word := range strings.SplitSeq(words, " ") {
		node := uint16(0)
		for i := range len(word) {
			if node = t.next[node][word[i]]; node == 0 {
				break
			}
			if term := t.term[node]; term >= 0 {
				found(term)
			}
		}
	}
}
