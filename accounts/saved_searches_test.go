package accounts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/gallerytest"
)

func TestSavedSearches(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		ada, bob := s.As(s.Person("ada", auth.RoleUser)), s.As(s.Person("bob", auth.RoleUser))
		admin := s.As(s.Person("root", auth.RoleAdmin))
		for _, name := range []string{"Sunsets", "best", "Été"} {
			_, err := s.SaveSearch(ada, accounts.SaveSearchInput{
				Name:       name,
				Folder:     "trip",
				Recursive:  true,
				Search:     "sea",
				Filter:     map[string]any{"minRating": 4},
				Sort:       "TAKEN",
				Descending: true,
			})
			s.Must(err)
		}
		_, err := s.SaveSearch(bob, accounts.SaveSearchInput{Name: "best", Sort: "NAME"})
		s.Must(err)
		names := func(first int, after string) string {
			p, err := s.SavedSearches(ada, first, after)
			s.Must(err)
			var list []string
			for _, x := range p.Items {
				list = append(list, x.Name)
			}
			total, err := p.Count(ada)
			s.Must(err)
			return fmt.Sprint(strings.Join(list, " "), " ", total, p.Before, p.After)
		}
		for _, c := range []struct {
			first int
			after string
			want  string
		}{{9, "", "best Sunsets Été 3 false false"}, {1, "", "best 3 false true"}, {1, "best", "Sunsets 3 true true"},
			{2, "crab", "Sunsets Été 3 true false"}} {
			if have := names(c.first, c.after); have != c.want {
				s.Errorf("%d after %q: %s, expected %s", c.first, c.after, have, c.want)
			}
		}
		p, err := s.SavedSearches(ada, 1, "best")
		s.Must(err)
		one := p.Items[0]
		if one.Folder != "trip" || !one.Recursive || one.Search != "sea" || one.Filter != `{"minRating":4}` ||
			one.Sort != "TAKEN" ||
			!one.Descending {
			s.Errorf("%+v", one)
		}
		_, err = s.RenameSearch(bob, one.ID, "mine now")
		gallerytest.Want(s.T, err, fault.NotFound, "renaming another's search")
		gallerytest.Want(s.T, s.DeleteSearch(bob, one.ID), fault.NotFound, "deleting another's search")
		_, err = s.RenameSearch(ada, one.ID, "BEST")
		gallerytest.Want(s.T, err, fault.Conflict, "a name that is taken")
		_, err = s.RenameSearch(ada, one.ID, "sunsets")
		s.Must(err)
		s.Must(s.DeleteSearch(ada, one.ID))
		gallerytest.Want(s.T, s.DeleteSearch(ada, one.ID), fault.NotFound, "deleting twice")
		for _, bad := range []accounts.SaveSearchInput{{Name: " "}, {Name: strings.Repeat("n", 101)}, {Name: "a\nb"},
			{Name: "x", Search: strings.Repeat("s", 1001)},
			{Name: "x", Folder: "a\x00"}, {Name: "x", Filter: map[string]any{"tags": strings.Repeat("t", 10_000)}}} {
			_, err := s.SaveSearch(ada, bad)
			gallerytest.Want(s.T, err, fault.Invalid, fmt.Sprintf("%.60v", bad))
		}
		guest := s.Someone(auth.RoleGuest)
		_, err = s.SaveSearch(guest, accounts.SaveSearchInput{Name: "x"})
		gallerytest.Want(s.T, err, fault.Forbidden, "a guest's search")
		if p, err := s.SavedSearches(guest, 9, ""); err != nil || len(p.Items) != 0 {
			s.Errorf("a guest has %+v, %v", p, err)
		}
		s.Must(s.DeleteUser(admin, auth.FromContext(ada).UserID))
		if n, err := s.SavedSearches(ada, 9, ""); err != nil || len(n.Items) != 0 {
			s.Errorf("searches of a deleted account: %+v, %v", n, err)
		}
		_, err = s.SaveSearch(ada, accounts.SaveSearchInput{Name: "late"}) // authenticated before the deletion
		gallerytest.Want(s.T, err, fault.NotFound, "a search of a deleted account")
		for i := range 200 {
			_, err := s.SaveSearch(admin, accounts.SaveSearchInput{Name: fmt.Sprint(i)})
			s.Must(err)
		}
		_, err = s.SaveSearch(admin, accounts.SaveSearchInput{Name: "one more"})
		gallerytest.Want(s.T, err, fault.Invalid, "the 201st search")
		_, err = s.RenameSearch(admin, uuid.New(), "x")
		gallerytest.Want(s.T, err, fault.NotFound, "an unknown search")
	})
}
