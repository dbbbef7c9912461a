package notes

import (
	"math"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/tokenizer"
)

// The limits of notes.
const (
	MaxTags        = 100
	maxTag         = 100   // characters
	maxDescription = 10000 // characters
)

// Change is a change of the notes of a file. A nil field stays unchanged.
type Change struct {
	Path        string
	Tags        *[]string // replaces all tags
	Description *string
	FocalPoint  **FocalPoint // a pointer to nil removes it
	Rating      *int32       // 0..MaxRating
	Favorite    *bool
	Retag       func([]string) []string // computes the new tags from the current ones
}

// Check returns fault.Invalid for values out of range, and normalizes texts to NFC.
func (c *Change) Check() error {
	if c.Description != nil {
		text := norm.NFC.String(strings.TrimSpace(*c.Description))
		if n := utf8.RuneCountInString(text); n > maxDescription || !utf8.ValidString(text) ||
			strings.ContainsRune(text, 0) {
			return fault.OnField(
				fault.Invalid, "description",
				"the description has %d characters, expected text of at most %d", n, maxDescription,
			)
		}
		c.Description = &text
	}
	if c.FocalPoint != nil && *c.FocalPoint != nil {
		for _, v := range []float64{(*c.FocalPoint).X, (*c.FocalPoint).Y} {
			if math.IsNaN(v) || v < 0 || v > 1 {
				return fault.OnField(fault.Invalid, "focalPoint", "the focal point is at %g, expected 0 to 1", v)
			}
		}
	}
	if c.Rating != nil && (*c.Rating < 0 || *c.Rating > MaxRating) {
		return fault.OnField(fault.Invalid, "rating", "the rating is %d, expected 0 to %d", *c.Rating, MaxRating)
	}
	if c.Tags == nil {
		return nil
	}
	tags, err := CheckTags(*c.Tags)
	c.Tags = &tags
	return err
}

// Apply returns the notes after the change, and fault.Invalid if a file would have too many tags. A sidecar
// of another program may contain more tags than allowed. Such a file can be changed if its number of tags
// does not grow.
func (c Change) Apply(n Notes) (Notes, error) {
	allowed := max(MaxTags, len(n.Tags))
	if c.Tags != nil {
		n.Tags = *c.Tags
	}
	if c.Retag != nil {
		n.Tags = c.Retag(n.Tags)
	}
	if c.Description != nil {
		n.Description = *c.Description
	}
	if c.FocalPoint != nil {
		n.FocalPoint = *c.FocalPoint
	}
	if c.Rating != nil {
		n.Rating = int8(*c.Rating)
	}
	if c.Favorite != nil {
		n.Favorite = *c.Favorite
	}
	if len(n.Tags) > allowed {
		return n, fault.OnField(
			fault.Invalid, "tags", "the file would have %d tags, expected at most %d", len(n.Tags), MaxTags,
		)
	}
	return n, nil
}

// CheckTags returns tags without duplicates. It returns fault.Invalid for too many tags or an invalid tag.
func CheckTags(list []string) ([]string, error) {
	tags, seen := []string{}, map[string]bool{}
	for _, t := range list {
		t = norm.NFC.String(strings.TrimSpace(t))
		if n := utf8.RuneCountInString(t); n == 0 || n > maxTag || !utf8.ValidString(t) ||
			strings.ContainsAny(t, "\x00\r\n") {
			return nil, fault.OnField(
				fault.Invalid, "tags", "a tag has %d characters, expected one line of 1 to %d", n, maxTag,
			)
		}
		if key := tokenizer.Fold(t); !seen[key] {
			seen[key] = true
			tags = append(tags, t)
		}
	}
	if len(tags) > MaxTags {
		return nil, fault.OnField(
			fault.Invalid, "tags", "the list has %d tags, expected at most %d", len(tags), MaxTags,
		)
	}
	return tags, nil
}

// Retag returns the change that adds and removes tags. Tags are compared without case. It returns
// fault.Invalid for an invalid tag, and for one that is both added and removed.
func Retag(add, remove []string) (func([]string) []string, error) {
	add, err := CheckTags(add)
	if err != nil {
		return nil, fault.WithField(err, "add")
	}
	remove, err = CheckTags(remove)
	if err != nil {
		return nil, fault.WithField(err, "remove")
	}
	if len(add)+len(remove) == 0 {
		return nil, fault.OnField(fault.Invalid, "add", "there are no tags to add or to remove")
	}
	gone := map[string]bool{}
	for _, t := range remove {
		gone[tokenizer.Fold(t)] = true
	}
	for _, t := range add {
		if gone[tokenizer.Fold(t)] {
			return nil, fault.OnField(fault.Invalid, "remove", "the tag %s is both added and removed", t)
		}
	}
	return func(tags []string) []string { return retagged(tags, add, gone) }, nil
}

// retagged returns tags without the removed tags, followed by the added ones.
func retagged(tags, add []string, gone map[string]bool) []string {
	list, has := []string{}, map[string]bool{}
	for _, t := range tags {
		if key := tokenizer.Fold(t); !gone[key] && !has[key] {
			has[key] = true
			list = append(list, t)
		}
	}
	for _, t := range add {
		if !has[tokenizer.Fold(t)] {
			list = append(list, t)
		}
	}
	return list
}
