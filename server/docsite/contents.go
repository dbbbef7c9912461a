package docsite

import (
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// part is one of the parts of the documentation, such as Guides, as in the table of contents.
type part struct {
	Title  string
	Groups []group
}

// group is a list of pages, with a title if its part has several groups.
type group struct {
	Title   string
	Entries []*entry
}

// entry is a page in the navigation. If it is the README of a folder, the other pages of the folder are below it.
type entry struct {
	Title    string
	document string
	Children []*entry
}

// contents reads the parts from the tables of docs/README.md: the headings are the parts, paragraphs name the groups,
// and the links of the first column are the pages. Documents that are not listed follow the README of their folder.
func (s *Site) contents() []part {
	index := s.documents["README.md"]
	var parts []part
	title := ""
	for n := index.tree.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			title = ""
			if n.Level == 2 {
				parts = append(parts, part{Title: plainText(n, index.source)})
			}
		case *ast.Paragraph:
			title = strings.TrimSuffix(plainText(n, index.source), ":")
		case *extast.Table:
			if len(parts) == 0 {
				continue
			}
			last := &parts[len(parts)-1]
			last.Groups = append(last.Groups, group{title, s.entries(index, n)})
		}
	}
	return parts
}

// entries returns the pages that the first column of a table links to.
func (s *Site) entries(index *document, table ast.Node) (list []*entry) {
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		if row.Kind() != extast.KindTableRow {
			continue
		}
		for n := row.FirstChild().FirstChild(); n != nil; n = n.NextSibling() {
			link, ok := n.(*ast.Link)
			if !ok {
				continue
			}
			name := s.documentOf(index.path, string(link.Destination))
			if name == "" {
				continue // not a page, such as CONTRIBUTING.md
			}
			title := plainText(link, index.source)
			list = append(list, &entry{strings.ToUpper(title[:1]) + title[1:], name, s.children(name)})
		}
	}
	return list
}

// children returns the other documents in the folder of a README.md.
func (s *Site) children(readme string) (list []*entry) {
	folder, name := path.Split(readme)
	if name != "README.md" || folder == "" {
		return nil
	}
	for _, one := range s.sorted() {
		if path.Dir(one) == path.Clean(folder) && one != readme {
			list = append(list, &entry{Title: s.documents[one].title, document: one})
		}
	}
	return list
}

// sorted returns the paths of the documents in order.
func (s *Site) sorted() []string {
	names := make([]string, 0, len(s.documents))
	for name := range s.documents {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// place is the position of a page in the navigation.
type place struct {
	part     string
	parent   *entry // nil for a page that the table of contents lists
	previous *entry
	next     *entry
}

// places returns the place of every document. The pages are in the order of the navigation.
func places(parts []part) map[string]place {
	found := map[string]place{}
	var last *entry
	add := func(e *entry, p place) {
		p.previous = last
		if last != nil {
			before := found[last.document]
			before.next = e
			found[last.document] = before
		}
		found[e.document] = p
		last = e
	}
	for _, part := range parts {
		for _, group := range part.Groups {
			for _, e := range group.Entries {
				add(e, place{part: part.Title})
				for _, child := range e.Children {
					add(child, place{part: part.Title, parent: e})
				}
			}
		}
	}
	return found
}
