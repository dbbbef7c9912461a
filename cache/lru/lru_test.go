package lru

import (
	"slices"
	"testing"
)

func keys(l *List[string, string]) (list []string) {
	for v := range l.All() {
		list = append(list, v)
	}
	return list
}

func TestOrder(t *testing.T) {
	l := New[string, string]()
	if k, ok := l.Oldest(); ok {
		t.Errorf("the oldest of nothing is %q", k)
	}
	for n, k := range []string{"a", "b", "c"} {
		l.Put(k, k, int64(n+1))
	}
	check := func(what string, bytes int64, want ...string) {
		t.Helper()
		if got := keys(l); !slices.Equal(got, want) || l.Bytes() != bytes || l.Len() != len(want) {
			t.Errorf("%s: %v of %d bytes, want %v of %d", what, got, l.Bytes(), want, bytes)
		}
		if k, ok := l.Oldest(); ok != (len(want) > 0) || ok && k != want[len(want)-1] {
			t.Errorf("%s: the oldest is %q", what, k)
		}
	}
	check("put", 6, "c", "b", "a")
	if v, ok := l.Get("a"); v != "a" || !ok {
		t.Errorf("got %q %v", v, ok)
	}
	check("get", 6, "a", "c", "b")
	if _, ok := l.Get("x"); ok || l.Contains("x") || !l.Contains("b") {
		t.Error("it has what was never put, or lacks what was")
	}
	check("contains", 6, "a", "c", "b")
	l.Put("b", "b", 10)
	check("replaced", 14, "b", "a", "c")
	l.PutLast("d", "d", 1)
	check("last", 15, "b", "a", "c", "d")
	l.PutLast("b", "b", 1)
	check("last again", 6, "a", "c", "d", "b")
	if v, ok := l.Remove("a"); v != "a" || !ok {
		t.Errorf("removed %q %v", v, ok)
	}
	if _, ok := l.Remove("a"); ok {
		t.Error("removed twice")
	}
	check("removed", 5, "c", "d", "b")
	for v, bytes := range l.All() {
		if v != "c" || bytes != 3 {
			t.Errorf("the first is %q of %d bytes", v, bytes)
		}
		break
	}
}
