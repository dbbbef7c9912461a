// Package access manages people's rights on folders: groups, grants, and what they allow a caller to see and
// change. It is the only writer of the tables of groups, memberships and grants.
package access

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Right is what a caller may do with a folder and everything below it. Each right includes the lower ones.
type Right int8

// The rights, as the database stores them.
const (
	None   Right = 0
	View   Right = 1
	Edit   Right = 2 // add, change, move and delete what is in the folder
	Manage Right = 3 // grant rights on the folder
)

// String returns the name of the right in the API.
func (r Right) String() string { return [...]string{"NONE", "VIEW", "EDIT", "MANAGE"}[r] }

// Scope is what one caller may do. The zero value allows nothing. A scope is immutable.
type Scope struct {
	rights map[string]Right // by folder path; the root has an empty path
	roots  []string         // folders with a right that are not below another one, sorted
	kept   *kept            // nil: nothing is cached
}

// kept is cached data of a scope. It is valid while the version in the database stays the same.
type kept struct {
	version  int64
	folders  atomic.Pointer[Folders] // nil: not read yet
	children sync.Map                // results of ChildrenIDs by folder
}

// Folders are the folders whose files a caller may see.
type Folders struct {
	IDs    map[string][]int // by the root that they are at or below; nil: too many folders
	LastID int              // the highest entry id when the folders were read: an estimate of the number of entries
}

// everything is the scope of admins and of the system.
var everything = newScope(map[string]Right{"": Manage})

// Everything returns the scope that may do everything.
func Everything() Scope { return everything }

// newScope returns a scope with these rights. It keeps the map.
func newScope(rights map[string]Right) Scope {
	s := Scope{rights: rights}
	for _, path := range slices.Sorted(maps.Keys(rights)) {
		if path == "" || s.rightAbove(path) == None {
			s.roots = append(s.roots, path)
		}
	}
	return s
}

// rightAbove returns the highest right on the parents of a path.
func (s Scope) rightAbove(path string) Right {
	best := None
	for path != "" {
		path = parent(path)
		best = max(best, s.rights[path])
	}
	return best
}

func parent(path string) string { return path[:max(0, strings.LastIndexByte(path, '/'))] }

// On returns the right on a file or folder: the highest one on it or on its parents. path must be clean.
func (s Scope) On(path string) Right { return max(s.rights[path], s.rightAbove(path)) }

// Whole reports whether the caller may see everything.
func (s Scope) Whole() bool { return s.rights[""] >= View }

// Sees reports whether the caller may see a file or folder with everything in it.
func (s Scope) Sees(path string) bool { return s.Whole() || s.On(path) >= View }

// Leads reports whether the caller may open a folder: they may see it, or a folder below it. They may always
// open the root.
func (s Scope) Leads(folder string) bool {
	return folder == "" || s.Sees(folder) || len(s.Below(folder)) > 0
}

// Below returns the topmost folders below a folder that the caller may see, sorted by path. The result is
// incomplete if the caller may see the folder itself.
func (s Scope) Below(folder string) []string {
	if folder == "" {
		return s.roots
	}
	// 0 is what follows / in ASCII
	first, _ := slices.BinarySearch(s.roots, folder+"/")
	end, _ := slices.BinarySearch(s.roots, folder+"0")
	return s.roots[first:end]
}

// Folders returns the ids of the visible, non-hidden folders below a folder, or nil if there are too many. It
// also returns the LastID that read returned. read returns the folders at and below each of some paths. If
// the scope is the caller's own, the result of read is cached while rights and folders stay the same.
func (s Scope) Folders(folder string, read func(roots []string) (*Folders, error)) (ids []int, lastID int, err error) {
	below := s.Below(folder)
	if s.kept == nil {
		all, err := read(below)
		if err != nil {
			return nil, 0, err
		}
		return join(all.IDs, below), all.LastID, nil
	}
	all := s.kept.folders.Load()
	if all == nil {
		if all, err = read(s.roots); err != nil {
			return nil, 0, err
		}
		s.kept.folders.Store(all)
	}
	return join(all.IDs, below), all.LastID, nil
}

// ChildrenIDs returns the ids of the existing folders among Children. read finds those of some paths. Its
// result is cached like that of Folders.
func (s Scope) ChildrenIDs(folder string, read func(paths []string) ([]int, error)) ([]int, error) {
	if s.kept == nil {
		return read(s.Children(folder))
	}
	if ids, ok := s.kept.children.Load(folder); ok {
		return ids.([]int), nil
	}
	ids, err := read(s.Children(folder))
	if err == nil {
		s.kept.children.Store(folder, ids)
	}
	return ids, err
}

// join returns the ids of all roots. It returns nil only if ids is nil.
func join(ids map[string][]int, roots []string) []int {
	if ids == nil {
		return nil
	}
	all := []int{}
	for _, root := range roots {
		all = append(all, ids[root]...)
	}
	return all
}

// Steps returns the folders between a folder and the results of Below, excluding both.
func (s Scope) Steps(folder string) []string {
	steps := map[string]bool{}
	for _, path := range s.Below(folder) {
		for path = parent(path); path != folder && path != "" && !steps[path]; path = parent(path) {
			steps[path] = true
		}
	}
	return slices.Sorted(maps.Keys(steps))
}

// Children returns the direct subfolders of a folder that lead to the results of Below.
func (s Scope) Children(folder string) []string {
	var children []string
	prefix := ""
	if folder != "" {
		prefix = folder + "/"
	}
	for _, path := range s.Below(folder) {
		first, _, _ := strings.Cut(path[len(prefix):], "/")
		if child := prefix + first; len(children) == 0 || children[len(children)-1] != child {
			children = append(children, child)
		}
	}
	slices.Sort(children)
	return slices.Compact(children)
}

// Equal reports whether two scopes grant the same rights.
func (s Scope) Equal(other Scope) bool { return maps.Equal(s.rights, other.rights) }

// capped returns the scope with all rights limited to limit.
func (s Scope) capped(limit Right) Scope {
	rights := make(map[string]Right, len(s.rights))
	for path, r := range s.rights {
		if r = min(r, limit); r > None {
			rights[path] = r
		}
	}
	return newScope(rights)
}

// AtLeast returns the part of the scope that has at least the right least.
func (s Scope) AtLeast(least Right) Scope {
	rights := map[string]Right{}
	for path, r := range s.rights {
		if r >= least {
			rights[path] = r
		}
	}
	return newScope(rights)
}

// compareGrants sorts the grants of a folder by kind (everyone, guests, groups, accounts), and then by name.
func compareGrants(a, b *Grant) int {
	return cmp.Or(
		cmp.Compare(a.To.rank(), b.To.rank()),
		strings.Compare(a.To.Name, b.To.Name),
		strings.Compare(a.To.ID, b.To.ID),
	)
}
