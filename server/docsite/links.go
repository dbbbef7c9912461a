package docsite

import (
	"path"
	"strings"
)

// sourceURL is where links lead whose target is not part of the documentation.
const sourceURL = "https://github.com/safelight/safelight/blob/main/"

// generated are targets of links for which the site has pages that the repository has not.
var generated = map[string]string{
	"docs/reference/operations.md#filters": filtersIndex,
	"schema":                               schemaIndex,
}

// resolve returns where a link of a document leads from its page.
func (s *Site) resolve(from, target string) string {
	if isAbsolute(target) {
		return target
	}
	file, fragment, _ := strings.Cut(target, "#")
	if name := s.documentOf(from, target); name != "" {
		if _, isGenerated := generated[s.repositoryPath(from, target)]; isGenerated || fragment == "" {
			return relative(page(from), page(name))
		}
		return relative(page(from), page(name)) + "#" + fragment
	}
	if full, ok := strings.CutPrefix(s.repositoryPath(from, file), "docs/"); ok && s.has(full) {
		return relative(page(from), full)
	}
	return sourceURL + s.repositoryPath(from, target)
}

func isAbsolute(target string) bool {
	return strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") || strings.HasPrefix(target, "#") ||
		strings.HasPrefix(target, "/")
}

// documentOf returns the document that a link of another leads to; empty if it leads to something else.
func (s *Site) documentOf(from, target string) string {
	full := s.repositoryPath(from, target)
	if name, ok := generated[full]; ok {
		return name
	}
	full, _, _ = strings.Cut(full, "#")
	name, ok := strings.CutPrefix(full, "docs/")
	if !ok {
		return ""
	}
	for _, one := range []string{name, path.Join(name, "README.md")} {
		if s.documents[one] != nil {
			return one
		}
	}
	return ""
}

// repositoryPath returns the path in the repository that a relative link of a document leads to, with its fragment.
func (*Site) repositoryPath(from, target string) string {
	return path.Join("docs", path.Dir(from), target)
}

// relative returns a relative URL from one page to another path of the site.
func relative(from, to string) string {
	for {
		folder, rest, more := strings.Cut(from, "/")
		below, ok := strings.CutPrefix(to, folder+"/")
		if !more || !ok {
			return strings.Repeat("../", strings.Count(from, "/")) + to
		}
		from, to = rest, below
	}
}

// toRoot returns what leads from a page to the folder of the first page: empty, or some `../`.
func toRoot(document string) string { return strings.Repeat("../", strings.Count(document, "/")) }
