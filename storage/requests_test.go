package storage_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/storage/storagetest"
)

func putting(t *testing.T, s storage.Store, key storage.Key) func() error {
	return func() error {
		_, err := s.Create(t.Context(), key, strings.NewReader(string(key)), storage.CreateOptions{})
		return err
	}
}

// TestS3Requests holds how many requests an operation costs.
func TestS3Requests(t *testing.T) {
	c := storagetest.NewCounted(t)
	const files = 1200
	var wg sync.WaitGroup
	for worker := range 10 {
		wg.Go(func() {
			for i := worker; i < files; i += 10 {
				if err := putting(t, c, storage.Key(fmt.Sprintf("big/img-%04d.jpg", i)))(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := putting(t, c, "other/file.jpg")(); err != nil {
		t.Fatal(err)
	}
	// what a server can is found out once
	if err := c.Delete(t.Context(), "other/file.jpg"); err != nil {
		t.Fatal(err)
	}
	list := func() error {
		n := 0
		for _, err := range c.Store.List(t.Context(), "big", storage.ListOptions{}) {
			if err != nil {
				return err
			}
			n++
		}
		if n != files {
			return fmt.Errorf("%d files are listed, expected %d", n, files)
		}
		return nil
	}
	for _, o := range []struct {
		name string
		max  int
		do   func() error
	}{
		{"list a folder", files/1000 + 1, list},
		{"upload", 3, putting(t, c, "big/new.jpg")},
		{"upload to a new folder", 4, putting(t, c, "fresh/new.jpg")},
		{"move a file", 4, func() error { return c.Move(t.Context(), "big/new.jpg", "big/newer.jpg") }},
		{"copy a file", 4, func() error { return c.Copy(t.Context(), "big/newer.jpg", "big/copy.jpg") }},
		{"delete a file", 2, func() error { return c.Delete(t.Context(), "big/copy.jpg") }},
	} {
		got := c.Traffic(t, o.do)
		t.Logf("%s: %v", o.name, got.Kinds)
		if got.Requests > o.max {
			t.Errorf("%s makes %d requests, expected at most %d: %v", o.name, got.Requests, o.max, got.Kinds)
		}
		if strings.HasPrefix(o.name, "list") && got.Kinds["HEAD"] != 0 {
			t.Errorf("%s makes %d HEAD requests", o.name, got.Kinds["HEAD"])
		}
	}
}
