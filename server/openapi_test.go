package server_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/imaging"
)

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
