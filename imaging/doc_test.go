package imaging

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/reference/operations.md anew")

// TestOperationsDoc holds the tables of docs/reference/operations.md to the table of filters.
func TestOperationsDoc(t *testing.T) {
	const file = "../docs/reference/operations.md"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok1 := strings.Cut(string(data), "<!-- filters:begin")
	line, rest, ok2 := strings.Cut(rest, "-->\n")
	_, tail, ok3 := strings.Cut(rest, "<!-- filters:end -->")
	if !ok1 || !ok2 || !ok3 {
		t.Fatalf("%s has no place for the filters", file)
	}
	want := head + "<!-- filters:begin" + line + "-->\n" + filtersDoc() + "<!-- filters:end -->" + tail
	if want == string(data) {
		return
	}
	if !*update {
		t.Fatalf("%s is stale: go test ./imaging -run TestOperationsDoc -update", file)
	}
	if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func filtersDoc() string {
	var b strings.Builder
	for _, meta := range []bool{false, true} {
		if meta {
			b.WriteString("\nIn `/meta`:\n\n")
		}
		b.WriteString("| filter | arguments | effect |\n|---|---|---|\n")
		for _, f := range FilterTable() {
			if f.Meta != meta {
				continue
			}
			name := "`" + strings.Join(append([]string{f.Name}, f.Aliases...), "`, `") + "`"
			list := make([]string, len(f.Parameters))
			for i, p := range f.Parameters {
				list[i] = "`" + p.Name + "`: " + p.Expects()
				switch {
				case p.Optional && p.Default != "":
					list[i] += ", default " + p.Default
				case p.Optional:
					list[i] += ", optional"
				}
			}
			effect := strings.NewReplacer("{", "`", "}", "`").Replace(f.Effect)
			fmt.Fprintf(&b, "| %s | %s | %s |\n", name, strings.Join(list, "<br>"), effect)
		}
	}
	return b.String()
}
