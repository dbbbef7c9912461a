package accounts_test

import (
	"fmt"
	"testing"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/gallerytest"
)

func TestPins(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		ada, bob := s.As(s.Person("ada", auth.RoleUser)), s.As(s.Person("bob", auth.RoleUser))
		pins := func() string {
			list, err := s.Accounts.PinnedFolders(ada)
			s.Must(err)
			return fmt.Sprint(list)
		}
		for _, folder := range []string{"a", "b", "a", "c"} {
			s.Must(s.Accounts.PinFolder(ada, folder, true, nil))
		}
		if have := pins(); have != "[a b c]" {
			s.Errorf("%s", have)
		}
		if list, err := s.Accounts.PinnedFolders(bob); err != nil || len(list) != 0 {
			s.Errorf("another account has %v, %v", list, err)
		}
		s.Must(s.Accounts.PinFolder(ada, "b", false, nil))
		s.Must(s.Accounts.PinFolder(ada, "b", false, nil))
		if have := pins(); have != "[a c]" {
			s.Errorf("%s", have)
		}
		for i := range 48 {
			s.Must(s.Accounts.PinFolder(ada, fmt.Sprint(i), true, nil))
		}
		gallerytest.Want(s.T, s.Accounts.PinFolder(ada, "one more", true, nil), fault.Invalid, "too many")
		s.Must(s.Accounts.PinFolder(ada, "one more", true, []string{"a", "0"})) // these folders no longer exist
		gallerytest.Want(
			s.T, s.Accounts.PinFolder(s.Someone(auth.RoleGuest), "a", true, nil), fault.Forbidden, "a guest's pin",
		)
		if list, err := s.Accounts.PinnedFolders(s.Someone(auth.RoleGuest)); err != nil || len(list) != 0 {
			s.Errorf("a guest has %v, %v", list, err)
		}
	})
}
