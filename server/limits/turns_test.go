package limits

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// TestTurns checks that the requests of a client wait for each other and for no other client, and that a client without
// requests is forgotten.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := Turns{PerClient: 2}
		wait := func(ctx context.Context, client string) func() {
			leave, err := turns.Wait(ctx, client)
			if err != nil {
				t.Error(err)
				return func() {}
			}
			return leave
		}
		first, second := wait(t.Context(), "a"), wait(t.Context(), "a")
		wait(t.Context(), "b")()
		var third func()
		go func() { third = wait(t.Context(), "a") }()
		synctest.Wait()
		if third != nil {
			t.Error("a third request ran beside two others of the same client")
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := turns.Wait(gone, "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("a request whose client has gone got %v", err)
		}
		first()
		first() // leaving again changes nothing
		synctest.Wait()
		if third == nil {
			t.Fatal("the third request did not run after another one had ended")
		}
		second()
		third()
		if len(turns.clients) != 0 {
			t.Errorf("%d clients are remembered", len(turns.clients))
		}
	})
}
