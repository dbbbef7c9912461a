package server_test

import (
	"net/url"
	"strings"
	"testing"
)

// stamped is a template with two variables and a hidden layer.
const stamped = `{"version":"1.0","dimensionMode":"predefined","sourceImagePath":"a/b.png",
	"variables":[{"name":"Title","type":"text","default":"Untitled"},{"name":"Logo","type":"image","default":"a/logo.png"}],
	"transformations":{"imagePath":"a/b.png","originalDimensions":{"width":800,"height":600},"width":400,"height":300,"layers":[
		{"id":"t","type":"text","text":"{Title}","x":1,"y":2},{"id":"h","type":"text","text":"Draft","x":1,"y":2,"visible":false},
		{"id":"l","type":"image","imagePath":"{Logo}","x":3,"y":4,"transforms":{"width":50,"height":20}}]}}`

// TestApplyTemplate: the URL is signed, has the values in place of the variables and never a hidden layer.
func TestApplyTemplate(t *testing.T) {
	s := newStage(t, nil)
	apply := func(input map[string]any) (path, refused string) {
		t.Helper()
		input["templateJson"] = stamped
		a := s.graphQL(
			"user",
			`mutation ($input: ApplyTemplateInput!) { applyTemplate(input: $input) { url userErrors { field } } }`,
			map[string]any{"input": input},
		)
		unescaped, err := url.PathUnescape(between(a.body, `"url":"`, `"`))
		s.must(err)
		return unescaped, between(a.body, `"userErrors":[`, `]`)
	}
	value := func(name, value string) map[string]any { return map[string]any{"name": name, "value": value} }
	for _, c := range []struct {
		name, path, refused string
		input               map[string]any
	}{
		{"defaults", "/400x300/filters:text(Untitled,1,2):image(50x20/a/logo.png,3,4)/a/b.png", "", map[string]any{}},
		{"values", "/400x300/filters:text(Fjord,1,2):image(50x20/a/c.png,3,4)/a/b.png", "",
			map[string]any{"variables": []any{value("Title", "Fjord"), value("Logo", "a/c.png")}}},
		{"appended filters", "/400x300/filters:text(Untitled,1,2):image(50x20/a/logo.png,3,4):attachment()/a/b.png", "",
			map[string]any{"appendFilters": []any{map[string]any{"name": "attachment"}}}},
		{"a preview",
			"/200x150/filters:text(Untitled,1,1,sans-10):image(25x10/a/logo.png,2,2):preview():format(webp)/a/b.png",
			"",
			map[string]any{"forPreview": true, "previewMaxDimensions": map[string]any{"width": 200, "height": 200}}},
		{"an unknown variable", "", `{"field":"variables"}`, map[string]any{"variables": []any{value("Nothing", "x")}}},
	} {
		path, refused := apply(c.input)
		signature, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
		if "/"+rest != c.path && (c.path != "" || path != "") || refused != c.refused ||
			(c.path != "" && len(signature) < 20) {
			t.Errorf("%s: %s, refused %s, expected %s, %s", c.name, path, refused, c.path, c.refused)
		}
	}
}
