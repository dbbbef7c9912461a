package gallery

import (
	"context"
	"math"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/gallery/search"
)

// PageInfo describes a page.
type PageInfo struct {
	HasNextPage, HasPreviousPage bool
	StartCursor, EndCursor       *string // nil for an empty page
}

// Edge is an entry in a page.
type Edge[T any] struct {
	Cursor string
	Node   T
}

// Connection is a page of files or of folders.
type Connection[T any] struct {
	*browse
	Edges []*Edge[T]
}

// Types of the GraphQL schema.
type (
	FileConnection   = Connection[*File]
	FileEdge         = Edge[*File]
	FolderConnection = Connection[*Folder]
	FolderEdge       = Edge[*Folder]
)

// Files returns a page of files. For a single folder in a watched storage, it syncs the folder first. Across
// folders, it returns what is indexed. It returns fault.Invalid, which names an argument, and fault.NotFound
// if the folder does not exist.
func (g *Gallery) Files(ctx context.Context, o BrowseOptions) (*FileConnection, error) {
	b, err := g.browse(ctx, kindFile, o)
	if err != nil {
		return nil, err
	}
	g.requestMetadata(b.rows)
	return connect(b, func(r *ent.Entry, p *loader) *File { return &File{row: r, g: g, loader: p} }), nil
}

// Folders returns a page of folders. It works like Files.
func (g *Gallery) Folders(ctx context.Context, o BrowseOptions) (*FolderConnection, error) {
	b, err := g.browse(ctx, kindFolder, o)
	if err != nil {
		return nil, err
	}
	return connect(b, func(r *ent.Entry, p *loader) *Folder { return &Folder{row: r, loader: p} }), nil
}

func connect[T any](b *browse, node func(*ent.Entry, *loader) T) *Connection[T] {
	c, p := &Connection[T]{browse: b}, &loader{g: b.g, rows: b.rows}
	for i, r := range b.rows {
		c.Edges = append(c.Edges, &Edge[T]{Cursor: b.cursor(i), Node: node(r, p)})
	}
	return c
}

// Nodes returns the entries without their cursors.
func (c *Connection[T]) Nodes() []T {
	nodes := make([]T, len(c.Edges))
	for i, e := range c.Edges {
		nodes[i] = e.Node
	}
	return nodes
}

// PageInfo describes the page.
func (b *browse) PageInfo(ctx context.Context) (*PageInfo, error) {
	p := &PageInfo{HasNextPage: b.more}
	if b.from != nil || b.o.Skip > 0 { // the entries up to the cursor may have been deleted or no longer match
		earlier := b.query()
		if b.from != nil {
			earlier = earlier.Where(b.beyond(*b.from, "<=", ">="))
		}
		var err error
		if p.HasPreviousPage, err = earlier.Exist(ctx); err != nil {
			return nil, database.Translate(err)
		}
	}
	if n := len(b.rows); n > 0 {
		first, last := b.cursor(0), b.cursor(n-1)
		p.StartCursor, p.EndCursor = &first, &last
	}
	return p, nil
}

// TotalCount counts all matches with a separate query. It is nil for a search or filter with more than
// search.CountLimit matches, unless exact is set.
func (b *browse) TotalCount(ctx context.Context, exact bool) (*int32, error) {
	n, known, err := b.where.Count(ctx, b.kind, b.o.Recursive, exact || b.album != nil)
	if err != nil || !known {
		return nil, err
	}
	total := int32(min(n, math.MaxInt32))
	return &total, nil
}

// Timeline counts the files of a folder by date taken. o gives the folder, the filter, the search and the
// direction, as for Files with the order TAKEN.
func (g *Gallery) Timeline(
	ctx context.Context, o BrowseOptions, by search.TimelineUnit,
) ([]*search.TimelineBucket, error) {
	_, where, err := g.index.conditions(ctx, kindFile, o)
	if err != nil {
		return nil, err
	}
	return search.Timeline(
		ctx, g.db, search.TimelineQuery{Where: where, Recursive: o.Recursive, By: by, Ascending: !o.Descending},
	)
}
