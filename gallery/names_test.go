package gallery_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/storage"
)

// oddNames are names that SQL rules may interpret differently from those in Go: different cases, wildcards,
// letters beyond ASCII.
var oddNames = []string{
	"a.template.preview.webp",
	"a.Template.Preview.Webp",
	"A.TEMPLATE.PREVIEW.WEBP",
	"aXtemplate_preview%webp",
	".template.preview.webp",
	"template.preview.webp",
	"a.template.preview.webp.png",
	"b.template.json",
	"b.Template.JSON",
	".template.json",
	"template.json",
	"b%template_json",
	"b.template.json.png",
	"ü.TEMPLATE.json",
	".dot.png",
	"..dots",
	"c.",
	"c",
	"d.ä",
	"D.Ä",
	"e.PNG",
	"e.png ",
	"İ.pdf",
	"f\u017f.PDF",
	"日本.jpg",
}

// TestNamesInDatabases creates, moves, copies, trashes and restores files and folders with unusual names in
// random order. Both databases must interpret the names like the rules in Go, in rows, in the counts of
// triggers and in lists.
func TestNamesInDatabases(t *testing.T) {
	seed := rand.Uint64()
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		t.Logf("seed %d", seed)
		n := &namesTest{
			newStage(t, db, name, gallerytest.Config{Gallery: gallery.Config{Trash: true}}),
			name,
			rand.New(rand.NewPCG(seed, 1)),
			0,
		}
		for _, folder := range n.folders() {
			must(t, os.MkdirAll(filepath.Join(n.Dir, folder), 0o755))
			for _, name := range oddNames {
				n.onDisk(filepath.Join(folder, name), png)
			}
		}
		n.scan()
		n.check("after a scan")
		// As in the bug report: the folder of such a file is moved.
		must(t, n.MoveFile(access.All(t.Context()), "x", "moved"))
		n.check("after a folder was moved")
		must(t, n.MoveFile(access.All(t.Context()), "moved", "x"))
		const wanted, most = 25, 600 // many random changes are rejected
		for tries := 0; n.done < wanted && tries < most; tries++ {
			n.check(n.step())
		}
		if n.done < wanted {
			t.Errorf("only %d of %d changes were made", n.done, most)
		}
	})
}

// TestRenamedToAnotherKind checks that a renamed file becomes a picture or not, depending on its new name,
// like a new file.
func TestRenamedToAnotherKind(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{Gallery: gallery.Config{Trash: true}})
		s.onDisk("a.png", png)
		s.scan()
		states := func(path string) string {
			f, err := s.File(access.All(t.Context()), path)
			must(t, err)
			return string(f.Metadata())
		}
		for _, step := range []struct {
			to   string
			want gallery.MetadataState
		}{
			{"b.txt", gallery.MetadataNone}, {"c", gallery.MetadataNone}, {"d.jpg", gallery.MetadataPending},
			{"e.template.json", gallery.MetadataNone}, {"a.png", gallery.MetadataPending},
		} {
			from := s.names("")
			must(t, s.MoveFile(access.All(t.Context()), from, step.to))
			if got := states(step.to); got != string(step.want) {
				t.Errorf("%s, renamed to %s, is %s, expected %s", from, step.to, got, step.want)
			}
		}
		item, err := s.TrashFile(access.All(t.Context()), "a.png")
		must(t, err)
		_, err = s.RestoreFile(access.All(t.Context()), item.ID, gallery.ConflictError)
		must(t, err)
		if got := states("a.png"); got != string(gallery.MetadataPending) {
			t.Errorf("a restored picture is %s", got)
		}
	})
}

type namesTest struct {
	*stage
	dialect string
	random  *rand.Rand
	done    int
}

func (n *namesTest) folders() []string {
	return []string{"", "x", "x/.e", "x/Y.template.preview.webp", "X.Template.Preview.Webp/deep"}
}

func pick[T any](n *namesTest, list []T) T { return list[n.random.IntN(len(list))] }

// step makes a random change and describes it.
func (n *namesTest) step() string {
	ctx := n.Context()
	folder := func() string { return pick(n, append(n.folders(), "new/Z.TEMPLATE.PREVIEW.WEBP")) }
	path := func() string {
		if n.random.IntN(4) == 0 {
			return folder()
		}
		return strings.TrimPrefix(folder()+"/"+pick(n, oddNames), "/")
	}
	var err error
	what := pick(n, []string{"create", "move", "move", "copy", "trash", "trash", "restore", "restore"})
	from, to := path(), path()
	switch what {
	case "create":
		_, err = n.UploadFile(ctx, from, strings.NewReader(png))
	case "move":
		err = n.MoveFile(ctx, from, to)
	case "copy":
		err = n.CopyFile(ctx, from, to)
	case "trash":
		_, err = n.TrashFile(ctx, from)
	case "restore":
		var page *database.Page[*gallery.TrashedFile]
		if page, err = n.TrashedFiles(ctx, 100, ""); err == nil && len(page.Items) > 0 {
			item := pick(n, page.Items)
			from = item.Path
			_, err = n.RestoreFile(ctx, item.ID, gallery.ConflictRename)
		}
	}
	switch fault.CodeOf(err) {
	case "":
		n.done++
	case fault.Conflict, fault.Forbidden, fault.Invalid, fault.NotFound, fault.UnsupportedType, fault.CorruptImage:
	default:
		n.Errorf("%s %q to %q: %v", what, from, to, err)
	}
	return fmt.Sprintf("after %s %q %q: %v", what, from, to, err)
}

// check compares the rows, the results of SQL, and lists with the rules in Go.
func (n *namesTest) check(when string) {
	n.Helper()
	class := map[string]string{"sqlite3": "class", "postgres": "entry_class(name, meta_state)"}[n.dialect]
	rows, err := n.Pool.Query(
		fmt.Sprintf(
			"SELECT path, name, kind, meta_state, hidden, %s, %s FROM entries",
			search.HiddenSQL(n.dialect, "path"), class,
		),
	)
	must(n.T, err)
	defer rows.Close()
	classes := map[int]int{}
	var templates []string
	for rows.Next() {
		var path, name string
		var kind, state, class int
		var hidden, bySQL bool
		must(n.T, rows.Scan(&path, &name, &kind, &state, &hidden, &bySQL, &class))
		isHidden, isPreview, isTemplate := search.IsHidden(path), search.IsPreview(name), search.IsTemplate(name)
		if isHidden != (storage.Key(path).IsHidden() || isPreview) {
			n.Errorf("%s: IsHidden(%q) is %v", when, path, isHidden)
		}
		if hidden != isHidden || bySQL != isHidden {
			n.Errorf("%s: %q is hidden %v and %v in SQL, expected %v", when, path, hidden, bySQL, isHidden)
		}
		want := 0
		switch {
		case strings.HasPrefix(name, "."):
			want = 3
		case isPreview:
			want = 2
		case isTemplate && state == int(search.StateNone):
			want = 1
		}
		if class != want {
			n.Errorf("%s: %q has the class %d, expected %d", when, path, class, want)
		}
		classes[want]++
		if kind == int(search.KindFile) && isTemplate && !isHidden {
			templates = append(templates, path)
		}
	}
	must(n.T, rows.Err())
	for class, want := range classes {
		var have int
		must(
			n.T,
			n.Pool.QueryRow(fmt.Sprintf("SELECT coalesce(sum(n), 0) FROM entry_counts WHERE class = %d", class)).
				Scan(&have),
		)
		if have != want {
			n.Errorf("%s: triggers count %d entries of class %d, expected %d", when, have, class, want)
		}
	}
	n.checkTemplates(when, templates)
	for _, folder := range []string{"", "x", "x/Y.template.preview.webp"} {
		n.checkListing(when, folder)
	}
}

// checkTemplates compares the results of the filter.
func (n *namesTest) checkTemplates(when string, want []string) {
	n.Helper()
	c, err := n.Files(
		n.Context(),
		gallery.BrowseOptions{Recursive: true, First: ptr(int32(100)), Filter: search.Filter{IsTemplate: ptr(true)}},
	)
	must(n.T, err)
	var have []string
	for _, e := range c.Edges {
		have = append(have, e.Node.Path())
	}
	slices.Sort(have)
	slices.Sort(want)
	if !slices.Equal(have, want[:min(len(want), 100)]) {
		n.Errorf("%s: the filter of templates finds\n%q, expected\n%q", when, have, want)
	}
}

// checkListing compares a folder with the content of the disk.
func (n *namesTest) checkListing(when, folder string) {
	n.Helper()
	disk, err := os.ReadDir(filepath.Join(n.Dir, folder))
	if err != nil {
		return // it was moved
	}
	var want []string
	for _, e := range disk {
		if !strings.HasPrefix(e.Name(), ".") && !search.IsPreview(e.Name()) {
			want = append(want, e.Name())
		}
	}
	have, err := n.Names(n.Context(), folder)
	must(n.T, err)
	slices.Sort(have)
	slices.Sort(want)
	if !slices.Equal(have, want) {
		n.Errorf("%s: %q lists\n%q, expected\n%q", when, folder, have, want)
	}
}
