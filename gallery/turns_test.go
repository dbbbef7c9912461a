package gallery

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/search"
)

// TestCountsTakeTurns counts for a guest while another one does, and for an account.
func TestCountsTakeTurns(t *testing.T) {
	g := &Gallery{counting: newTurns()}
	guest := auth.WithIdentity(t.Context(), auth.Identity{Role: auth.RoleGuest})
	counting, done, err := g.counting.wait(guest)
	if err != nil {
		t.Fatal(err)
	}
	if _, limited := counting.Deadline(); !limited {
		t.Error("a count has no deadline")
	}

	impatient, stop := context.WithCancel(guest)
	stop()
	if _, err := g.CountEach(impatient, BrowseOptions{}, nil); fault.CodeOf(err) != fault.Timeout {
		t.Errorf("a second guest counts: %v", err)
	}
	among := BrowseOptions{Filter: search.Filter{Tags: []string{"sea"}}}
	if _, err := g.Suggestions(impatient, SuggestTag, "", 8, among); fault.CodeOf(err) != fault.Timeout {
		t.Errorf("a second guest lists values: %v", err)
	}

	account := auth.WithIdentity(t.Context(), auth.Identity{Role: auth.RoleUser, UserID: uuid.New()})
	if _, done, err := g.counting.wait(account); err != nil {
		t.Errorf("an account waits for guests: %v", err)
	} else {
		done()
	}
	done()
	if _, done, err := g.counting.wait(guest); err != nil {
		t.Errorf("the turn of the first guest never ends: %v", err)
	} else {
		done()
	}
}
