package storage

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/safelight/safelight/fault"
)

// List implements Store. It reads as far as the page reaches.
func (s *bucket) List(ctx context.Context, k Key, o ListOptions) (Page, error) {
	var page Page
	limit := pageLimit(o.Limit)
	for entry, err := range s.entries(ctx, k, o, min(limit+1, maxObjectPage)) {
		if err != nil {
			return Page{}, err
		}
		if len(page.Entries) == limit {
			page.NextToken = page.Entries[limit-1].Key.Name()
			break
		}
		page.Entries = append(page.Entries, entry)
	}
	return page, nil
}

// each implements lister: a folder costs a request for each maxObjectPage entries.
func (s *bucket) each(ctx context.Context, k Key, o ListOptions) iter.Seq2[Stat, error] {
	return s.entries(ctx, k, o, maxObjectPage)
}

// entries goes through a folder after the page token, requesting pages of this size.
func (s *bucket) entries(ctx context.Context, k Key, o ListOptions, size int) iter.Seq2[Stat, error] {
	prefix, after := "", ""
	if k != "" {
		prefix = string(k) + "/"
	}
	if o.PageToken != "" {
		after = prefix + o.PageToken
	}
	return func(yield func(Stat, error) bool) {
		var order nameOrder
		found := false
		for page, err := range s.o.list(ctx, prefix, after, true, size) {
			if err != nil {
				yield(Stat{}, translateObject(err, k))
				return
			}
			found = found || len(page) > 0
			for _, entry := range order.add(page, prefix) {
				if wanted(entry, o) && !yield(entry, nil) {
					return
				}
			}
		}
		for _, entry := range order.rest() {
			if wanted(entry, o) && !yield(entry, nil) {
				return
			}
		}
		if !found && k != "" && o.PageToken == "" {
			yield(Stat{}, s.noFolder(ctx, k))
		}
	}
}

// noFolder says what is wrong with a folder that holds nothing.
func (s *bucket) noFolder(ctx context.Context, k Key) error {
	if st, err := s.Stat(ctx, k); err == nil && !st.IsFolder {
		return fault.OnField(fault.NotFound, "path", "%s is a file, expected a folder", show(k))
	} else if err != nil {
		return err
	}
	return notFound(k)
}

func wanted(entry Stat, o ListOptions) bool {
	name := entry.Key.Name()
	return (o.PageToken == "" || name > o.PageToken) && (o.ShowHidden || !strings.HasPrefix(name, "."))
}

// nameOrder brings the entries of a folder from the order of a bucket, which puts a.jpg before a/, into that of their
// names. It keeps back only what a folder may still precede.
type nameOrder struct{ pending []Stat }

// add takes the next page of a list and returns the entries whose place is certain.
func (n *nameOrder) add(page objectPage, prefix string) []Stat {
	last := ""
	for _, o := range page {
		rest := strings.TrimPrefix(o.name, prefix)
		last = max(last, rest)
		if entry, ok := entryOf(o, prefix, rest); ok {
			n.pending = append(n.pending, entry)
		}
	}
	slices.SortFunc(n.pending, func(a, b Stat) int { return strings.Compare(string(a.Key), string(b.Key)) })
	n.pending = slices.CompactFunc(n.pending, func(a, b Stat) bool { return a.Key == b.Key })
	certain := len(n.pending)
	// a folder still to come has the name of what precedes one of these characters in the last name
	if i := strings.IndexFunc(last[min(1, len(last)):], func(r rune) bool { return r < '/' }); i >= 0 {
		next := prefix + last[:i+1]
		certain, _ = slices.BinarySearchFunc(n.pending, next, func(s Stat, name string) int { return strings.Compare(string(s.Key), name) })
	}
	ready := n.pending[:certain]
	n.pending = slices.Clone(n.pending[certain:])
	return ready
}

// rest returns what is left after the last page.
func (n *nameOrder) rest() []Stat { return n.pending }

// entryOf returns the entry of an object; false if it is the folder's own marker or if no key can name it.
func entryOf(o objectInfo, prefix, rest string) (Stat, bool) {
	name := strings.TrimSuffix(rest, "/")
	key, err := ParseKey(prefix + name)
	if name == "" || err != nil || string(key) != prefix+name {
		return Stat{}, false
	}
	if o.isPrefix || name != rest {
		return Stat{Key: key, Modified: o.modified, IsFolder: true}, true
	}
	return statOf(key, o), true
}
