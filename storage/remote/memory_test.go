package remote

import (
	"fmt"
	"net/http"
	"testing"
)

func kept(n int) *entry { return &entry{object: &Object{Data: make([]byte, n)}} }

func TestMemory(t *testing.T) {
	m := newMemory(4 * (perEntry + 1000))
	for i := range 100 {
		m.put(fmt.Sprint("a", i), kept(900))
		m.get("a0")
		if m.size > m.bound || len(m.slots) != m.order.Len() {
			t.Fatalf("%d bytes in %d slots, expected at most %d", m.size, len(m.slots), m.bound)
		}
	}
	if m.get("a0") == nil || m.get("a99") == nil || m.get("a50") != nil {
		t.Error("it does not keep the latest used ones")
	}
	m.put("a0", kept(100_000))
	if m.get("a0") != nil || m.get("a99") == nil {
		t.Error("what is too large has to go and to leave the others")
	}
	m.put("a99", kept(10))
	m.drop("a98")
	m.drop("a98")
	m.drop("a97")
	m.drop("a99")
	if m.size != 0 || len(m.slots) != 0 {
		t.Errorf("%d bytes in %d slots, expected none", m.size, len(m.slots))
	}
}

func TestMemoryBound(t *testing.T) {
	s := serve(t, "127.0.0.1", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "max-age=600")
		_, _ = w.Write(make([]byte, 10_000))
	})
	f := fetcher(t, Config{CacheBytes: 50_000}, s)
	for i := range 20 {
		get(t, f, fmt.Sprint(s.URL, "/", i))
	}
	if f.memory.size > 50_000 || len(f.memory.slots) != 4 {
		t.Errorf("%d bytes in %d slots", f.memory.size, len(f.memory.slots))
	}
	get(t, f, s.URL+"/19")
	if n := s.requests.Load(); n != 20 {
		t.Errorf("%d requests, expected 20", n)
	}
	none := fetcher(t, Config{CacheBytes: -1}, s)
	get(t, none, s.URL)
	get(t, none, s.URL)
	if n := s.requests.Load(); n != 22 {
		t.Errorf("%d requests, expected 22", n)
	}
}
