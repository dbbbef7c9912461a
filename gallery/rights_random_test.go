package gallery_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/storage"
)

// TestRandomRights compares what an account sees with the result of a simple implementation over all rows, in
// every order and direction, page by page. Between comparisons, grants, groups and folders change on two
// servers that share the database. Nothing that a server caches must outlive these changes.
func TestRandomRights(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		l := newRandomLibrary(s, rand.New(rand.NewPCG(31, 1)))
		rounds := 8
		if testing.Short() {
			rounds = 5
		}
		for round := range rounds {
			for range 1 + l.IntN(4) {
				l.change(round)
			}
			l.compare(fmt.Sprintf("round %d", round))
		}
	})
}

// randomLibrary is a library below a folder, with random rights.
type randomLibrary struct {
	*gallerytest.Stage
	*rand.Rand
	servers [2]*gallerytest.Rules
	folders []string
	viewer  *accounts.Session
	group   uuid.UUID
	member  bool
	grants  map[string]map[access.GranteeKind]bool
}

func newRandomLibrary(s *gallerytest.Stage, r *rand.Rand) *randomLibrary {
	l := &randomLibrary{
		Stage: s, Rand: r, servers: [2]*gallerytest.Rules{s.Rules, s.Again()},
		viewer: s.Person("viewer", auth.RoleUser), grants: map[string]map[access.GranteeKind]bool{},
	}
	s.Must(s.SetGrants(s.Context(), "", nil))
	for i := range 24 {
		folder := fmt.Sprintf("top/d%02d", i)
		if i > 5 && l.IntN(2) == 0 {
			folder = fmt.Sprintf("%s/d%02d", l.any(), i)
		}
		l.folders = append(l.folders, folder)
		s.Put(folder+"/f.png", gallerytest.PNG)
		_, err := s.Folder(s.Context(), folder)
		s.Must(err)
		_, err = s.Pool.Exec("INSERT INTO entries (path, parent_id, name, name_key, kind, hidden, synced) "+
			"SELECT path || '/.hidden', id, '.hidden', $1, 0, TRUE, 1 FROM entries WHERE path = $2", []byte(".hidden"),
			folder)
		s.Must(err)
		many(s, folder, l.IntN(40)*(1+9*(i%4/3)), l.IntN(5)) // some have so many files that short pages are merged
		many(s, folder+"/.hidden", 2, 1)
	}
	_, err := s.Pool.Exec("UPDATE entries SET pixels = id % 3, hidden = path LIKE '%/.%' WHERE kind = 1")
	s.Must(err)
	s.Put("top/rest/f.png", gallerytest.PNG)
	_, err = s.Folder(s.Context(), "top/rest")
	s.Must(err)
	many(s, "top/rest", search.MaxCandidates+10, 2) // more files contain the word common than can be listed
	g, err := s.Access.CreateGroup(s.Context(), "group", nil)
	s.Must(err)
	l.group = g.ID
	return l
}

// any returns a random folder.
func (l *randomLibrary) any() string { return l.folders[l.IntN(len(l.folders))] }

// server returns a random server.
func (l *randomLibrary) server() *gallerytest.Rules { return l.servers[l.IntN(2)] }

// change makes a random change, which may affect what the viewer sees.
func (l *randomLibrary) change(round int) {
	l.Helper()
	s, ctx := l.server(), l.Context()
	switch l.IntN(10) {
	case 0:
		from, to := l.any(), fmt.Sprintf("top/moved%d", l.IntN(1_000_000))
		l.Must(s.MoveFile(ctx, from, to))
		inside := func(path string) bool { return strings.HasPrefix(path+"/", from+"/") }
		for i, f := range l.folders {
			if inside(f) {
				l.folders[i] = to + strings.TrimPrefix(f, from)
			}
		}
		for path, who := range maps.Clone(l.grants) {
			if inside(path) {
				delete(l.grants, path)
				l.grants[to+strings.TrimPrefix(path, from)] = who
			}
		}
	case 1:
		if len(l.folders) < 12 {
			return
		}
		gone := l.any()
		if l.IntN(2) == 0 {
			l.Must(s.RemoveFile(ctx, storage.Key(gone)))
		} else {
			_, err := s.TrashFile(ctx, gone)
			l.Must(err)
		}
		inside := func(path string) bool { return strings.HasPrefix(path+"/", gone+"/") }
		l.folders = slices.DeleteFunc(l.folders, inside)
		maps.DeleteFunc(l.grants, func(path string, _ map[access.GranteeKind]bool) bool { return inside(path) })
	case 2:
		folder := fmt.Sprintf("%s/new%d", l.any(), l.IntN(1_000_000))
		l.Must(s.CreateFolder(ctx, folder))
		l.folders = append(l.folders, folder)
		many(l.Stage, folder, 1+l.IntN(5), 3)
	case 3:
		file := l.any() + "/f.png"
		if _, err := l.Store.Stat(ctx, storage.Key(file)); err == nil {
			l.Must(s.MoveFile(ctx, file, fmt.Sprintf("%s/f%d.png", l.any(), l.IntN(1_000_000))))
		}
	case 4:
		one, c := []uuid.UUID{l.viewer.User.ID}, access.ChangeGroup{}
		if l.member = !l.member; l.member {
			c.Add = one
		} else {
			c.Remove = one
		}
		_, err := s.Access.UpdateGroup(ctx, l.group, c)
		l.Must(err)
	case 5:
		l.Must(s.Access.DeleteGroup(ctx, l.group))
		g, err := s.Access.CreateGroup(ctx, fmt.Sprintf("group %d %d", round, l.IntN(1_000_000)), nil)
		l.Must(err)
		l.group, l.member = g.ID, false
		for _, who := range l.grants {
			delete(who, access.Group)
		}
	default:
		folder := l.any()
		who := l.grants[folder]
		if who == nil {
			who = map[access.GranteeKind]bool{}
			l.grants[folder] = who
		}
		kind := []access.GranteeKind{access.Account, access.Group, access.Everyone}[l.IntN(3)]
		if who[kind] = !who[kind]; !who[kind] {
			delete(who, kind)
		}
		var list []*access.Grant
		for kind := range who {
			id := map[access.GranteeKind]string{access.Account: l.viewer.User.ID.String(),
				access.Group: l.group.String()}[kind]
			list = append(list, &access.Grant{To: access.Grantee{Kind: kind, ID: id}, Right: access.View})
		}
		l.Must(s.Access.SetGrants(ctx, folder, list))
	}
}

// sees reports whether the viewer may see a file, according to the grants on its parent folders.
func (l *randomLibrary) sees(path string) bool {
	for at, who := range l.grants {
		if strings.HasPrefix(path, at+"/") && (who[access.Account] || who[access.Everyone] ||
			who[access.Group] && l.member) {
			return true
		}
	}
	return false
}

// entries reads all rows.
func (l *randomLibrary) entries() (all []*ent.Entry) {
	l.Helper()
	rows, err := l.Pool.Query("SELECT id, path, kind, words, name_key, size, modified, taken_key, pixels, rating " +
		"FROM entries")
	l.Must(err)
	defer rows.Close()
	for rows.Next() {
		e := &ent.Entry{}
		l.Must(rows.Scan(&e.ID, &e.Path, &e.Kind, &e.Words, &e.NameKey, &e.Size, &e.Modified, &e.TakenKey, &e.Pixels,
			&e.Rating))
		all = append(all, e)
	}
	l.Must(rows.Err())
	return all
}

// expected returns those of all entries that are files that the viewer may see and that match a search for one word,
// in the order of o.
func (l *randomLibrary) expected(all []*ent.Entry, o gallery.BrowseOptions) (files []*ent.Entry) {
	l.Helper()
	has := func(e *ent.Entry) bool { return o.Search == "" || strings.Contains(" "+e.Words, " "+o.Search) }
	named := map[string]bool{} // folders whose names contain the word
	for _, e := range all {
		if e.Kind == search.KindFolder && has(e) {
			named[e.Path] = true
		}
	}
	for _, e := range all {
		if e.Kind == search.KindFolder || !strings.HasPrefix(e.Path, o.Folder) || strings.Contains("/"+e.Path, "/.") ||
			!l.sees(e.Path) {
			continue
		}
		found := has(e)
		for i, c := range e.Path {
			found = found || c == '/' && named[e.Path[:i]]
		}
		if found {
			files = append(files, e)
		}
	}
	slices.SortFunc(files, func(a, b *ent.Entry) int {
		order := cmp.Or(map[gallery.Sort]int{
			gallery.SortName:       bytes.Compare(a.NameKey, b.NameKey),
			gallery.SortSize:       cmp.Compare(a.Size, b.Size),
			gallery.SortModified:   cmp.Compare(a.Modified, b.Modified),
			gallery.SortTaken:      cmp.Compare(a.TakenKey, b.TakenKey),
			gallery.SortDimensions: cmp.Compare(a.Pixels, b.Pixels),
			gallery.SortRating:     cmp.Compare(a.Rating, b.Rating),
		}[o.Sort], cmp.Compare(a.ID, b.ID))
		if o.Descending {
			return -order
		}
		return order
	})
	return files
}

// compare compares lists, counts and the timeline with the expected ones, in every order and direction.
func (l *randomLibrary) compare(when string) {
	l.Helper()
	ctx, all := l.As(l.viewer), l.entries()
	for _, order := range []gallery.Sort{
		gallery.SortName, gallery.SortSize, gallery.SortModified, gallery.SortTaken, gallery.SortDimensions,
		gallery.SortRating,
	} {
		for _, descending := range []bool{false, true} {
			o := gallery.BrowseOptions{
				Recursive: true, Sort: order, Descending: descending,
				Search: []string{"", "", "common", "f", "png", "d1"}[l.IntN(6)],
			}
			if l.IntN(4) == 0 {
				o.Folder = "top"
			}
			s := l.server()
			if o.Folder != "" && !l.sees(o.Folder+"/") {
				if _, err := s.Folder(ctx, o.Folder); err != nil {
					o.Folder = ""
				}
			}
			what := fmt.Sprintf("%s, %+v", when, o)
			expected := l.expected(all, o)
			want := paths(expected)
			if got := l.pages(ctx, s, o); !slices.Equal(got, want) {
				l.Errorf("%s: %d files in pages, expected %d", what, len(got), len(want))
			}
			c, err := s.Files(ctx, o)
			l.Must(err)
			if n, err := c.TotalCount(ctx, true); err != nil || int(*n) != len(want) {
				l.Errorf("%s: counted %v, %v, expected %d", what, *n, err, len(want))
			}
			buckets, err := s.Timeline(ctx, o, search.Day)
			l.Must(err)
			sum := 0
			for _, b := range buckets {
				sum += int(b.Count)
			}
			if sum != len(want) {
				l.Errorf("%s: the timeline has %d files, expected %d", what, sum, len(want))
			}
			if len(want) < 20 {
				continue
			}
			o.Skip = int32(1 + l.IntN(len(want)-2))
			if rest := l.page(ctx, s, o, 10); !slices.Equal(rest, want[o.Skip:min(len(want), int(o.Skip)+10)]) {
				l.Errorf("%s: wrong files after those that are skipped", what)
			}
			gone := l.disturb(ctx, what, o, expected)
			all = slices.DeleteFunc(all, func(e *ent.Entry) bool { return e == gone })
		}
	}
}

// disturb deletes a file of the first page before the second page is read. The second page must not change. It returns
// the deleted file, or nil.
func (l *randomLibrary) disturb(ctx context.Context, what string, o gallery.BrowseOptions, expected []*ent.Entry) (
	gone *ent.Entry) {
	l.Helper()
	o.Skip, o.First = 0, ptr(int32(10))
	c, err := l.server().Files(ctx, o)
	l.Must(err)
	if e := expected[l.IntN(10)]; strings.Contains(e.Path, "/p") { // other files exist in the storage
		_, err = l.Pool.Exec("DELETE FROM entries WHERE id = $1", e.ID)
		l.Must(err)
		gone = e
	}
	o.After = c.Edges[9].Cursor
	if got := l.page(ctx, l.server(), o, 10); !slices.Equal(got, paths(expected[10:20])) {
		l.Errorf("%s: after a deletion %q, expected %q", what, got, paths(expected[10:20]))
	}
	return gone
}

func (l *randomLibrary) page(ctx context.Context, s *gallerytest.Rules, o gallery.BrowseOptions, n int32) (
	list []string) {
	l.Helper()
	o.First = &n
	c, err := s.Files(ctx, o)
	l.Must(err)
	for _, e := range c.Edges {
		list = append(list, e.Node.Path())
	}
	return list
}

// pages reads a list in pages of random sizes, and returns the paths of all files.
func (l *randomLibrary) pages(ctx context.Context, s *gallerytest.Rules, o gallery.BrowseOptions) (list []string) {
	l.Helper()
	for {
		n := int32([]int{3, 33, 100}[l.IntN(3)])
		o.First = &n
		c, err := s.Files(access.Once(ctx), o)
		l.Must(err)
		for _, e := range c.Edges {
			list, o.After = append(list, e.Node.Path()), e.Cursor
		}
		if len(c.Edges) < int(n) {
			return list
		}
	}
}

func paths(files []*ent.Entry) []string {
	list := make([]string, len(files))
	for i, f := range files {
		list[i] = f.Path
	}
	return list
}
