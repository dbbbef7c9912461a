package docsite

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// found is an entry of the search index: a page, or a section of one. The JSON names are short, because browsers
// download the index.
type found struct {
	URL     string `json:"u"`
	Page    string `json:"p"`
	Heading string `json:"h,omitempty"` // of the section; empty for the beginning of a page
	Part    string `json:"g,omitempty"`
	Text    string `json:"t,omitempty"`
}

// maxIndexed is the max number of bytes of a section in the index.
const maxIndexed = 360

// searchIndex returns the index as JSON: headings, and the text below them.
func (s *Site) searchIndex(at map[string]place) ([]byte, error) {
	var list []found
	for _, name := range s.sorted() {
		d := s.documents[name]
		one := found{URL: page(name), Page: d.title, Part: at[name].part}
		var text strings.Builder
		end := func() {
			one.Text = shortened(text.String())
			list = append(list, one)
			text.Reset()
		}
		for n := d.tree.FirstChild(); n != nil; n = n.NextSibling() {
			h, isHeading := n.(*ast.Heading)
			if isHeading && isFilter(name) {
				continue // the headings of these short pages are all the same
			}
			if !isHeading {
				text.WriteString(plainText(n, d.source) + " ")
				continue
			}
			if h.Level == 1 {
				continue
			}
			end()
			id, _ := h.AttributeString("id")
			one.Heading = plainText(h, d.source)
			one.URL = fmt.Sprintf("%s#%s", page(name), id)
		}
		end()
	}
	data, err := json.Marshal(list)
	if err != nil {
		return nil, fmt.Errorf("make the search index: %w", err)
	}
	return data, nil
}

// shortened returns the beginning of a text, cut at the end of a word.
func shortened(text string) string {
	text = strings.TrimSpace(text)
	if len(text) <= maxIndexed {
		return text
	}
	text = text[:maxIndexed]
	return text[:strings.LastIndexByte(text, ' ')+1] + "…"
}
