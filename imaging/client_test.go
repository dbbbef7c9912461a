package imaging

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestClientPaths holds testdata/vectors/paths.json, which the clients' URL builders have to give, to the grammar.
func TestClientPaths(t *testing.T) {
	data, err := os.ReadFile("../testdata/vectors/paths.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Images []struct{ Image, Encoded string }
		Paths  []struct{ Image, Path, Text string }
	}
	if err := json.Unmarshal(data, &vectors); err != nil {
		t.Fatal(err)
	}
	for _, v := range vectors.Images {
		if got := encodeImage(v.Image, false); got != v.Encoded {
			t.Errorf("%q is encoded as %q, the file has %q", v.Image, got, v.Encoded)
		}
	}
	for _, v := range vectors.Paths {
		r, err := Parse(v.Path)
		if err != nil || r.Image != v.Image || r.Path() != v.Path {
			t.Errorf(
				"%q is %q on %q, %v; the file has the image %q", v.Path, r.Operations.String(), r.Image, err,
				v.Image,
			)
		}
		calls, _, err := r.Operations.Filters.Calls(true)
		if err != nil {
			t.Errorf("%q: %v", v.Path, err)
		}
		for _, c := range calls {
			if c.Name == "label" && c.Text("text") != v.Text {
				t.Errorf("%q writes %q, the file has %q", v.Path, c.Text("text"), v.Text)
			}
			if c.Name == "image" || c.Name == "watermark" {
				path := c.Text("path") + c.Text("image")
				if l, err := ParseLayer(path); err != nil || !strings.HasSuffix(v.Image, ".jpg") ||
					!strings.HasSuffix(l.Image, ".png") {
					t.Errorf("%q: the layer is %q, %v", v.Path, l.Image, err)
				}
			}
		}
	}
}

// TestClientTypes holds the types of the npm package to the table of filters.
func TestClientTypes(t *testing.T) {
	const file = "../clients/client/src/filters.ts"
	want := clientTypes()
	if got, err := os.ReadFile(file); err == nil && string(got) == want {
		return
	}
	if !*update {
		t.Fatalf("%s is stale: go test ./imaging -run TestClientTypes -update", file)
	}
	if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func clientTypes() string {
	var b strings.Builder
	b.WriteString(
		"// Generated from imaging/table.go by `go test ./imaging -run TestClientTypes -update`. Do not edit.\n",
	)
	b.WriteString("import type { Color, Curve, Focal, Layer, X, Y } from './arguments.js'\n\n")
	b.WriteString("/** The arguments of each filter, by its name. */\nexport interface FilterArguments {\n")
	for _, f := range FilterTable() {
		effect := strings.NewReplacer("{", "`", "}", "`").Replace(f.Effect)
		if f.Meta {
			effect += ", in `/meta`"
		}
		fmt.Fprintf(&b, "  /** %s. */\n", effect)
		list := make([]string, len(f.Parameters))
		for i, p := range f.Parameters {
			list[i] = p.clientName() + ": " + p.clientType()
			if p.Kind == KindCurve { // its values are arguments
				list[i] = "..." + list[i]
			}
		}
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			fmt.Fprintf(&b, "  %s: [%s]\n", name, strings.Join(list, ", "))
		}
	}
	b.WriteString("}\n")
	return b.String()
}

func (p Parameter) clientName() string {
	if p.Optional {
		return p.Name + "?"
	}
	return p.Name
}

// clientType is the TypeScript type of an argument. An optional one that is not the last is left out as null.
func (p Parameter) clientType() string {
	var types []string
	switch p.Kind {
	case KindInt, KindNumber:
		types = []string{"number"}
	case KindColour:
		types = []string{"Color"}
	case KindPath:
		types = []string{"string", "Layer"}
	case KindX:
		types = []string{"X"}
	case KindY:
		types = []string{"Y"}
	case KindFocal:
		types = []string{"Focal"}
	case KindCurve:
		types = []string{"Curve"}
	case KindText:
		types = []string{"string"}
		if p.Default != "" {
			types = append(types, "number") // the size of a label, a ratio
		}
	}
	for _, w := range p.Words {
		word := "'" + w + "'"
		if isDigits(w) {
			word = w
		}
		if !slices.Contains(types, "Color") || !slices.Contains(types, word) {
			types = append(types, word)
		}
	}
	if p.Optional {
		types = append(types, "null")
	}
	return strings.Join(types, " | ")
}
