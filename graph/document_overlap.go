package graph

import (
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/safelight/safelight/fault"
)

// overlaps checks that the validation of overlapping fields needs at most maxComparisons. The document must
// have passed sizes, which limits the time for walking it.
func (w *scale) overlaps(d *ast.QueryDocument) error {
	for _, o := range d.Operations {
		w.compare([]ast.SelectionSet{o.SelectionSet}, true)
	}
	for _, f := range d.Fragments {
		w.compare([]ast.SelectionSet{f.SelectionSet}, true)
	}
	if w.left < 0 {
		return fault.New(
			fault.Invalid,
			"the document selects the same fields too often in one place, expected at most about 140 times",
		)
	}
	return nil
}

// compare counts the comparisons for selections that are merged. Selections in an inline fragment count again
// for the fragment itself.
func (w *scale) compare(sets []ast.SelectionSet, inline bool) {
	m := merged{scale: w, fields: map[string][]*ast.Field{}, seen: map[string]bool{}}
	for _, set := range sets {
		m.collect(set)
	}
	w.left -= m.spreads * (m.spreads - 1) / 2
	for _, group := range m.fields {
		if w.left < 0 {
			return
		}
		var below []ast.SelectionSet
		weights := 0
		for _, f := range group {
			weights += 1 + weightOf(f.Arguments)
			if len(f.SelectionSet) > 0 {
				below = append(below, f.SelectionSet)
			}
		}
		w.left -= (len(group) - 1) * weights / 2
		if len(below) > 0 {
			w.compare(below, inline)
		}
	}
	if !inline {
		return
	}
	for _, set := range m.inline {
		if w.left < 0 {
			return
		}
		w.compare([]ast.SelectionSet{set}, false)
	}
}

// merged is the result of merging selections: the fields by response name, with each fragment only once.
type merged struct {
	*scale
	fields  map[string][]*ast.Field
	seen    map[string]bool
	inline  []ast.SelectionSet
	spreads int
}

func (m *merged) collect(set ast.SelectionSet) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			m.fields[s.Alias] = append(m.fields[s.Alias], s)
		case *ast.InlineFragment:
			m.inline = append(m.inline, s.SelectionSet)
			m.collect(s.SelectionSet)
		case *ast.FragmentSpread:
			m.spreads++
			if f := m.fragments[s.Name]; f != nil && !m.seen[s.Name] {
				m.seen[s.Name] = true
				m.collect(f.SelectionSet)
			}
		}
	}
}

// weightOf returns the additional cost of comparing two fields because of their arguments: each argument is
// searched among those of the other field, and compared as text.
func weightOf(list ast.ArgumentList) int {
	n := len(list) * len(list) / 8
	for _, a := range list {
		n += weightOfValue(a.Value)
	}
	return n
}

func weightOfValue(v *ast.Value) int {
	if v == nil {
		return 0
	}
	n := 1 + len(v.Raw)/64
	for _, c := range v.Children {
		n += weightOfValue(c.Value)
	}
	return n
}
