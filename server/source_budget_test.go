package server

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestSourcesShareMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSourceBudget(400)
		release, err := s.acquire(t.Context(), 80)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.acquire(ctx, 30); err == nil {
			t.Error("110 of 100 bytes were given")
		}
		more, err := s.acquire(t.Context(), 20)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			all, err := s.acquire(t.Context(), 1000)
			if err != nil {
				t.Error(err)
				return
			}
			close(done)
			all()
		}()
		synctest.Wait()
		select {
		case <-done:
			t.Error("what is larger than all did not wait to be alone")
		default:
		}
		release()
		more()
		<-done
		synctest.Wait()
		if n := s.used.Load(); n != 0 {
			t.Errorf("%d bytes are in use after all", n)
		}
	})
	if release, err := newSourceBudget(0).acquire(t.Context(), 1<<40); err != nil {
		t.Error(err)
	} else {
		release()
	}
}
