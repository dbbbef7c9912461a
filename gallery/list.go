package gallery

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// SortBy is what a listing is sorted by.
type SortBy string

// The sort keys; the empty one is SortByName. Folders come before files.
const (
	SortByName     SortBy = "NAME"
	SortBySize     SortBy = "SIZE"
	SortByModified SortBy = "MODIFIED_TIME"
)

// ListFilesOptions says which entries of a folder are wanted. Offset and Limit count after
// filtering; a Limit of 0 is no limit.
type ListFilesOptions struct {
	Offset, Limit          int
	OnlyFiles, OnlyFolders bool
	Extensions             []string // lower case, with or without the dot; empty is all
	ShowHidden             bool
	SortBy                 SortBy
	Descending             bool
}

// ListFiles returns a part of a folder. It reads the whole folder, which the index of a later
// version will spare.
func (g *Gallery) ListFiles(ctx context.Context, p string, o ListFilesOptions) (*FileList, error) {
	k, err := readableKey(p)
	if err != nil {
		return nil, err
	}
	if o.Offset < 0 || o.Limit < 0 {
		return nil, fault.OnField(fault.Invalid, "offset", "offset %d and limit %d, expected 0 or more", o.Offset, o.Limit)
	}
	if o.OnlyFiles && o.OnlyFolders {
		return nil, fault.OnField(fault.Invalid, "onlyFolders", "onlyFiles and onlyFolders leave nothing, expected one of them")
	}
	all, err := g.entries(ctx, k, o)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, o.compare)
	list := &FileList{TotalCount: len(all), Items: []*FileItem{}}
	end := len(all)
	if o.Limit > 0 {
		end = min(end, o.Offset+o.Limit)
	}
	for i := min(o.Offset, end); i < end; i++ {
		list.Items = append(list.Items, g.item(all[i]))
	}
	return list, nil
}

// entries returns what of a folder passes the filters.
func (g *Gallery) entries(ctx context.Context, k storage.Key, o ListFilesOptions) ([]storage.Stat, error) {
	var all []storage.Stat
	page := storage.ListOptions{ShowHidden: o.ShowHidden}
	for {
		p, err := g.store.List(ctx, k, page)
		if err != nil {
			return nil, err
		}
		for _, s := range p.Entries {
			if s.Key != ownFolder && o.passes(s) {
				all = append(all, s)
			}
		}
		if page.PageToken = p.NextToken; page.PageToken == "" {
			return all, nil
		}
	}
}

func (o ListFilesOptions) passes(s storage.Stat) bool {
	if s.IsFolder {
		return !o.OnlyFiles
	}
	if o.OnlyFolders {
		return false
	}
	return len(o.Extensions) == 0 || slices.ContainsFunc(o.Extensions, func(e string) bool {
		return strings.EqualFold(strings.TrimPrefix(e, "."), strings.TrimPrefix(path.Ext(s.Key.Name()), "."))
	})
}

// compare puts folders first, then follows the sort key; equals go by name, so that pages never overlap.
func (o ListFilesOptions) compare(a, b storage.Stat) int {
	if a.IsFolder != b.IsFolder {
		if a.IsFolder {
			return -1
		}
		return 1
	}
	c := 0
	switch o.SortBy {
	case SortBySize:
		c = cmp.Compare(a.Size, b.Size)
	case SortByModified:
		c = a.Modified.Compare(b.Modified)
	}
	if c == 0 {
		c = cmp.Or(cmp.Compare(strings.ToLower(string(a.Key)), strings.ToLower(string(b.Key))), cmp.Compare(a.Key, b.Key))
	}
	if o.Descending {
		return -c
	}
	return c
}
