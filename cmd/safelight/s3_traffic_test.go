package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/storage/storagetest"
)

// TestS3Traffic holds how many requests and bytes a server exchanges with S3 for what people do with pictures.
func TestS3Traffic(t *testing.T) {
	bucket := emptyS3(t)
	direct, err := storage.Open(t.Context(), bucket)
	must(t, err)
	defer direct.Close()
	address, err := url.Parse(bucket)
	must(t, err)
	query := address.Query()
	backend, err := url.Parse(query.Get("endpoint"))
	must(t, err)

	// Each case has its own folder, so that requests of other cases and of background work are not counted.
	var folder atomic.Value
	folder.Store("none")
	counter := &storagetest.Counter{Concerns: func(r *http.Request) bool {
		name := folder.Load().(string)
		prefix := r.URL.Query().Get("prefix")
		return strings.Contains(r.URL.Path, "/"+name+"/") || strings.HasSuffix(prefix, "/"+name) ||
			strings.Contains(prefix, "/"+name+"/") || strings.Contains(r.URL.Path+prefix, "/.safelight/uploads")
	}}
	query.Set("endpoint", storagetest.Proxy(t, backend, counter.Handle))
	address.RawQuery = query.Encode()
	s := launchIn(
		t, t.TempDir(), []string{"SAFELIGHT_PROCESSOR_SECRET=" + realSecret}, "--storage", address.String(),
		"--source-check", "0",
	)
	defer func() { must(t, s.stop()) }()
	token := s.login()

	const part = 6 << 20
	picture := photo(1200, 1200)
	large := append(bytes.Clone(picture), make([]byte, 2*part+1<<20)...) // decoders stop at the end of the picture
	analyzed := func(folder string, files int) {
		s.until("the metadata", func() bool {
			text := fmt.Sprint(
				s.ask(token, fmt.Sprintf(`{ files(folder: %q, first: 100) { nodes { analysisState } } }`, folder)),
			)
			return strings.Count(text, "analysisState:DONE") == files
		})
	}
	// resumable sends a file in requests of that many bytes.
	resumable := func(path string, data []byte, part int) error {
		location := s.beginUpload(token, path, len(data))
		for at := 0; at < len(data); at += part {
			r := s.tus("PATCH", location, "", data[at:min(at+part, len(data))], "Upload-Offset", fmt.Sprint(at),
				"Content-Type", "application/offset+octet-stream")
			if r.status != http.StatusNoContent {
				return fmt.Errorf("at %d: %d %s", at, r.status, r.body)
			}
		}
		return nil
	}
	const files = 20
	put := func(path string, data []byte) { // as another program does
		_, err := direct.Create(t.Context(), storage.Key(path), bytes.NewReader(data), storage.CreateOptions{})
		must(t, err)
	}
	one, whole := int64(len(picture)), int64(len(large))
	for _, c := range []struct {
		name, folder   string
		requests       int
		sent, received int64
		do             func() error
	}{
		{"an upload in one request, analyzed", "single", 7, one, one, func() error {
			if r := s.upload(token, "single/a.jpg", picture); strings.Contains(string(r.body), "errors") {
				return fmt.Errorf("%s", r.body)
			}
			analyzed("single", 1)
			return nil
		}},
		{"a resumable upload in one request", "resumed", 12, one, one, func() error {
			if err := resumable("resumed/a.jpg", picture, len(picture)); err != nil {
				return err
			}
			analyzed("resumed", 1)
			return nil
		}},
		{"a resumable upload in three requests", "parts", 23, whole, 2 * whole, func() error {
			if err := resumable("parts/a.jpg", large, part); err != nil {
				return err
			}
			analyzed("parts", 1)
			return nil
		}},
		{"the first index of 20 files", "many", files + 1, 0, files * one, func() error {
			for i := range files {
				put(fmt.Sprintf("many/%d.jpg", i), drawn(t, i+100))
			}
			analyzed("many", files)
			return nil
		}},
		{"a picture that is not cached", "seen", 2, 0, one, func() error {
			put("seen/a.jpg", picture)
			r := s.get(s.signed("fit-in/300x300/seen/a.jpg"))
			if r.err == nil && r.status != http.StatusOK {
				r.err = fmt.Errorf("%d %s", r.status, r.body)
			}
			return r.err
		}},
	} {
		folder.Store(c.folder)
		got := counter.Traffic(t, c.do)
		t.Logf(
			"%-38s %3d requests %v, %8d bytes sent, %8d received", c.name, got.Requests, got.Kinds, got.Sent,
			got.Received,
		)
		const more = 1.01 // signatures of chunks, and the documents that answer a copy
		if got.Requests > c.requests || float64(got.Sent) > more*float64(c.sent) ||
			float64(got.Received) > more*float64(c.received) {
			t.Errorf(
				"%s: %+v, expected at most %d requests, %d bytes sent and %d received", c.name, got,
				c.requests, c.sent, c.received,
			)
		}
	}
}
