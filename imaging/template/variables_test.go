package template

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

const varied = `{"variables":[{"name":"Title","default":"Fjord"},{"name":"by","type":"text"},{"name":"logo","type":"image","default":"logo.png"}],
"transformations":{"imagePath":"a.png","layers":[
{"type":"text","text":"{Title} {other}","x":1,"y":2},
{"type":"group","layers":[{"type":"text","text":"by {by}, {Title}"},{"type":"image","imagePath":"{logo}","originalDimensions":{"width":40,"height":20},"transforms":{"width":20}}]}]}}`

func TestVariables(t *testing.T) {
	parsed, err := Parse([]byte(varied))
	if err != nil {
		t.Fatal(err)
	}
	want := []Variable{{"Title", VariableText, "Fjord"}, {"by", VariableText, ""}, {"logo", VariableImage, "logo.png"}}
	if !slices.Equal(parsed.Variables, want) || len(parsed.UnknownFields())+len(parsed.Warnings()) != 0 {
		t.Errorf(
			"%v, unknown %v, warnings %v, expected %v", parsed.Variables, parsed.UnknownFields(),
			parsed.Warnings(), want,
		)
	}
	if again, err := Parse(parsed.JSON()); err != nil || !slices.Equal(again.Variables, want) {
		t.Errorf("written and read again: %v, %v", again, err)
	}
	for _, c := range []struct {
		values             map[string]string
		title, by, picture string
	}{
		{nil, "Fjord {other}", "by , Fjord", "logo.png"},
		{map[string]string{"Title": "{by}", "by": "A (1)", "logo": "x/other.png"}, "{by} {other}", "by A (1), {by}",
			"x/other.png"},
		{map[string]string{"Title": ""}, " {other}", "by , ", "logo.png"},
	} {
		filled, err := parsed.filled(c.values)
		if err != nil {
			t.Errorf("%v: %v", c.values, err)
			continue
		}
		layers := filled.Transformations.Layers
		group := layers[1].Transforms.Layers
		if layers[0].Text.Text != c.title || group[0].Text.Text != c.by || group[1].Transforms.Image != c.picture {
			t.Errorf(
				"%v: %q, %q, %q, expected %q, %q, %q", c.values, layers[0].Text.Text, group[0].Text.Text,
				group[1].Transforms.Image, c.title, c.by, c.picture,
			)
		}
	}
	r, err := parsed.Request(Options{Variables: map[string]string{"logo": "x.png"}})
	if have := r.Path(); err != nil || !strings.Contains(have, ":image(20x0/x.png,0,0)/color:none") {
		t.Errorf("%s, %v, expected the other picture", have, err)
	}
	if parsed.Transformations.Layers[0].Text.Text != "{Title} {other}" {
		t.Error("filling in has changed the template")
	}
}

// TestVariableSizes: the template has the size of the default picture; the sizes of others are looked up.
func TestVariableSizes(t *testing.T) {
	parsed, err := Parse([]byte(varied))
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Preview: true, PreviewMax: imaging.Size{Width: 9, Height: 9}}
	if have := parsed.NeedsSizes(o); !slices.Equal(have, []string{"a.png"}) {
		t.Errorf("with the default: %v", have)
	}
	o.Variables = map[string]string{"logo": "other.png"}
	if have := parsed.NeedsSizes(o); !slices.Equal(have, []string{"a.png", "other.png"}) {
		t.Errorf("with another picture: %v", have)
	}
}

func TestVariablesRefused(t *testing.T) {
	parsed, err := Parse([]byte(varied))
	if err != nil {
		t.Fatal(err)
	}
	for _, values := range []map[string]string{{"title": "x"}, {"by": "a\x00"}, {"logo": "../secret"}, {"logo": ""},
		{"logo": "color:red"}} {
		if _, err := parsed.Request(Options{Variables: values}); fault.CodeOf(err) != fault.Invalid ||
			fault.Of(err).Field != "variables" {
			t.Errorf("%v: %v, expected INVALID on variables", values, err)
		}
	}
	envelope := func(variables string) []byte {
		return []byte(`{"variables":` + variables + `,"transformations":{"imagePath":"a.png"}}`)
	}
	var many []string
	for n := range maxVariables + 1 {
		many = append(many, fmt.Sprintf(`{"name":"v%d"}`, n))
	}
	for variables, pointer := range map[string]string{
		`{}`: "/variables", `[1]`: "/variables/0", `[{}]`: "/variables/0/name", `[{"name":"a{b"}]`: "/variables/0/name",
		`[{"name":" a"}]`: "/variables/0/name",
		`[{"name":"` + strings.Repeat("a", 41) + `"}]`: "/variables/0/name",
		`[{"name":"a"},{"name":"a"}]`:                  "/variables/1/name",
		`[{"name":"a","type":"number"}]`:               "/variables/0/type",
		`[{"name":"a","type":"image"}]`:                "/variables/0/default",
		`[{"name":"a","type":"image","default":"/b"}]`: "/variables/0/default",
		`[` + strings.Join(many, ",") + `]`:            "/variables",
	} {
		if _, err := Parse(envelope(variables)); fault.CodeOf(err) != fault.Invalid ||
			fault.Of(err).Field != "templateJson"+pointer {
			t.Errorf("%s: %v, expected INVALID at %s", variables, err, pointer)
		}
	}
	unused, err := Parse(envelope(`[{"name":"a"}]`))
	if err != nil || len(unused.Warnings()) != 1 || !strings.Contains(unused.Warnings()[0], "{a}") {
		t.Errorf("%v, %v, expected a warning of the unused variable", unused.Warnings(), err)
	}
}
