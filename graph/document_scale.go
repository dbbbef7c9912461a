package graph

import (
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/safelight/safelight/fault"
)

// maxComparisons limits the validation of overlapping fields. It compares each field with all others of the
// same name, at about 1.5 µs per comparison.
const maxComparisons = 10_000

// size is the size of a selection, including fragments wherever they are spread. Introspection does not count
// for depth and data fields, because it is nested more deeply than data.
type size struct {
	depth, fields   int // of data fields
	all, directives int // of all fields
	unknown         int // names of fields and types that are not in the schema
	introspection   int // estimated number of objects that introspection visits
}

func (s *size) add(o size) {
	s.depth = max(s.depth, o.depth)
	s.fields += o.fields
	s.all += o.all
	s.directives += o.directives
	s.unknown += o.unknown
	s.introspection += o.introspection
}

// scale measures a document before validation, so fragments may be missing or spread themselves.
type scale struct {
	documentLimits
	unknown   int
	fragments map[string]*ast.FragmentDefinition
	known     map[string]*size // sizes of fragments; nil while the fragment is being measured
	circle    string           // name of a fragment that spreads itself
	left      int              // remaining comparisons of maxComparisons
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

// sizes checks the depth, fields, aliases and introspection of all operations and fragments, and their sums,
// because validation walks all of them, even if they are unused.
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

// clamp prevents overflows. Clamped numbers exceed their limits.
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

// introspected estimates the number of objects in the lists of introspection. Other fields count as one
// object.
var introspected = map[string]int{
	"types": 220, "directives": 8, "fields": 12, "inputFields": 6, "args": 3, "enumValues": 6, "interfaces": 2,
	"possibleTypes": 4,
}
