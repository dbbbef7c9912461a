package docsite_test

import (
	"context"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/net/html"

	"github.com/safelight/safelight/docs"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/schema"
	"github.com/safelight/safelight/server/docsite"
)

func newSite(t *testing.T) *docsite.Site {
	t.Helper()
	site, err := docsite.New(docs.Files, schema.Files(), "test")
	if err != nil {
		t.Fatal(err)
	}
	return site
}

// htmlPage is what tests read of a page.
type htmlPage struct {
	title   string
	anchors []string
	links   []string // of a, img, script and link
	styled  []string // elements with what the policy forbids
	empty   []string // links and buttons without a name
}

func readPage(t *testing.T, data []byte) (p htmlPage) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		attributes := map[string]string{}
		for _, a := range n.Attr {
			attributes[a.Key] = a.Val
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
				p.styled = append(p.styled, n.Data+" "+a.Key)
			}
		}
		if id := attributes["id"]; id != "" {
			p.anchors = append(p.anchors, id)
		}
		for _, name := range []string{"href", "src", "data-from"} {
			if link, ok := attributes[name]; ok && n.Data != "use" {
				p.links = append(p.links, link)
			}
		}
		switch n.Data {
		case "h1":
			p.title += textOf(n)
		case "style":
			p.styled = append(p.styled, n.Data)
		case "script":
			if attributes["src"] == "" {
				p.styled = append(p.styled, n.Data)
			}
		case "a", "button":
			if strings.TrimSpace(textOf(n)) == "" && attributes["aria-label"] == "" && attributes["id"] != "_switch" {
				p.empty = append(p.empty, n.Data+" "+attributes["href"])
			}
		}
	}
	return p
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// TestPages reads every page: it has one title, nothing that the policy forbids, and each of its links leads to a file
// and a heading of the site, to a page of the application, or elsewhere.
func TestPages(t *testing.T) {
	site := newSite(t)
	for _, problem := range problems(t, site) {
		t.Error(problem)
	}
}

func problems(t *testing.T, site *docsite.Site) (list []string) {
	t.Helper()
	pages := map[string]htmlPage{}
	files := map[string]bool{}
	err := fs.WalkDir(site.Files(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files[name] = true
		if path.Ext(name) == ".html" {
			data, err := fs.ReadFile(site.Files(), name)
			if err != nil {
				return err
			}
			pages[name] = readPage(t, data)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	outside := []string{"..", "../.."} // the application, from pages at each depth
	for name, p := range pages {
		if p.title == "" {
			list = append(list, name+" has no title")
		}
		for _, bad := range p.styled {
			list = append(list, name+" has what its policy forbids: "+bad)
		}
		for _, bad := range p.empty {
			list = append(list, name+" has a link or button without a name: "+bad)
		}
		if slices.Sort(p.anchors); len(slices.Compact(slices.Clone(p.anchors))) != len(p.anchors) {
			list = append(list, name+" has an id twice")
		}
		for _, link := range p.links {
			u, err := url.Parse(link)
			if err != nil {
				list = append(list, name+": "+err.Error())
				continue
			}
			target := path.Join(path.Dir(name), u.Path)
			if u.Path == "" {
				target = name
			}
			switch {
			case u.IsAbs() || strings.HasPrefix(u.Path, "/") || slices.Contains(outside, target):
			case strings.HasPrefix(target, "examples/"):
				if site.Example(target) == "" {
					list = append(list, name+" has no example for "+link)
				}
			case !files[target]:
				list = append(list, name+" has a link to nothing: "+link)
			case u.Fragment != "" && !slices.Contains(pages[target].anchors, u.Fragment):
				list = append(list, name+" has a link to no heading: "+link)
			}
		}
	}
	return list
}

func TestProblemsAreFound(t *testing.T) {
	contents := "# Docs\n\n## Start\n\n| | |\n|---|---|\n| [One](one.md) | first |\n"
	for text, want := range map[string]string{
		"# One\n\n[good](README.md#start)":           "",
		"# One\n\n[bad](README.md#end)":              "no heading",
		"# One\n\n[outside](../imaging/table.go)":    "",
		"# One\n\n<b style='color:red'>x</b>":        "policy",
		"# One\n\n<script>x</script>":                "policy",
		"# One\n\n[](README.md)":                     "without a name",
		"text":                                       "no title",
		"# One\n\n## Two\n\n## Two\n\n[2](#two-1)":   "",
		"# One\n\n![x](images/none.webp)":            "",
		"# One\n\n<a href='none.html'>x</a>":         "nothing",
		"# One\n\n<img src='examples/1234.jpg'>":     "no example",
		"# One\n\n```example\n9x9/color:red\n```\n":  "",
		"# One\n\n<h2 id=_nav>x</h2>":                "twice",
		"# One\n\n[folder](.) [self](one.md#one)":    "",
		"# One\n\n[elsewhere](https://example.com/)": "",
	} {
		files := fstest.MapFS{"README.md": {Data: []byte(contents)}, "one.md": {Data: []byte(text)}}
		site, err := docsite.New(files, schema.Files(), "test")
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, p := range problems(t, site) {
			if strings.HasPrefix(p, "one.html") {
				found = append(found, p)
			}
		}
		if got := strings.Join(found, "; "); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestEveryPageIsListed checks that the navigation leads to every page: a reader would find it only by search.
func TestEveryPageIsListed(t *testing.T) {
	site := newSite(t)
	seen := map[string]bool{"index.html": true}
	for next := "index.html"; next != ""; {
		data, err := fs.ReadFile(site.Files(), next)
		if err != nil {
			t.Fatal(err)
		}
		p := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindSubmatch(data)
		if next == "index.html" {
			p = [][]byte{nil, []byte("start/install.html")}
		}
		if p == nil {
			break
		}
		next = path.Join(path.Dir(next), string(p[1]))
		if seen[next] {
			t.Fatalf("%s comes twice", next)
		}
		seen[next] = true
	}
	err := fs.WalkDir(site.Files(), ".", func(name string, _ fs.DirEntry, err error) error {
		if path.Ext(name) == ".html" && !seen[name] {
			t.Errorf("%s is not in the navigation: list its document in docs/README.md, or its folder's README.md",
				name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestEveryFilterHasAnExample holds the pages of filters to the table of filters.
func TestEveryFilterHasAnExample(t *testing.T) {
	site := newSite(t)
	list, err := fs.ReadFile(site.Files(), "reference/filters/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range imaging.FilterTable() {
		text, err := fs.ReadFile(site.Files(), "reference/filters/"+f.Name+".md")
		if err != nil {
			t.Error(err)
			continue
		}
		if !regexp.MustCompile("(?m)^```example\n.*\\b" + f.Name + "\\(").Match(text) {
			t.Errorf("the page of %s has no example of it: server/docsite/filters.go", f.Name)
		}
		if !strings.Contains(string(list), "("+f.Name+".md)") {
			t.Errorf("%s is not in the list of filters: it has no group in server/docsite/filters.go", f.Name)
		}
	}
}

// TestSchemaReference looks for a field, an argument, an input and an enum.
func TestSchemaReference(t *testing.T) {
	site := newSite(t)
	data, err := fs.ReadFile(site.Files(), "reference/schema/processor.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"## generateProcessorUrl\n\nMutation · `String`", "| `imagePath` | `String`! | Path of the image",
		"| `params` | [`ProcessorParamsInput`](#processorparamsinput)! |", "## ProcessorUrl\n\nType",
	} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the page of the processor has no %q", want)
		}
	}
}

// engine records the limits of what it is asked for.
type engine struct {
	imaging.Engine
	limits imaging.Limits
}

func (e *engine) Process(
	_ context.Context, src imaging.Source, _ imaging.Operations, l imaging.Limits,
) (*imaging.Result, error) {
	e.limits = l
	return &imaging.Result{Data: []byte(src.Name), ContentType: "image/jpeg"}, nil
}

func (e *engine) Info(context.Context, imaging.Source, imaging.InfoRequest, imaging.Limits) (*imaging.Info, error) {
	return &imaging.Info{Format: imaging.JPEG}, nil
}

// TestExamplesReachOnlySamples holds that an example shows no picture but the samples, neither as a layer.
func TestExamplesReachOnlySamples(t *testing.T) {
	e := &engine{}
	r := docsite.Renderer{Engine: e, Limits: imaging.DefaultLimits(), Sample: func(name string) ([]byte, error) {
		if name == "sample.jpg" {
			return []byte("x"), nil
		}
		return nil, fault.New(fault.NotFound, "no sample %s", name)
	}}
	for path, want := range map[string]fault.Code{
		"300x200/sample.jpg": "",
		"meta/sample.jpg":    "",
		"300x200/filters:image(9x9/sample.jpg)/sample.jpg": "",
		"300x200/color:red":                                                      "",
		"300x200/secret.jpg":                                                     fault.NotFound,
		"300x200/filters:image(secret.jpg)/sample.jpg":                           fault.NotFound,
		"300x200/filters:watermark(secret.jpg)/sample.jpg":                       fault.NotFound,
		"300x200/filters:image(filters:image(secret.jpg)/sample.jpg)/sample.jpg": fault.NotFound,
		"300x200/https://example.com/a.jpg":                                      fault.NotFound,
		"":                                                                       fault.Invalid,
	} {
		_, err := r.Render(t.Context(), path)
		if err == nil && want != "" || err != nil && fault.CodeOf(err) != want {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if e.limits.MaxResultSide > 2000 || e.limits.MaxResultPixels > 10_000_000 || e.limits.MaxLayers > 8 {
		t.Errorf("the limits of an example are %+v", e.limits)
	}
}

// TestSearchIndexLeadsToPages holds that what is found can be opened.
func TestSearchIndexLeadsToPages(t *testing.T) {
	site := newSite(t)
	data, err := fs.ReadFile(site.Files(), "search.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`"u":"([^"#]+)`).FindAllSubmatch(data, -1) {
		if _, err := fs.Stat(site.Files(), string(m[1])); err != nil {
			t.Error(err)
		}
	}
	for _, want := range []string{`"h":"Segments"`, `"p":"blur"`, `"h":"generateProcessorUrl"`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the index has no %s", want)
		}
	}
}
