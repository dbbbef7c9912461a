package imaging

import (
	"strings"

	"github.com/safelight/safelight/fault"
)

// cutFilters removes `filters:a(..):b(..)/` from the start of a path. ok is false, and nothing is removed, if the
// segment is malformed.
func cutFilters(path string) (f Filters, rest string, ok bool) {
	text, ok := strings.CutPrefix(path, "filters:")
	if !ok {
		return "", path, false
	}
	var list []Filter
	for {
		text = strings.TrimLeft(text, ":")
		if after, found := strings.CutPrefix(text, "/"); found {
			return FiltersOf(list...), after, true
		}
		var one Filter
		if one, text, ok = cutFilter(text); !ok {
			return "", path, false
		}
		list = append(list, one)
	}
}

// cutFilter removes one `name(args)` from the start of text; parentheses inside args must be balanced.
func cutFilter(text string) (f Filter, rest string, ok bool) {
	open := strings.IndexAny(text, "(:/)")
	if open <= 0 || text[open] != '(' {
		return Filter{}, text, false
	}
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth > 0 {
			continue
		}
		f = Filter{Name: text[:open], Args: text[open+1 : i]}
		rest = text[i+1:]
		return f, rest, rest == "" || rest[0] == ':' || rest[0] == '/'
	}
	return Filter{}, text, false
}

// FiltersOf joins filters. The names must not contain `(:/)`, and parentheses in the arguments must be balanced. List
// then returns the same filters.
func FiltersOf(list ...Filter) Filters {
	var b strings.Builder
	for i, f := range list {
		if i > 0 {
			b.WriteByte(':')
		}
		b.WriteString(f.Name + "(" + f.Args + ")")
	}
	return Filters(b.String())
}

// ParseFilters reads `name(args):name(args)`, with or without the leading `filters:`; ok is false if the text is
// malformed.
func ParseFilters(text string) (f Filters, ok bool) {
	f, rest, ok := cutFilters("filters:" + strings.TrimPrefix(text, "filters:") + "/")
	return f, ok && rest == ""
}

// List returns the filters in their order; nil when there are none.
func (f Filters) List() []Filter {
	var list []Filter
	for text := string(f); text != ""; text = strings.TrimPrefix(text, ":") {
		one, rest, ok := cutFilter(text)
		if !ok {
			return list
		}
		list = append(list, one)
		text = rest
	}
	return list
}

// check returns fault.Invalid if there are more than MaxFilters.
func (f Filters) check() error {
	if n := len(f.List()); n > MaxFilters {
		return fault.OnField(fault.Invalid, "filters", "%d filters, expected at most %d on one level", n, MaxFilters)
	}
	return nil
}

// Add returns f with the given filters appended.
func (f Filters) Add(list ...Filter) Filters {
	return FiltersOf(append(f.List(), list...)...)
}

// Arguments returns the arguments, split at the commas outside parentheses, without surrounding spaces; nil if there
// are none.
func (f Filter) Arguments() []string {
	args := f.Args
	if strings.TrimSpace(args) == "" {
		return nil
	}
	var list []string
	depth, start := 0, 0
	for i := range len(args) {
		switch args[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				list = append(list, strings.TrimSpace(args[start:i]))
				start = i + 1
			}
		}
	}
	return append(list, strings.TrimSpace(args[start:]))
}
