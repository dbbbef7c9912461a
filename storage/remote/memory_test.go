package remote

import (
	"fmt"
	"net/http"
	"testing"
)

func kept(n int) *entry { return &entry{object: &Object{Data: make([]byte, n)}} }

func TestMemory(t *testing.T) {
	m := newMemory(4 * (entryOverhead + 1000))
	for i := range 100 {
		m.put(fmt.Sprint("a", i), kept(900))
		m.get("a0")
		if m.entries.Bytes() > m.maxBytes {
			t.Fatalf("%d bytes in %d entries, expected at most %d", m.entries.Bytes(), m.entries.Len(), m.maxBytes)
		}
	}
	if m.get("a0") == nil || m.get("a99") == nil || m.get("a50") != nil {
		t.Error("it does not keep the most recently used entries")
	}
	m.put("a0", kept(100_000))
	if m.get("a0") != nil || m.get("a99") == nil {
		t.Error("an entry that is too large must go and leave the others")
	}
	m.put("a99", kept(10))
	m.remove("a98")
	m.remove("a98")
	m.remove("a97")
	m.remove("a99")
	if m.entries.Bytes() != 0 || m.entries.Len() != 0 {
		t.Errorf("%d bytes in %d entries, expected none", m.entries.Bytes(), m.entries.Len())
	}
}

func TestMemoryBound(t *testing.T) {
	s := serve(t, "127.0.0.1", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "max-age=600")
		_, _ = w.Write(make([]byte, 10_000))
	})
	f := fetcher(t, Config{}, s)
	f.memory = newMemory(50_000)
	for i := range 20 {
		get(t, f, fmt.Sprint(s.URL, "/", i))
	}
	if f.memory.entries.Bytes() > 50_000 || f.memory.entries.Len() != 4 {
		t.Errorf("%d bytes in %d entries", f.memory.entries.Bytes(), f.memory.entries.Len())
	}
	get(t, f, s.URL+"/19")
	if n := s.requests.Load(); n != 20 {
		t.Errorf("%d requests, expected 20", n)
	}
}
