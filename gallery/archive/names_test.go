package archive

import "testing"

func TestSafeSegment(t *testing.T) {
	for name, want := range map[string]string{
		"sea.png": "sea.png", `..\up.png`: ".._up.png", "c:x": "c_x", "a/b": "a_b", "tab\t.png": "tab_.png", "ends. ": "ends_", "CON": "_CON", "nul.png": "_nul.png",
		"console.png": "console.png", "日本.png": "日本.png", `a*?"<>|`: "a______",
	} {
		if have := safeSegment(name); have != want {
			t.Errorf("%q becomes %q, expected %q", name, have, want)
		}
	}
}

func TestNamesAreUnique(t *testing.T) {
	n := names{}
	for _, c := range [][2]string{{"a.png", "a.png"}, {"A.PNG", "A (2).PNG"}, {"a.png", "a (3).png"}, {"a (2).png", "a (2) (2).png"}, {"b", "b"}, {"b", "b (2)"}} {
		if have := n.take(c[0]); have != c[1] {
			t.Errorf("%s becomes %s, expected %s", c[0], have, c[1])
		}
	}
}
