package gallery_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/search"
)

// TestRandomRights compares what an account with random grants is shown with the list of an admin, of which it leaves out
// what the account may not see. Grants, groups and folders change in between: nothing that is kept may outlive that.
func TestRandomRights(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		r := rand.New(rand.NewPCG(31, uint64(len(s.Name()))))
		var folders []string
		for i := range 30 {
			folder := fmt.Sprintf("d%02d", i)
			if i > 5 && r.IntN(2) == 0 {
				folder = folders[r.IntN(len(folders))] + "/" + folder
			}
			folders = append(folders, folder)
			s.Put(folder+"/f.png", gallerytest.PNG)
			_, err := s.Folder(s.Context(), folder)
			s.Must(err)
			many(s, folder, r.IntN(40), r.IntN(5))
		}
		session := s.Person("viewer", auth.RoleUser)
		ctx := s.As(session)
		to := access.Grantee{Kind: access.Account, ID: session.User.ID.String()}
		s.Must(s.SetGrants(s.Context(), "", nil))
		granted := map[string]bool{}
		for round := range 12 {
			for range 1 + r.IntN(4) {
				f := folders[r.IntN(len(folders))]
				list := []*access.Grant{{To: to, Right: access.View}}
				if granted[f] = !granted[f]; !granted[f] {
					list = nil
				}
				s.Must(s.Access.SetGrants(s.Context(), f, list))
			}
			if round%3 == 2 { // a folder moves with its grants
				i := r.IntN(len(folders))
				from := folders[i]
				at := fmt.Sprintf("moved%d", round)
				s.Must(s.MoveFile(s.Context(), from, at))
				for j, f := range folders {
					if f == from || strings.HasPrefix(f, from+"/") {
						folders[j] = at + strings.TrimPrefix(f, from)
						if granted[f] {
							delete(granted, f)
							granted[folders[j]] = true
						}
					}
				}
			}
			seen := func(path string) bool {
				for at, is := range granted {
					if is && strings.HasPrefix(path, at+"/") {
						return true
					}
				}
				return false
			}
			for _, order := range []gallery.Order{
				gallery.OrderName, gallery.OrderSize, gallery.OrderModified, gallery.OrderTaken, gallery.OrderDimensions,
				gallery.OrderRating,
			} {
				o := gallery.BrowseOptions{
					Recursive: true, Order: order, Descending: r.IntN(2) == 0,
					Search: []string{"", "common", "f", "p1"}[r.IntN(4)],
				}
				want := slices.DeleteFunc(pages(s.Context(), s, o, 10_000), func(p string) bool { return !seen(p) })
				got := pages(ctx, s, o, 10_000)
				if !slices.Equal(got, want) {
					s.Errorf("round %d, %+v: %d files, expected %d", round, o, len(got), len(want))
				}
				c, err := s.Files(ctx, o)
				s.Must(err)
				if n, err := c.TotalCount(ctx, true); err != nil || int(*n) != len(want) {
					s.Errorf("round %d, %+v: counted %v, %v, expected %d", round, o, *n, err, len(want))
				}
				buckets, err := s.Timeline(ctx, o, search.Day)
				s.Must(err)
				sum := 0
				for _, b := range buckets {
					sum += int(b.Count)
				}
				if sum != len(want) {
					s.Errorf("round %d, %+v: the timeline has %d files, expected %d", round, o, sum, len(want))
				}
				if len(want) > 3 {
					o.Skip = int32(1 + r.IntN(len(want)-2))
					if rest := pages(ctx, s, o, 1); !slices.Equal(rest, want[o.Skip:min(len(want), int(o.Skip)+100)]) {
						s.Errorf("round %d, %+v: wrong files after those that are skipped", round, o)
					}
				}
			}
		}
	})
}
