package notes

import (
	"fmt"
	"testing"

	"github.com/safelight/safelight/fault"
)

// TestManyTagsOfAnotherProgram changes notes whose sidecar contains more tags than allowed, because another
// program wrote it.
func TestManyTagsOfAnotherProgram(t *testing.T) {
	var before Notes
	for i := range MaxTags + 50 {
		before.Tags = append(before.Tags, fmt.Sprintf("tag %d", i))
	}
	rating, title := int32(4), "Sylt"
	for name, c := range map[string]Change{
		"a rating":      {Rating: &rating},
		"a description": {Description: &title},
		"fewer tags":    {Retag: func(tags []string) []string { return tags[1:] }},
		"as many tags":  {Retag: func(tags []string) []string { return append(tags[:len(tags)-1:len(tags)-1], "x") }},
	} {
		after, err := c.Apply(before)
		if err != nil || len(after.Tags) < MaxTags+49 {
			t.Errorf("%s: %d tags, %v", name, len(after.Tags), err)
		}
	}
	more := Change{Retag: func(tags []string) []string { return append(tags[:len(tags):len(tags)], "x") }}
	if _, err := more.Apply(before); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("one tag more: %v, expected INVALID", err)
	}
	if _, err := more.Apply(Notes{Tags: before.Tags[:MaxTags]}); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("one tag over the limit: %v, expected INVALID", err)
	}
}
