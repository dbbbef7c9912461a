// Package docsite renders the documentation as web pages: the Markdown in docs, and documents that it generates from
// the table of filters and the GraphQL schema. It does not depend on HTTP. The server serves the pages, and `safelight
// docs export` writes the same bytes to a folder.
//
// document.go turns Markdown into HTML, links.go decides where its links lead, contents.go reads the navigation from
// docs/README.md, and search.go makes the index that the browser searches. filters.go and schema.go generate
// documents. examples.go renders the pictures of examples. The template, the style and the script of the pages are in
// assets.
package docsite

import (
	"archive/zip"
	"bytes"
	"context"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/safelight/safelight/web"
)

//go:embed assets
var assets embed.FS

var templates = template.Must(template.ParseFS(assets, "assets/*.html"))

// Site is the documentation as files: pages, their Markdown, pictures, style and script. Create it with New.
type Site struct {
	version   string
	source    fs.FS                // the docs folder; nil once the pages are rendered
	documents map[string]*document // by path; nil once the pages are rendered
	files     fs.FS
	examples  map[string]string // paths of the examples' URLs, by the path of the result's file
}

// New renders the pages. docs holds the documentation with README.md as its table of contents, schema the files of the
// GraphQL schema. New does not check that the targets of links exist; a test does.
func New(docs, schema fs.FS, version string) (*Site, error) {
	s := &Site{version: version, source: docs, documents: map[string]*document{}, examples: map[string]string{}}
	written, err := s.read(docs)
	if err != nil {
		return nil, err
	}
	generated, err := schemaDocuments(schema)
	if err != nil {
		return nil, err
	}
	for _, list := range []map[string]string{filterDocuments(), generated} {
		for name, text := range list {
			s.documents[name] = readDocument(name, []byte(text))
		}
	}
	if err := s.write(written); err != nil {
		return nil, err
	}
	s.documents, s.source = nil, nil // only files and examples are needed from here on
	return s, nil
}

// Files returns the files of the site by path, without the results of the examples.
func (s *Site) Files() fs.FS { return s.files }

// Example returns the path of the URL whose result is the file, without a signature; empty if there is no such example.
func (s *Site) Example(file string) string { return s.examples[file] }

// read reads the documents, and returns all other files by path.
func (s *Site) read(docs fs.FS) (others map[string][]byte, err error) {
	others = map[string][]byte{}
	err = fs.WalkDir(docs, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(docs, name)
		if strings.HasSuffix(name, ".md") {
			s.documents[name] = readDocument(name, data)
		} else {
			others[name] = data
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the documentation: %w", err)
	}
	if s.documents["README.md"] == nil {
		return nil, fmt.Errorf("read the documentation: README.md, the table of contents, is missing")
	}
	return others, nil
}

// has reports whether the documentation has a file that is not a document.
func (s *Site) has(name string) bool {
	info, err := fs.Stat(s.source, name)
	return err == nil && !info.IsDir()
}

// write renders everything into files.
func (s *Site) write(files map[string][]byte) error {
	for _, name := range []string{"docs.css", "docs.js", "theme.js", "session.js", "gate.js", "access.json"} {
		data, err := assets.ReadFile("assets/" + name)
		if err != nil {
			return fmt.Errorf("read a file of the documentation: %w", err)
		}
		files[name] = data
	}
	files["docs.css"] = slices.Concat(web.Tokens, files["docs.css"])
	parts := s.contents()
	at := places(parts)
	for name, d := range s.documents {
		err := d.render(func(target string) string { return s.resolve(name, target) })
		if err != nil {
			return err
		}
		for _, e := range d.examples {
			s.examples[exampleFile(e.path)] = e.path
			if e.before != "" {
				s.examples[exampleFile(e.before)] = e.before
			}
		}
		files[name] = d.source
		if files[page(name)], err = s.page(d, parts, at[name]); err != nil {
			return err
		}
	}
	index, err := s.searchIndex(at)
	if err != nil {
		return err
	}
	files["search.json"] = index
	s.files, err = archive(files)
	return err
}

// archive returns the files as an fs.FS. It keeps them in a ZIP archive in memory, which needs a quarter of the
// memory, and which the standard library can read as an fs.FS.
func archive(files map[string][]byte) (fs.FS, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		one, err := w.Create(name)
		if err == nil {
			_, err = one.Write(files[name])
		}
		if err != nil {
			return nil, fmt.Errorf("keep %s: %w", name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("keep the documentation: %w", err)
	}
	return zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
}

// Export writes the site to a folder, which must be empty or missing, including the results of all examples.
func (s *Site) Export(ctx context.Context, folder string, r Renderer) error {
	if err := os.CopyFS(folder, s.files); err != nil {
		return fmt.Errorf("write the documentation: %w", err)
	}
	if err := os.Mkdir(filepath.Join(folder, "examples"), 0o755); err != nil {
		return fmt.Errorf("write the documentation: %w", err)
	}
	for _, file := range slices.Sorted(maps.Keys(s.examples)) {
		result, err := r.Render(ctx, s.examples[file])
		if err != nil {
			return fmt.Errorf("render the example %s: %w", s.examples[file], err)
		}
		if err := os.WriteFile(filepath.Join(folder, file), result.Data, 0o644); err != nil {
			return fmt.Errorf("write the documentation: %w", err)
		}
	}
	return nil
}

// view is the data of the page template.
type view struct {
	Title, Summary  string
	Body            template.HTML
	Toc             []heading
	Parts           []part
	Part            string
	Parent          *entry
	Previous, Next  *entry
	Root, Markdown  string
	Version         string
	document, inner string // paths of the page's document and of its folder's README
}

// page renders the page of a document.
func (s *Site) page(d *document, parts []part, at place) ([]byte, error) {
	v := view{
		Title: d.title, Summary: d.summary, Body: d.body, Parts: parts, Part: at.part,
		Parent: at.parent, Previous: at.previous, Next: at.next,
		Root: toRoot(d.path), Markdown: relative(page(d.path), d.path), Version: s.version, document: d.path,
	}
	for _, h := range d.toc {
		if h.Level <= 3 {
			v.Toc = append(v.Toc, h)
		}
	}
	if at.parent != nil {
		v.inner = at.parent.document
	}
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, "page.html", v); err != nil {
		return nil, fmt.Errorf("render %s: %w", d.path, err)
	}
	return b.Bytes(), nil
}

// Here reports whether the entry is the page itself.
func (v view) Here(e *entry) bool { return e.document == v.document }

// Open reports whether the pages below the entry are shown.
func (v view) Open(e *entry) bool { return e.document == v.document || e.document == v.inner }

// To returns the link from the page to the page of an entry.
func (v view) To(e *entry) string { return relative(page(v.document), page(e.document)) }

// IsFilter reports whether the entry is the page of a filter, whose title is code.
func (v view) IsFilter(e *entry) bool { return isFilter(e.document) }

// InFilters reports whether the page describes a filter.
func (v view) InFilters() bool { return isFilter(v.document) }

func isFilter(document string) bool {
	return path.Dir(document) == path.Dir(filtersIndex) && document != filtersIndex
}

// Gate returns the page for readers who have not logged in. root is the relative path to the folder of the first page.
func Gate(root string) ([]byte, error) {
	var b bytes.Buffer
	err := templates.ExecuteTemplate(&b, "gate.html", view{Title: "Log in", Root: root})
	return b.Bytes(), err
}
