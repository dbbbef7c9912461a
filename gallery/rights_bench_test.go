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

// rights measures lists and counts for an account that sees 200 folders of 20,000, and then 2,000, in turns with those
// of an admin.
func (m measured) rights() {
	session := m.Person("viewer", auth.RoleUser)
	viewer, admin := m.As(session), m.Someone(auth.RoleAdmin)
	m.Must(m.SetGrants(m.Context(), "", nil))
	to := access.Grantee{Kind: access.Account, ID: session.User.ID.String()}
	for _, count := range []int{200, 2000} {
		each := 20_000 / count
		for i := range count { // the folders of the first round are among those of the second
			folder := fmt.Sprintf("f%04d", i*each+i*each/100%each)
			m.Must(m.Access.SetGrants(m.Context(), folder, []*access.Grant{{To: to, Right: access.View}}))
		}
		for _, one := range m.lists() {
			ratio, of := [2]float64{}, [2]context.Context{admin, viewer}
			var times [2][]float64
			for range 31 {
				for i, ctx := range of {
					began := time.Now()
					must(m.T, one.do(access.Once(ctx)))
					times[i] = append(times[i], float64(time.Since(began).Microseconds())/1000)
				}
			}
			for i := range times {
				slices.Sort(times[i])
				ratio[i] = times[i][len(times[i])/2]
			}
			m.Logf("%4d folders, %-26s %8.2f ms, of an admin %8.2f, ratio %.2f; fastest %8.2f, %8.2f", count, one.what,
				ratio[1], ratio[0], ratio[1]/ratio[0], times[1][0], times[0][0])
		}
	}
}

type benched struct {
	what string
	do   func(context.Context) error
}

// lists returns what is measured. Every call is a request of its own.
func (m measured) lists() []benched {
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
	return []benched{
		{"all by name", page(gallery.BrowseOptions{Recursive: true})},
		{"all by date, descending", page(gallery.BrowseOptions{
			Recursive: true, Sort: gallery.SortTaken, Descending: true,
		})},
		{"all by size", page(gallery.BrowseOptions{Recursive: true, Sort: gallery.SortSize})},
		{"all by rating, descending", page(gallery.BrowseOptions{
			Recursive: true, Sort: gallery.SortRating, Descending: true,
		})},
		{"all, 3,000 skipped", page(gallery.BrowseOptions{Recursive: true, Skip: 3000})},
		{"one folder", page(gallery.BrowseOptions{Folder: "f0101"})},
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
	}
}
