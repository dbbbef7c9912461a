// Package notes defines what people add to a file: tags, a description, a focal point, a rating and a
// favorite mark. It contains the format, the rules and the changes. Its callers store the notes.
package notes

import (
	"encoding/json"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/ent"
)

// MaxRating is the highest rating. 0 means not rated.
const MaxRating = 5

// FocalPoint is the most important point of a picture, in fractions of its size, 0..1, from the left and from
// the top.
type FocalPoint struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Columns returns the point as the database stores it, or nils for a nil point.
func (p *FocalPoint) Columns() (x, y any) {
	if p == nil {
		return nil, nil
	}
	return p.X, p.Y
}

// Notes are what people added to one file, as stored in its sidecar.
type Notes struct {
	Version     int         `json:"version"`
	Tags        []string    `json:"tags,omitempty"`
	Description string      `json:"description,omitempty"`
	FocalPoint  *FocalPoint `json:"focalPoint,omitempty"`
	Rating      int8        `json:"rating,omitempty"` // 0..MaxRating
	Favorite    bool        `json:"favorite,omitempty"`
}

// Of returns the notes in a row of the index.
func Of(row *ent.Entry) Notes {
	return Notes{
		Tags:        row.Tags,
		Description: row.Description,
		FocalPoint:  FocalPointOf(row),
		Rating:      row.Rating,
		Favorite:    row.Favorite,
	}
}

// FocalPointOf returns the focal point in a row of the index, or nil if there is none.
func FocalPointOf(row *ent.Entry) *FocalPoint {
	if row.FocalX == nil || row.FocalY == nil {
		return nil
	}
	return &FocalPoint{X: *row.FocalX, Y: *row.FocalY}
}

// Empty reports whether nothing was added.
func (n Notes) Empty() bool {
	return len(n.Tags) == 0 && n.Description == "" && n.FocalPoint == nil && n.Rating == 0 && !n.Favorite
}

// Read parses a sidecar. It ignores a rating out of range, because other programs write sidecars too.
func Read(data []byte) (*Notes, error) {
	var n Notes
	if err := json.Unmarshal(data, &n); err != nil {
		return nil, err
	}
	if n.Rating < 0 || n.Rating > MaxRating {
		n.Rating = 0
	}
	return &n, nil
}

// Facts describe notes in the audit log.
func (n Notes) Facts() audit.Facts {
	f := audit.Facts{"tags": n.Tags, "description": n.Description}
	if n.FocalPoint != nil {
		f["focalPoint"] = *n.FocalPoint
	}
	if n.Rating != 0 {
		f["rating"] = n.Rating
	}
	if n.Favorite {
		f["favorite"] = true
	}
	return f
}

// TagsColumn is a list of tags as the database stores it.
func TagsColumn(tags []string) any {
	if len(tags) == 0 {
		return nil
	}
	b, err := json.Marshal(tags)
	if err != nil {
		return nil // cannot happen with strings
	}
	return string(b)
}
