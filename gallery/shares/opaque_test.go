package shares_test

import (
	"context"
	"encoding/base64"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/shares"
)

// TestOpaque checks that the ids and cursors of a link reveal no row ids, can be used repeatedly, and are
// invalid on other links. A forged id does not give access to anything that the link does not share.
func TestOpaque(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		ada := s.As(s.Person("ada", auth.RoleAdmin))
		fileOf := func(p string) *gallery.File {
			f, err := s.File(ada, p)
			s.Must(err)
			return f
		}
		for _, p := range []string{"open/1.png", "secret/2.png"} {
			s.Put(p, gallerytest.PNG+p)
		}
		visit := func() (context.Context, *shares.Visitor) {
			row, err := s.Shares.Create(ada, shares.CreateInput{Paths: []string{"open"}})
			s.Must(err)
			ctx, v, err := s.Shares.Visit(s.T.Context(), path.Base(*s.Shares.URL(row)), "")
			s.Must(err)
			return ctx, v
		}
		ctx, v := visit()
		_, other := visit()
		f, secret := fileOf("open/1.png"), fileOf("secret/2.png")
		if got, err := v.File(ctx, v.ID(f)); err != nil || got.Path() != "open/1.png" || v.ID(f) != v.ID(got) {
			t.Errorf("the picture with its id: %v", err)
		}
		for what, id := range map[string]string{
			"one that is not shared": v.ID(secret), "of another link": other.ID(f), "of the API": f.ID(),
			"a number": strconv.Itoa(f.EntryID()), "nothing": "", "zeros": strings.Repeat("A", 22),
		} {
			_, err := v.File(ctx, id)
			gallerytest.Want(t, err, fault.NotFound, what)
		}
		cursor, err := v.Cursor("place")
		s.Must(err)
		plain, err := base64.RawURLEncoding.DecodeString(cursor)
		s.Must(err)
		if after, err := v.After(cursor); err != nil || after != "place" || strings.Contains(string(plain), "place") {
			t.Errorf("the cursor %q is %q, %v", plain, after, err)
		}
		_, err = other.After(cursor)
		gallerytest.Want(t, err, fault.Invalid, "the cursor of another link")
		_, err = v.After(base64.RawURLEncoding.EncodeToString([]byte("place")))
		gallerytest.Want(t, err, fault.Invalid, "a cursor of one's own")
	})
}

// TestNamesOfUploads checks that visitors cannot choose a name that looks like another one, or a folder so
// deep that one upload creates hundreds of folders.
func TestNamesOfUploads(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		s.Put("open/1.png", gallerytest.PNG)
		row, err := s.Shares.Create(
			s.As(s.Person("ada", auth.RoleAdmin)), shares.CreateInput{Paths: []string{"open"}, UploadQuota: 1000},
		)
		s.Must(err)
		_, v, err := s.Shares.Uploader(s.T.Context(), path.Base(*s.Shares.URL(row)), "")
		s.Must(err)
		for at, ok := range map[[2]string]bool{
			{"", "a.png"}: true, {"b/c", "sea 海.png"}: true, {strings.Repeat("d/", 19) + "d", "a.png"}: true,
			{strings.Repeat("d/", 20) + "d", "a.png"}: false, {"", "\u202egnp.exe.png"}: false,
			{"", "a\u2066.png"}: false, {"", "../a.png"}: false,
		} {
			if _, err := v.NewFile(at[0], at[1]); (err == nil) != ok || !ok && fault.CodeOf(err) != fault.Invalid {
				t.Errorf("%q in %q: %v", at[1], at[0], err)
			}
		}
	})
}
