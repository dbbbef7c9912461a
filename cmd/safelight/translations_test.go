package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/storage/mounts"
)

// serverTexts returns the application's catalogues of the server's texts, by language.
func serverTexts(t *testing.T) map[string]map[string]string {
	t.Helper()
	files, err := filepath.Glob("../../web/src/messages/server/*.json")
	if err != nil || len(files) < 2 {
		t.Fatalf("there are %d catalogues: %v", len(files), err)
	}
	all := map[string]map[string]string{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var texts map[string]string
		if err := json.Unmarshal(data, &texts); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".json")] = texts
	}
	return all
}

// TestServerTextsAreTranslated checks that the application has the server's settings, groups of settings and
// explanations of filters in all of its languages, and that its English is the server's.
func TestServerTextsAreTranslated(t *testing.T) {
	all := serverTexts(t)
	english := all["en"]
	for _, f := range imaging.FilterTable() {
		if got := english["explain."+f.Name]; got != f.Effect {
			t.Errorf("explain.%s in en.json is %q, expected %q", f.Name, got, f.Effect)
		}
	}
	keys := slices.Collect(maps.Keys(english))
	for _, s := range settingsTable {
		keys = append(keys, "setting."+s.Name)
		if english["group."+s.Group] == "" {
			t.Errorf("group.%s is missing in en.json", s.Group)
		}
		isShown := func(text string) bool { return text == "("+s.Shown+")" }
		if s.Shown != "" && !slices.ContainsFunc(slices.Collect(maps.Values(english)), isShown) {
			t.Errorf("(%s), of %s, is missing in en.json", s.Shown, s.Name)
		}
	}
	slices.Sort(keys)
	places := regexp.MustCompile(`\{\w+\}`)
	for language, texts := range all {
		if language == "en" {
			continue
		}
		if got := slices.Sorted(maps.Keys(texts)); !slices.Equal(got, keys) {
			missing := slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return texts[k] != "" })
			extra := slices.DeleteFunc(got, func(k string) bool { return slices.Contains(keys, k) })
			t.Errorf("%s.json lacks %q, and has %q besides", language, missing, extra)
		}
		for key, text := range english {
			want, got := places.FindAllString(text, -1), places.FindAllString(texts[key], -1)
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s in %s.json has the places %q, expected %q", key, language, got, want)
			}
		}
	}
}

// TestActionsAreTranslated checks that the application has words for every action of the audit log. That they are in
// all languages is held by web/src/messages/messages.test.ts.
func TestActionsAreTranslated(t *testing.T) {
	data, err := os.ReadFile("../../web/src/messages/en.json")
	if err != nil {
		t.Fatal(err)
	}
	var texts map[string]any
	if err := json.Unmarshal(data, &texts); err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("../../audit/actions.go")
	if err != nil {
		t.Fatal(err)
	}
	actions := regexp.MustCompile(`Action += "([a-z.-]+)"`).FindAllSubmatch(source, -1)
	if len(actions) == 0 {
		t.Fatal("audit/actions.go has no actions")
	}
	known := map[string]bool{}
	for _, a := range actions {
		known["admin.did."+string(a[1])] = true
		if texts["admin.did."+string(a[1])] == nil {
			t.Errorf("admin.did.%s is missing in en.json", a[1])
		}
	}
	for key := range texts {
		if strings.HasPrefix(key, "admin.did.") && !known[key] {
			t.Errorf("%s in en.json is no action", key)
		}
	}
}

// TestFindingsAreTranslated checks that findings of a server with a problem fit a text of the catalogue that says more
// than that something failed.
func TestFindingsAreTranslated(t *testing.T) {
	english := serverTexts(t)["en"]
	delete(english, "finding.storageFailed")
	patterns := patternsOf(english, "finding.")
	folder := t.TempDir()
	keys := filepath.Join(folder, "keys.json")
	if err := os.WriteFile(keys, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := &Settings{Data: folder, TraceEndpoint: "http://127.0.0.1:1"}
	d := &diagnosis{}
	d.keys(s)
	d.traces(t.Context(), s)
	d.clock(time.Unix(0, 0), time.Now())
	d.warn("mount", mounts.Hides("archive"))
	for _, f := range d.findings {
		if !slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(f.text) }) {
			t.Errorf("%s: no text for %q", f.what, f.text)
		}
	}
	if len(d.findings) != 4 {
		t.Errorf("there are %d findings", len(d.findings))
	}
}

// TestFontRefusalsAreTranslated checks that everything package fonts says of a font that it refuses fits a text of the
// catalogue.
func TestFontRefusalsAreTranslated(t *testing.T) {
	patterns := patternsOf(serverTexts(t)["en"], "font.")
	said := regexp.MustCompile(`(?:fault\.(?:New|OnField)\(fault\.\w+,(?: "\w+",)?|Message:)\s*"([^"]+)"`)
	texts := 0
	for _, file := range []string{"file.go", "fonts.go"} {
		source, err := os.ReadFile("../../fonts/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range said.FindAllStringSubmatch(string(source), -1) {
			text := strings.NewReplacer("the %s is", "the family is", "%s", `"a"`, "%d", "12").Replace(match[1])
			if strings.HasPrefix(text, "the fonts of the picture") {
				continue // of an image URL
			}
			texts++
			if !slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(text) }) {
				t.Errorf("no text for %q", text)
			}
		}
	}
	if texts < 10 {
		t.Errorf("there are %d texts", texts)
	}
}

// patternsOf returns expressions for the texts whose key begins with prefix.
func patternsOf(english map[string]string, prefix string) []*regexp.Regexp {
	var patterns []*regexp.Regexp
	for key, text := range english {
		if !strings.HasPrefix(key, prefix) || key == "explain.size" {
			continue
		}
		parts := regexp.MustCompile(`\{\w+\}`).Split(text, -1)
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		patterns = append(patterns, regexp.MustCompile("^"+strings.Join(parts, ".+?")+"$"))
	}
	return patterns
}

// TestExplanationsAreTranslated checks that every line of an explanation fits a text of the catalogue.
func TestExplanationsAreTranslated(t *testing.T) {
	patterns := patternsOf(serverTexts(t)["en"], "explain.")
	for _, path := range []string{
		"color:red", "https://example.com/a", "trim:5/1x2:30x40/100x50/left/x", "100x0/x", "0x100/x", "100x50/smart/x",
		"fit-in/100x50/x", "adaptive-fit-in/100x50/x", "full-fit-in/100x50/x", "adaptive-full-fit-in/100x50/x",
		"stretch/100x50/x", "-10x-10/1x2:3x4/x", "meta/filters:blurhash(99,1)/x", "filters:straighten(-3):orient(90)/x",
	} {
		r, err := imaging.Parse("unsafe/" + path)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range r.Explain() {
			if !slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(line) }) {
				t.Errorf("%s: no text for %q", path, line)
			}
		}
	}
}
