package docsite

import (
	"path"
	"strings"
)

// sourceURL is the prefix of links to files that are not part of the documentation.
const sourceURL = "https://github.com/safelight/safelight/blob/main/"

// generated maps targets of links to pages that exist only on the site and not in the repository.
var generated = map[string]string{
	"docs/reference/operations.md#filters": filtersIndex,
	"schema":                               schemaIndex,
}

// resolve converts the target of a link in a document to a URL relative to the page of the document.
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

// documentOf returns the document that a link in another document points to; empty if it points to something else.
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

// repositoryPath returns the path in the repository that a relative link in a document points to, with its fragment.
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

// toRoot returns the relative path from a page to the folder of the first page: empty, or one or more `../`.
func toRoot(document string) string { return strings.Repeat("../", strings.Count(document, "/")) }
