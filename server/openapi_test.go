package server_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/imaging"
)

// TestOpenAPIReferences follows every reference to a schema.
func TestOpenAPIReferences(t *testing.T) {
	s := newStage(t, nil)
	body := s.do("GET", "/openapi.json", "").body
	var doc struct {
		Components struct{ Schemas map[string]json.RawMessage }
	}
	s.must(json.Unmarshal([]byte(body), &doc))
	found := regexp.MustCompile(`"\$ref":\s*"#/components/schemas/([^"]*)"`).FindAllStringSubmatch(body, -1)
	for _, name := range found {
		if doc.Components.Schemas[name[1]] == nil {
			t.Errorf("there is no schema %s", name[1])
		}
	}
	if len(found) == 0 {
		t.Error("there are no references")
	}
}

// TestOpenAPIMeta: the schema of /meta has exactly the fields that imaging.Info writes, and requires those that are
// always present.
func TestOpenAPIMeta(t *testing.T) {
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Required   []string
				Properties map[string]json.RawMessage
			}
		}
	}
	s := newStage(t, nil)
	s.must(json.Unmarshal([]byte(s.do("GET", "/openapi.json", "").body), &doc))
	for name, value := range map[string]any{"Meta": imaging.Info{}, "RGB": imaging.RGB{},
		"PaletteColour": imaging.PaletteColour{}} {
		schema := doc.Components.Schemas[name]
		found := 0
		for _, f := range reflect.VisibleFields(reflect.TypeOf(value)) {
			field, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if field == "-" || f.Anonymous {
				continue
			}
			found++
			if _, ok := schema.Properties[field]; !ok {
				t.Errorf("%s.%s is not described", name, field)
			}
			if required := slices.Contains(schema.Required, field); required != (options == "") {
				t.Errorf("%s.%s is required: %v", name, field, required)
			}
		}
		if found != len(schema.Properties) {
			t.Errorf("%s has %d fields, %d are described", name, found, len(schema.Properties))
		}
	}
}
