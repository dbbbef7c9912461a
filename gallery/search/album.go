package search

import (
	"encoding/json"
	"strings"

	entsql "entgo.io/ent/dialect/sql"
	"github.com/google/uuid"

	"github.com/safelight/safelight/ent/albumitem"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// albumItems is the alias of the table of album items in a statement, after Album has joined it.
const albumItems = "item"

// Album selects the files of an album, which has at most MaxCandidates.
func (c *Conditions) Album(id uuid.UUID) {
	c.narrowed, c.byFolder, c.album = true, true, true
	c.add(func(s *entsql.Selector) {
		t := entsql.Dialect(s.Dialect()).Table(albumitem.Table).As(albumItems)
		s.Join(t).On(s.C(entry.FieldID), t.C(albumitem.FieldEntryID))
		s.Where(entsql.EQ(t.C(albumitem.FieldAlbumID), id))
	})
}

// Nothing makes the conditions match no file.
func (c *Conditions) Nothing() {
	c.narrowed, c.Candidates = true, []int{}
}

// Column returns the name of an order's column in a statement: a column of entries or, after Album, the
// position.
func Column(s *entsql.Selector, key string) string {
	if key != albumitem.FieldPosition {
		return s.C(key)
	}
	return entsql.Dialect(s.Dialect()).Table(albumitem.Table).As(albumItems).C(key)
}

// DecodeFilter decodes a filter from JSON in the format of the API, as a client sent it. It accepts a single
// item instead of a list, and a number instead of a text. An empty text means no filter.
func DecodeFilter(text string) (Filter, error) {
	if text == "" {
		return Filter{}, nil
	}
	var object map[string]any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&object); err != nil {
		return Filter{}, undecodable(err)
	}
	for _, name := range []string{"formats", "tags"} {
		if one, ok := object[name].(string); ok {
			object[name] = []string{one}
		}
	}
	for _, name := range []string{"minSize", "maxSize"} {
		if digits, ok := object[name].(string); ok {
			object[name] = json.Number(digits)
		}
	}
	data, err := json.Marshal(object)
	if err != nil {
		return Filter{}, undecodable(err)
	}
	var decoded struct {
		Filter
		Formats []string // upper case in the API
	}
	if err := json.Unmarshal(data, &decoded); err != nil {
		return Filter{}, undecodable(err)
	}
	for _, name := range decoded.Formats {
		decoded.Filter.Formats = append(decoded.Filter.Formats, imaging.Format(strings.ToLower(name)))
	}
	return decoded.Filter, nil
}

func undecodable(err error) error {
	return fault.Wrap(err, fault.Invalid, "the filter of the search cannot be read")
}
