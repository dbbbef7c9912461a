package docsite

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html/template"
	"path"
	"slices"
	"strings"

	"github.com/safelight/safelight/imaging"
)

// exampleLanguage marks a block of code in a document as an example: the operations of a URL and one of the samples,
// on one line. The page shows the picture before and after, rendered by the server.
const exampleLanguage = "example"

// example is an example on a page.
type example struct {
	path   string // path of its URL, without a signature
	before string // the same path without the filters; empty for metadata
	label  string // describes what the picture shows
}

// parse reads the path of a URL without a signature.
func parse(path string) (imaging.Request, error) {
	r, err := imaging.Parse("unsafe/" + path)
	r.Unsafe = false
	return r, err
}

// exampleBox is the size of the "before" picture if the example has no filter.
const exampleBox = "fit-in/720x480/"

func newExample(path string) example {
	e := example{path: path, label: "After"}
	r, err := parse(path)
	if err != nil || r.Meta {
		return e
	}
	if filters := string(r.Operations.Filters); filters != "" {
		e.label = filters
		r.Operations.Filters = ""
		e.before = r.Path()
	} else {
		e.label = strings.TrimSuffix(path, "/"+r.Image)
		e.before = exampleBox + r.Image
	}
	return e
}

// exampleFile returns the path of the file that holds the result of an example.
func exampleFile(p string) string {
	sum := sha256.Sum256([]byte(p))
	return "examples/" + hex.EncodeToString(sum[:6]) + exampleExtension(p)
}

// exampleExtension returns the extension of the result's format. Hosts of static files choose the media type by it.
func exampleExtension(p string) string {
	r, err := parse(p)
	if err != nil {
		return ""
	}
	if r.Meta {
		return ".json"
	}
	format, _ := imaging.ParseFormat(strings.TrimPrefix(path.Ext(r.Image), "."))
	calls, _, _ := r.Operations.Filters.Calls(false)
	for _, c := range calls {
		switch c.Name {
		case "format":
			if f, ok := imaging.ParseFormat(c.Text("format")); ok {
				format = f
			}
		case "fallback_format": // the example's source is animated
			format, _ = imaging.ParseFormat(c.Text("format"))
		case "autojpg":
			format = imaging.JPEG
		case "bitdepth":
			format = imaging.PNG
		}
	}
	return "." + format.Extension()
}

var figure = template.Must(template.New("").Parse(`<figure class="example" data-try="{{.Try}}">
{{if .Before}}<div class="pair">
<div class="before"><img src="{{.Before}}" alt="Before" width="720" height="480" loading="lazy"><span>Original</span></div>
<div class="after"><img src="{{.After}}" alt="After {{.Label}}" width="720" height="480" loading="lazy"><span>{{.Label}}</span></div>
</div>{{else}}<pre class="meta" tabindex="0" data-from="{{.After}}"><a href="{{.After}}">{{.After}}</a></pre>{{end}}
<label class="url"><span class="signature">/&lt;signature&gt;/</span><input value="{{.Path}}" readonly spellcheck="false" autocapitalize="none" autocomplete="off" aria-label="The URL of this example"></label>
<figcaption><span class="said" role="status">The result of this URL, made by Safelight.</span></figcaption>
</figure>
`))

// figure returns the HTML of an example. toRoot is the relative path from the page to the folder of the first page.
func (e example) figure(toRoot string) string {
	values := map[string]string{
		"Path":  e.path,
		"Label": e.label,
		"After": toRoot + exampleFile(e.path),
		"Try":   toRoot + "try",
	}
	if e.before != "" {
		values["Before"] = toRoot + exampleFile(e.before)
	}
	var b bytes.Buffer
	if err := figure.Execute(&b, values); err != nil {
		panic(err) // the template is a constant, so it cannot fail
	}
	return b.String()
}

// Renderer renders examples. They use only the samples and never the gallery, so that readers of the documentation see
// no pictures that they have no right to see.
type Renderer struct {
	Engine imaging.Engine
	Limits imaging.Limits
	// Sample returns a sample by its path; fault.NotFound if there is none.
	Sample func(path string) ([]byte, error)
	// Admit waits until the picture may be rendered, as server.Server.Admit does; nil: render at once.
	Admit func(
		ctx context.Context, engine imaging.Engine, src imaging.Source,
		ops imaging.Operations, limits imaging.Limits, describe bool,
	) (release func(), err error)
}

// The limits of an example.
const (
	maxExampleSide   = 1600
	maxExamplePixels = 6_000_000
	maxExampleLayers = 4
)

// limits returns the limits of an example: the server's limits, or lower ones.
func (r Renderer) limits() imaging.Limits {
	l := r.Limits
	smaller := func(limit *int, most int) {
		if *limit == 0 || *limit > most {
			*limit = most
		}
	}
	smaller(&l.MaxResultSide, maxExampleSide)
	smaller(&l.MaxLayers, maxExampleLayers)
	if l.MaxResultPixels == 0 || l.MaxResultPixels > maxExamplePixels {
		l.MaxResultPixels = maxExamplePixels
	}
	return l
}

// Render returns the result of a URL's path without its signature, for example 300x200/filters:blur(3)/demo/forest.jpg.
// The picture and its layers must be samples or canvases. It returns fault.Invalid for a path that cannot be read, and
// the errors of Admit and of the engine.
func (r Renderer) Render(ctx context.Context, path string) (*imaging.Result, error) {
	request, err := parse(path)
	if err != nil {
		return nil, err
	}
	limits := r.limits()
	src, err := r.open(request.Image)
	if err != nil {
		return nil, err
	}
	layers, err := imaging.Layers(imaging.Operations{Filters: request.Operations.Filters}, limits)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.DeleteFunc(layers, imaging.IsCanvas) {
		layer, err := r.open(name)
		if err != nil {
			return nil, err
		}
		if src.Layers == nil {
			src.Layers = map[string]imaging.Source{}
		}
		src.Layers[name] = layer
	}
	if r.Admit != nil {
		release, err := r.Admit(ctx, r.Engine, src, request.Operations, limits, request.Meta)
		if err != nil {
			return nil, err
		}
		defer release()
	}
	if request.Meta {
		return r.describe(ctx, src, request.Operations, limits)
	}
	return r.Engine.Process(ctx, src, request.Operations, limits)
}

func (r Renderer) describe(
	ctx context.Context, src imaging.Source, ops imaging.Operations, limits imaging.Limits,
) (*imaging.Result, error) {
	info, err := r.Engine.Info(ctx, src, imaging.InfoRequest{Operations: ops}, limits)
	if err != nil {
		return nil, err
	}
	data, err := json.MarshalIndent(info, "", "  ")
	return &imaging.Result{Data: data, ContentType: "application/json", Warnings: info.Warnings}, err
}

func (r Renderer) open(name string) (imaging.Source, error) {
	if imaging.IsCanvas(name) {
		colour, err := imaging.ParseCanvas(name)
		return imaging.Source{Name: name, Canvas: &colour}, err
	}
	data, err := r.Sample(name)
	if err != nil {
		return imaging.Source{}, fmt.Errorf("open %s: %w", name, err)
	}
	return imaging.Source{Name: name, Size: int64(len(data)), Reader: bytes.NewReader(data)}, nil
}
