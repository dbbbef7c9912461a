package docsite

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"path"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// document is one Markdown file and the page that is rendered from it.
type document struct {
	path    string // path below docs, such as guides/gallery.md
	source  []byte
	tree    ast.Node
	title   string
	summary string // the first paragraph, as text
	toc     []heading
	body    template.HTML

	examples []example
}

// heading is a heading of a page. Its anchor is the same as on GitHub.
type heading struct {
	Level        int
	Anchor, Text string
}

// page returns the path of the page of a document: README.md is the index of its folder.
func page(document string) string {
	if dir, name := path.Split(document); name == "README.md" {
		return dir + "index.html"
	}
	return strings.TrimSuffix(document, ".md") + ".html"
}

// markdown reads and renders the documents. We write them ourselves, so their HTML is not escaped.
var markdown = goldmark.New(
	// The pages' Content-Security-Policy forbids style attributes.
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
	goldmark.WithRendererOptions(
		goldmarkhtml.WithUnsafe(),
		renderer.WithNodeRenderers(util.Prioritized(nodeRenderer{}, 100)),
	),
)

// readDocument reads a Markdown file. Its links still point to files.
func readDocument(name string, source []byte) *document {
	d := &document{path: name, source: source}
	d.tree = markdown.Parser().Parse(text.NewReader(source))
	used := map[string]int{}
	for n := d.tree.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			h := heading{n.Level, anchor(plainText(n, source), used), plainText(n, source)}
			n.SetAttributeString("id", []byte(h.Anchor))
			if h.Level == 1 && d.title == "" {
				d.title = h.Text
			} else {
				d.toc = append(d.toc, h)
			}
		case *ast.Paragraph:
			if d.summary == "" {
				d.summary = plainText(n, source)
			}
		}
	}
	return d
}

var dropped = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// anchor returns the anchor of a heading by GitHub's rule: lower case, spaces as dashes, punctuation dropped, and a
// number if the page already has such an anchor.
func anchor(title string, used map[string]int) string {
	id := strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(title), ""), " ", "-")
	count := used[id]
	used[id]++
	if count > 0 {
		return fmt.Sprintf("%s-%d", id, count)
	}
	return id
}

// plainText returns the text of a node without markup, on one line.
func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Value(source))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				b.Write(n.Value)
			}
		case *ast.FencedCodeBlock, *ast.HTMLBlock:
			return ast.WalkSkipChildren, nil
		case *extast.TableCell, *ast.Paragraph:
			if !entering {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(html.UnescapeString(b.String())), " ")
}

// render renders the page's body. resolve converts the target of a link in the document to a URL relative to the page.
func (d *document) render(resolve func(target string) string) error {
	err := ast.Walk(d.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			n.Destination = []byte(resolve(string(n.Destination)))
		case *ast.Image:
			n.Destination = []byte(resolve(string(n.Destination)))
		case *ast.FencedCodeBlock:
			if string(n.Language(d.source)) == exampleLanguage {
				e := newExample(strings.TrimSpace(string(n.Lines().Value(d.source))))
				d.examples = append(d.examples, e)
				n.SetAttributeString("example", e.figure(toRoot(d.path)))
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := markdown.Renderer().Render(&b, d.source, d.tree); err != nil {
		return fmt.Errorf("render %s: %w", d.path, err)
	}
	d.body = template.HTML(b.String())
	return nil
}

// nodeRenderer renders the nodes that differ from goldmark's own HTML.
type nodeRenderer struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (r nodeRenderer) RegisterFuncs(register renderer.NodeRendererFuncRegisterer) {
	register.Register(ast.KindHeading, r.heading)
	register.Register(ast.KindFencedCodeBlock, r.code)
	register.Register(ast.KindImage, r.image)
	register.Register(extast.KindTable, r.table)
	register.Register(extast.KindTableHeader, r.tableHeader)
}

// heading adds a link to the heading itself.
func (nodeRenderer) heading(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	h := n.(*ast.Heading)
	id, _ := h.AttributeString("id")
	switch {
	case entering && id != nil:
		fmt.Fprintf(w, `<h%d id="%s">`, h.Level, id)
	case entering:
		fmt.Fprintf(w, `<h%d>`, h.Level)
	case h.Level > 1 && id != nil:
		label := template.HTMLEscapeString(plainText(h, source))
		fmt.Fprintf(w, ` <a class="anchor" href="#%s" aria-label="Link to “%s”">#</a></h%d>`+"\n", id, label, h.Level)
	default:
		fmt.Fprintf(w, "</h%d>\n", h.Level)
	}
	return ast.WalkContinue, nil
}

// code renders a block of code, or an example.
func (nodeRenderer) code(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	block := n.(*ast.FencedCodeBlock)
	if figure, ok := block.AttributeString("example"); ok {
		_, err := w.WriteString(figure.(string))
		return ast.WalkContinue, err
	}
	info := ""
	if block.Info != nil {
		info = string(block.Info.Value(source))
	}
	language, more, _ := strings.Cut(info, " ")
	fmt.Fprintf(w, `<div class="code"><pre tabindex="0" data-language="%s">`, template.HTMLEscapeString(language))
	fmt.Fprintf(w, `<code>%s</code></pre>`, template.HTMLEscapeString(string(block.Lines().Value(source))))
	if more != "" {
		fmt.Fprintf(w, `<span class="kind">%s</span>`, template.HTMLEscapeString(more))
	}
	_, err := w.WriteString("</div>\n")
	return ast.WalkContinue, err
}

// image makes browsers load pictures lazily.
func (nodeRenderer) image(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	i := n.(*ast.Image)
	alt := template.HTMLEscapeString(plainText(i, source))
	fmt.Fprintf(w, `<img src="%s" alt="%s" loading="lazy">`, template.HTMLEscapeString(string(i.Destination)), alt)
	return ast.WalkSkipChildren, nil
}

// table puts a table into a box that scrolls on narrow screens.
func (nodeRenderer) table(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	tag := "</table></div>\n"
	if entering {
		tag = `<div class="table" tabindex="0" role="group" aria-label="Table"><table>` + "\n"
	}
	_, err := w.WriteString(tag)
	return ast.WalkContinue, err
}

// tableHeader omits a header row without text.
func (nodeRenderer) tableHeader(
	w util.BufWriter, source []byte, n ast.Node, entering bool,
) (ast.WalkStatus, error) {
	if plainText(n, source) == "" {
		if entering {
			_, err := w.WriteString("<tbody>\n")
			return ast.WalkSkipChildren, err
		}
		return ast.WalkContinue, nil
	}
	tag := "</tr></thead>\n<tbody>\n"
	if entering {
		tag = "<thead><tr>\n"
	}
	_, err := w.WriteString(tag)
	return ast.WalkContinue, err
}
