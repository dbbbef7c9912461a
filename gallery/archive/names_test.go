package archive

import (
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

func TestSafeSegment(t *testing.T) {
	for name, want := range map[string]string{
		"sea.png": "sea.png", `..\up.png`: ".._up.png", "c:x": "c_x", "a/b": "a_b", "tab\t.png": "tab_.png",
		"ends. ": "ends_", "CON": "_CON", "nul.png": "_nul.png",
		"console.png": "console.png", "日本.png": "日本.png", `a*?"<>|`: "a______", "\u202egpj.exe": "_gpj.exe",
		"c1\u0085": "c1_",
	} {
		if have := safeSegment(name); have != want {
			t.Errorf("%q becomes %q, expected %q", name, have, want)
		}
	}
}

func TestNamesAreUnique(t *testing.T) {
	n := names{}
	for _, c := range [][2]string{{"a.png", "a.png"}, {"A.PNG", "A (2).PNG"}, {"a.png", "a (3).png"},
		{"a (2).png", "a (2) (2).png"}, {"b", "b"}, {"b", "b (2)"}} {
		if have := n.take(c[0]); have != c[1] {
			t.Errorf("%s becomes %s, expected %s", c[0], have, c[1])
		}
	}
}

func TestFileName(t *testing.T) {
	long := strings.Repeat("é", maxName-4)
	folder, err := storage.ParseKey(strings.Repeat("a", 150))
	if err != nil {
		t.Fatal(err)
	}
	one, two := []storage.Key{folder}, []storage.Key{folder, folder}
	for _, c := range []struct {
		name string
		keys []storage.Key
		want string // empty: rejected
	}{
		{"", one, folder.Name() + ".zip"}, {"", two, "files.zip"}, {"sea", one, "sea.zip"}, {"Sea.ZIP", two, "Sea.ZIP"},
		{long, one, long + ".zip"}, {long + ".zip", two, long + ".zip"},
		{long + "x", one, ""}, {long + "x", two, ""}, {"../x", one, ""}, {`a\b`, one, ""}, {"\xff", one, ""},
	} {
		have, err := fileName(c.name, c.keys)
		if have != c.want || (c.want == "") != (fault.CodeOf(err) == fault.Invalid) {
			t.Errorf("%.20q: %.20q, %v; expected %.20q", c.name, have, err, c.want)
		}
	}
}
