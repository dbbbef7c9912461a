// Package access holds the rights of people on folders: groups, grants, and what they let a caller see and change. It
// is the only writer of the tables of groups, memberships and grants.
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

// Scope is what one caller may do. The zero value is nothing. A scope does not change.
type Scope struct {
	rights map[string]Right // on folders by their paths, empty for the root
	roots  []string         // sorted: the folders with a right that are below no other one
	kept   *kept            // nil: nothing is kept
}

// kept is what a server keeps of a scope, for as long as the version of the database is the same.
type kept struct {
	version  int64
	folders  atomic.Pointer[Folders] // nil: not read yet
	children sync.Map                // ids of ChildrenIDs by folder
}

// Folders are the folders whose files may be seen.
type Folders struct {
	IDs    map[string][]int // by the paths that they are at or below; nil: too many
	LastID int              // the highest id of all entries when they were read: about how many there are
}

// everything is the scope of admins and of the system.
var everything = newScope(map[string]Right{"": Manage})

// Everything returns the scope that may do everything.
func Everything() Scope { return everything }

// newScope returns the scope of these rights, which it keeps.
func newScope(rights map[string]Right) Scope {
	s := Scope{rights: rights}
	for _, path := range slices.Sorted(maps.Keys(rights)) {
		if path == "" || s.rightAbove(path) == None {
			s.roots = append(s.roots, path)
		}
	}
	return s
}

// rightAbove returns the highest right on a folder above a path.
func (s Scope) rightAbove(path string) Right {
	best := None
	for path != "" {
		path = parent(path)
		best = max(best, s.rights[path])
	}
	return best
}

func parent(path string) string { return path[:max(0, strings.LastIndexByte(path, '/'))] }

// On returns the right on a file or folder: the highest one on it or on a folder above. The path is clean.
func (s Scope) On(path string) Right { return max(s.rights[path], s.rightAbove(path)) }

// Whole reports whether everything may be seen.
func (s Scope) Whole() bool { return s.rights[""] >= View }

// Sees reports whether a file or folder may be seen with everything in it.
func (s Scope) Sees(path string) bool { return s.Whole() || s.On(path) >= View }

// Leads reports whether a folder may be opened: it may be seen, or it leads to one that may be. The root always does.
func (s Scope) Leads(folder string) bool {
	return folder == "" || s.Sees(folder) || len(s.Below(folder)) > 0
}

// Below returns the highest folders that may be seen among those below a folder, sorted by path. If the folder itself
// may be seen, they are not all that may be.
func (s Scope) Below(folder string) []string {
	if folder == "" {
		return s.roots
	}
	// 0 is what follows / in ASCII
	first, _ := slices.BinarySearch(s.roots, folder+"/")
	end, _ := slices.BinarySearch(s.roots, folder+"0")
	return s.roots[first:end]
}

// Folders returns the ids of the folders below a folder that may be seen, without hidden ones; nil if they are too
// many; and LastID of the answer of read, which returns those at and below each of some paths. The answer is kept while
// the rights and the folders stay the same, if the scope is the caller's own.
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

// ChildrenIDs returns the ids of the folders of Children that exist. read finds those of some paths; its answer is kept
// as that of Folders is.
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

// join returns the ids of all roots; nil only if there is no map.
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

// Steps returns the folders between a folder and those of Below, without either.
func (s Scope) Steps(folder string) []string {
	steps := map[string]bool{}
	for _, path := range s.Below(folder) {
		for path = parent(path); path != folder && path != "" && !steps[path]; path = parent(path) {
			steps[path] = true
		}
	}
	return slices.Sorted(maps.Keys(steps))
}

// Children returns the folders directly in a folder that lead to those of Below.
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

// Equal reports whether two scopes allow the same.
func (s Scope) Equal(other Scope) bool { return maps.Equal(s.rights, other.rights) }

// capped returns the scope without the rights above a limit.
func (s Scope) capped(limit Right) Scope {
	rights := make(map[string]Right, len(s.rights))
	for path, r := range s.rights {
		if r = min(r, limit); r > None {
			rights[path] = r
		}
	}
	return newScope(rights)
}

// AtLeast returns what the scope allows with a right.
func (s Scope) AtLeast(least Right) Scope {
	rights := map[string]Right{}
	for path, r := range s.rights {
		if r >= least {
			rights[path] = r
		}
	}
	return newScope(rights)
}

// compareGrants sorts the grants of a folder: everyone, guests, groups, accounts, each by name.
func compareGrants(a, b *Grant) int {
	return cmp.Or(
		cmp.Compare(a.To.rank(), b.To.rank()),
		strings.Compare(a.To.Name, b.To.Name),
		strings.Compare(a.To.ID, b.To.ID),
	)
}
