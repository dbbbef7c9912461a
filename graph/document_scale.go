package graph

import (
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/safelight/safelight/fault"
)

// maxComparisons limits the validation of overlapping fields, which compares every field with every other one of the
// same name at some 1.5 µs each.
const maxComparisons = 10_000

// size is the size of a selection, with fragments counted where they are spread. Introspection has no depth and no data
// fields: it nests deeper than data.
type size struct {
	depth, fields   int // of data
	all, directives int // of everything
	unknown         int // names of fields and types that are not in the schema
	introspection   int // estimated objects that introspection visits
}

func (s *size) add(o size) {
	s.depth = max(s.depth, o.depth)
	s.fields += o.fields
	s.all += o.all
	s.directives += o.directives
	s.unknown += o.unknown
	s.introspection += o.introspection
}

// scale measures a document before validation: fragments may be missing or spread themselves.
type scale struct {
	documentLimits
	unknown   int
	fragments map[string]*ast.FragmentDefinition
	known     map[string]*size // nil while the fragment is measured
	circle    string           // a fragment that spreads itself
	left      int              // of maxComparisons
}

func newScale(a documentLimits, d *ast.QueryDocument) *scale {
	w := &scale{
		documentLimits: a,
		fragments:      map[string]*ast.FragmentDefinition{},
		known:          map[string]*size{},
		left:           maxComparisons,
	}
	for _, f := range d.Fragments {
		if w.fragments[f.Name] == nil {
			w.fragments[f.Name] = f
		}
	}
	return w
}

// sizes checks depth, fields, aliases and introspection of every operation and fragment, and their sums: validation
// walks all of them, used or not.
func (w *scale) sizes(d *ast.QueryDocument) error {
	var all size
	largest := 0
	for _, o := range d.Operations {
		one := w.selection(o.SelectionSet)
		largest = max(largest, one.fields)
		all.add(one)
		all.directives += len(o.Directives)
	}
	for _, f := range d.Fragments {
		all.add(w.fragment(f.Name))
	}
	switch {
	case w.circle != "":
		return fault.New(fault.Invalid, "fragment %s spreads itself", w.circle)
	case all.depth > maxDepth:
		return fault.New(fault.Invalid, "the operation is nested too deeply, expected at most %d levels of fields",
			maxDepth)
	case largest > maxFields:
		return fault.New(fault.Invalid,
			"the operation selects too many fields, expected at most %d with fragments counted where they are used",
			maxFields)
	case all.all > 2*maxFields:
		return fault.New(fault.Invalid, "the document selects too many fields, expected at most %d in all operations "+
			"and fragments, with fragments counted where they are used", 2*maxFields)
	case all.unknown+w.unknown > maxUnknown:
		return fault.New(fault.Invalid,
			"the document names %d fields and types that do not exist, expected none; see /schema.graphql",
			all.unknown+w.unknown)
	case all.directives > maxDirectives:
		return fault.New(fault.Invalid, "the document has %d directives, expected at most %d", all.directives,
			maxDirectives)
	case all.introspection > maxIntrospection:
		return fault.New(fault.Invalid, "the introspection query is too large; fetch /schema.graphql instead")
	}
	return nil
}

func (w *scale) selection(set ast.SelectionSet) size {
	var all size
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			one := w.selection(s.SelectionSet)
			one.directives += len(s.Directives)
			one.all++
			if !w.names[s.Name] {
				one.unknown++
			}
			if s.Name == "__schema" || s.Name == "__type" {
				one.depth, one.fields = 0, 0
			} else {
				one.depth++
				one.fields++
			}
			one.introspection = max(1, introspected[s.Name]) * (1 + one.introspection)
			all.add(one)
		case *ast.InlineFragment:
			all.add(w.selection(s.SelectionSet))
			all.directives += len(s.Directives)
			if s.TypeCondition != "" && !w.names[s.TypeCondition] {
				all.unknown++
			}
		case *ast.FragmentSpread:
			all.add(w.fragment(s.Name))
			all.directives += len(s.Directives)
		}
		w.clamp(&all)
	}
	return all
}

// clamp prevents overflow; a clamped number is over its limit.
func (w *scale) clamp(s *size) {
	const most = 1 << 30
	for _, n := range []*int{&s.fields, &s.all, &s.directives, &s.unknown, &s.introspection} {
		*n = min(*n, most)
	}
}

func (w *scale) fragment(name string) size {
	f := w.fragments[name]
	if f == nil {
		return size{}
	}
	known, begun := w.known[name]
	if begun {
		if known == nil {
			w.circle = name
			return size{}
		}
		return *known
	}
	w.known[name] = nil
	one := w.selection(f.SelectionSet)
	one.directives += len(f.Directives)
	w.known[name] = &one
	return one
}

// maxIntrospection is about four times what the queries of GraphiQL and code generators visit.
const maxIntrospection = 4 * 250_000

// introspected estimates the number of objects of the lists of introspection; other fields have one.
var introspected = map[string]int{
	"types": 220, "directives": 8, "fields": 12, "inputFields": 6, "args": 3, "enumValues": 6, "interfaces": 2,
	"possibleTypes": 4,
}
