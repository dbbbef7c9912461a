package gallery_test

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/search"
)

// rights measures lists and counts for an account that sees 200 folders of 20,000, and for one that sees everything: of
// 10,000 pictures, and then of 100,000.
func (m measured) rights() {
	_, err := m.Pool.Exec("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 17999) " +
		"INSERT INTO entries (path, parent_id, name, name_key, kind, synced) " +
		"SELECT 'e' || i, 1, 'e' || i, CAST('e' || i AS " + map[bool]string{true: "BYTEA", false: "BLOB"}[m.isPostgres()] +
		"), 0, 1 FROM n")
	must(m.T, err)
	_, err = m.Pool.Exec("ANALYZE")
	must(m.T, err)
	session := m.Person("viewer", auth.RoleUser)
	everybody := m.As(session)
	whole := m.lists(everybody)
	m.Must(m.SetGrants(m.Context(), "", nil))
	to := access.Grantee{Kind: access.Account, ID: session.User.ID.String()}
	for _, full := range []int{20, 200} {
		for i := range 200 {
			folder := fmt.Sprintf("e%d", i)
			if i < full {
				folder = fmt.Sprintf("f%04d", i*9)
			}
			m.Must(m.Access.SetGrants(m.Context(), folder, []*access.Grant{{To: to, Right: access.View}}))
		}
		seen := m.lists(everybody)
		for i, w := range whole {
			m.Logf("%d pictures: %-28s %8.2f ms, of everything %8.2f, ratio %.2f", full*m.files/2000, w.what,
				seen[i].ms, w.ms, seen[i].ms/w.ms)
		}
	}
}

func (m measured) isPostgres() bool {
	return fmt.Sprintf("%T", m.Pool.Driver()) != "*sqlite3.SQLiteDriver"
}

type figure struct {
	what string
	ms   float64
}

// lists returns the median of 31 calls each. Every call is a request: it reads the rights.
func (m measured) lists(ctx context.Context) (list []figure) {
	page := func(o gallery.BrowseOptions) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			hundred := int32(100)
			o.First = &hundred
			c, err := m.Files(ctx, o)
			if err == nil {
				_, err = c.TotalCount(ctx, false)
			}
			return err
		}
	}
	for _, one := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"everything by name", page(gallery.BrowseOptions{Recursive: true})},
		{"everything by date", page(gallery.BrowseOptions{Recursive: true, Order: gallery.OrderTaken, Descending: true})},
		{"everything by size", page(gallery.BrowseOptions{Recursive: true, Order: gallery.OrderSize})},
		{"one folder", page(gallery.BrowseOptions{Folder: "f0009"})},
		{"a rare word", page(gallery.BrowseOptions{Recursive: true, Search: "w77"})},
		{"a common word", page(gallery.BrowseOptions{Recursive: true, Search: "img"})},
		{"the folders of the root", func(ctx context.Context) error {
			c, err := m.Folders(ctx, gallery.BrowseOptions{})
			if err == nil {
				_, err = c.TotalCount(ctx, false)
			}
			return err
		}},
		{"a count of everything", func(ctx context.Context) error {
			f, err := m.Folder(ctx, "")
			if err == nil {
				_, err = f.TotalFiles(ctx)
			}
			return err
		}},
		{"the timeline by month", func(ctx context.Context) error {
			_, err := m.Timeline(ctx, gallery.BrowseOptions{Recursive: true}, search.Month)
			return err
		}},
	} {
		var times []float64
		for range 31 {
			began := time.Now()
			must(m.T, one.do(access.Once(ctx)))
			times = append(times, float64(time.Since(began).Microseconds())/1000)
		}
		slices.Sort(times)
		list = append(list, figure{one.what, times[15]})
	}
	return list
}
