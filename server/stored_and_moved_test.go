package server_test

import (
	"sync"
	"testing"
)

// TestStoredAndMoved adds files that are moved away at once: each answer has the file or an error, never neither.
func TestStoredAndMoved(t *testing.T) {
	s := newStage(t, nil)
	stop := make(chan struct{})
	var mover sync.WaitGroup
	mover.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				if s.rules.MoveFile(t.Context(), "swift.png", "moved.png") == nil {
					_ = s.rules.RemoveFile(t.Context(), "moved.png")
				}
			}
		}
	})
	refused := 0
	for range 60 {
		a := s.upload(
			"admin",
			`mutation ($content: Upload!) { addFile(input: {path: "swift.png", content: $content, onConflict: REPLACE}) { file { path } userErrors { code } } }`,
			"content", png,
		)
		file, isThere := a.json("data", "addFile", "file", "path").(string)
		errors, _ := a.json("data", "addFile", "userErrors").([]any)
		if (isThere && file == "swift.png") == (len(errors) > 0) {
			t.Fatalf("%d %s", a.status, a.body)
		}
		refused += len(errors)
	}
	close(stop)
	mover.Wait()
	t.Logf("%d were moved before the answer", refused)
}
