package archive_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/archive"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/storage"
)

// token returns the token in the URL of an archive.
func token(a *archive.Archive) string { return strings.TrimPrefix(a.URL, "/api/archives/") }

// opened returns the download with a token and its list of files.
func opened(ctx context.Context, a *archive.Archives, token string) (*archive.Download, error) {
	d, err := a.Open(ctx, token)
	if err != nil {
		return nil, err
	}
	return d, d.List(ctx)
}

// content reads a complete ZIP and returns its files by name.
func content(t *testing.T, d *archive.Download) map[string]string {
	t.Helper()
	r := d.Reader(access.All(t.Context()))
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(data)) != d.Size() {
		t.Errorf("the ZIP has %d bytes, announced are %d", len(data), d.Size())
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range z.File {
		if f.Method != zip.Store {
			t.Errorf("%s is compressed", f.Name)
		}
		open, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(open)
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		files[f.Name] = string(b)
	}
	return files
}

func TestArchive(t *testing.T) {
	gallerytest.EachStore(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		ctx := s.As(s.Person("ada", auth.RoleUser))
		for _, p := range []string{"a/one.png", "a/two.png", "a/b/one.png", "c/one.png", "c/ONE.png", "d/日本.png",
			"e/con.png", "e/dot..png"} {
			_, err := s.Store.Create(ctx, storage.Key(p), strings.NewReader(gallerytest.PNG+p), storage.CreateOptions{})
			s.Must(err)
		}
		for _, p := range []string{"a/.hidden.png", "a/.safelight/one.png.json", "a/x.template.preview.webp"} {
			_, err := s.Store.Create(ctx, storage.Key(p), strings.NewReader("hidden"), storage.CreateOptions{})
			s.Must(err)
		}
		for _, c := range []struct {
			paths       []string
			name, saved string
			want        string
		}{
			{[]string{"a"}, "", "a.zip", "a/b/one.png a/one.png a/two.png"},
			{[]string{"a/one.png", "c/one.png", "a/b/one.png"}, "", "files.zip", "one (2).png one (3).png one.png"},
			{[]string{"a", "a/one.png", "a/b"}, "my trip", "my trip.zip", "a/b/one.png a/one.png a/two.png"},
			{[]string{"c"}, "C.ZIP", "C.ZIP", ""},
			{[]string{"d/日本.png"}, "", "日本.png.zip", "日本.png"},
			{[]string{"e"}, "", "e.zip", "e/_con.png e/dot..png"},
		} {
			a, err := s.Archives.Create(ctx, c.paths, c.name)
			s.Must(err)
			if a.Name != c.saved {
				s.Errorf("%v is saved as %s, expected %s", c.paths, a.Name, c.saved)
			}
			d, err := opened(s.Context(), s.Archives, token(a))
			s.Must(err)
			files := content(s.T, d)
			var names []string
			var size int64
			for name, data := range files {
				names = append(names, name)
				size += int64(len(data))
				if strings.HasPrefix(name, "/") || strings.Contains(name, "../") || strings.ContainsAny(name, "\\:") {
					s.Errorf("the name %s is not safe", name)
				}
			}
			slices.Sort(names)
			if have := strings.Join(names, " "); c.want != "" && have != c.want {
				s.Errorf("%v holds %s, expected %s", c.paths, have, c.want)
			}
			if int(a.FileCount) != len(files) || a.Size != size {
				s.Errorf(
					"%v: %d files of %d bytes announced, %d of %d sent", c.paths, a.FileCount, a.Size,
					len(files), size,
				)
			}
		}
	})
}

// TestArchiveOfEndedSession checks that the URL of an archive becomes invalid with the session or API token
// that created it.
func TestArchiveOfEndedSession(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{Accounts: accounts.Config{Guest: true}}, func(s *gallerytest.Stage) {
		s.Put("one.png", gallerytest.PNG)
		login := func(name string) context.Context { return s.As(s.Person(name, auth.RoleUser)) }
		bob := s.Person("bob", auth.RoleUser)
		refreshed, err := s.Refresh(s.Context(), bob.Token)
		s.Must(err)
		guest, err := s.GuestSession(s.Context())
		s.Must(err)
		dan := login("dan")
		t, secret, err := s.CreateAPIToken(
			dan,
			accounts.CreateAPITokenInput{Name: "script", Scopes: []auth.Scope{auth.ScopeRead}},
		)
		s.Must(err)
		script, err := s.AuthenticateAPIToken(s.Context(), secret)
		s.Must(err)
		for name, c := range map[string]struct {
			creator context.Context
			end     func(context.Context) error
		}{
			"logout":                  {login("ada"), s.Logout},
			"logout by another token": {s.As(bob), func(context.Context) error { return s.Logout(s.As(refreshed)) }},
			"logout of a guest":       {s.As(guest), s.Logout},
			"logout everywhere": {login("cyd"),
				func(ctx context.Context) error { return s.LogoutEverywhere(ctx, accounts.EndSessions{}) }},
			"new password": {login("eve"), func(ctx context.Context) error {
				return s.ChangePassword(ctx, accounts.NewPassword{
					Current: gallerytest.Password, Password: "another good password"})
			}},
			"revoked API token": {auth.WithIdentity(s.Context(), script),
				func(context.Context) error { return s.RevokeAPIToken(dan, t.ID) }},
		} {
			a, err := s.Archives.Create(c.creator, []string{"one.png"}, "")
			s.Must(err)
			_, err = opened(s.Context(), s.Archives, token(a))
			gallerytest.Want(s.T, err, "", "before: "+name)
			s.Must(c.end(c.creator))
			_, err = opened(s.Context(), s.Archives, token(a))
			gallerytest.Want(s.T, err, fault.Unauthenticated, "after: "+name)
		}
	})
}

func TestArchiveLimits(t *testing.T) {
	c := gallerytest.Config{Archives: archive.Config{MaxFiles: 3, MaxBytes: 100, TTL: time.Minute}}
	gallerytest.Each(t, c, func(s *gallerytest.Stage) {
		session := s.Person("ada", auth.RoleUser)
		ctx := s.As(session)
		for i := range 4 {
			s.Put(fmt.Sprintf("many/%d.png", i), gallerytest.PNG)
		}
		s.Put("large.png", gallerytest.PNG+strings.Repeat("x", 100))
		s.Put("one.png", gallerytest.PNG)
		s.Must(s.CreateFolder(ctx, "empty"))
		for _, bad := range []struct {
			paths []string
			name  string
			code  fault.Code
		}{
			{nil, "", fault.Invalid}, {make([]string, 1001), "", fault.Invalid}, {[]string{""}, "", fault.Invalid},
			{[]string{"../x"}, "", fault.Invalid},
			{[]string{".safelight"}, "", fault.Invalid}, {[]string{"none.png"}, "", fault.NotFound},
			{[]string{"empty"}, "", fault.Invalid},
			{[]string{"many"}, "", fault.TooLarge}, {[]string{"large.png"}, "", fault.TooLarge},
			{[]string{"one.png", "large.png"}, "a/b", fault.Invalid},
		} {
			_, err := s.Archives.Create(ctx, bad.paths, bad.name)
			gallerytest.Want(s.T, err, bad.code, fmt.Sprintf("%.40q", bad.paths))
		}
		a, err := s.Archives.Create(ctx, []string{"one.png"}, "")
		s.Must(err)
		_, err = opened(ctx, s.Archives, "guessed")
		gallerytest.Want(s.T, err, fault.NotFound, "an unknown token")
		s.Must(s.DeactivateAccount(ctx, nil))
		_, err = opened(ctx, s.Archives, token(a))
		gallerytest.Want(s.T, err, fault.Unauthenticated, "an account that is not active")

		other := s.As(s.Person("bob", auth.RoleUser))
		a, err = s.Archives.Create(other, []string{"one.png"}, "")
		s.Must(err)
		s.Must(s.Store.Move(other, "one.png", "moved.png"))
		_, err = opened(other, s.Archives, token(a))
		gallerytest.Want(s.T, err, fault.NotFound, "a file that is gone")
		s.Must(s.Store.Move(other, "moved.png", "one.png"))
		first := token(a)
		s.Clock.Time = s.Clock.Time.Add(time.Second)
		for range 20 {
			a, err = s.Archives.Create(other, []string{"one.png"}, "")
			s.Must(err)
			s.Clock.Time = s.Clock.Time.Add(time.Second)
		}
		_, err = opened(other, s.Archives, first)
		gallerytest.Want(s.T, err, fault.NotFound, "the oldest of 21")
		s.Clock.Time = s.Clock.Time.Add(time.Minute)
		_, err = opened(other, s.Archives, token(a))
		gallerytest.Want(s.T, err, fault.Expired, "an old URL")
	})
}

// brokenStore fails in the middle of one file.
type brokenStore struct {
	storage.Store
	path storage.Key
}

type brokenObject struct {
	storage.Object
	left int
}

var errBroken = errors.New("the disk is gone")

func (o *brokenObject) Read(p []byte) (int, error) {
	if o.left == 0 {
		return 0, errBroken
	}
	n, err := o.Object.Read(p[:min(len(p), o.left)])
	o.left -= n
	return n, err
}

// Open implements storage.Store.
func (s brokenStore) Open(ctx context.Context, k storage.Key) (storage.Object, error) {
	o, err := s.Store.Open(ctx, k)
	if err == nil && k == s.path {
		return &brokenObject{o, 5}, nil
	}
	return o, err
}

// TestArchiveBreaksVisibly checks that reading fails if a file fails or changes, and that Close stops the
// writer.
func TestArchiveBreaksVisibly(t *testing.T) {
	gallerytest.Each(t, gallerytest.Config{}, func(s *gallerytest.Stage) {
		ctx := s.As(s.Person("ada", auth.RoleUser))
		s.Put("a/1.png", gallerytest.PNG)
		s.Put("a/2.png", gallerytest.PNG)
		open := func() *archive.Download {
			a, err := s.Archives.Create(ctx, []string{"a"}, "")
			s.Must(err)
			d, err := opened(ctx, s.Archives, token(a))
			s.Must(err)
			return d
		}
		d := open()
		_, err := s.Store.Create(
			ctx, "a/2.png", strings.NewReader("changed since then"), storage.CreateOptions{Overwrite: true},
		)
		s.Must(err)
		if data, err := io.ReadAll(d.Reader(ctx)); err == nil {
			s.Errorf("a file has changed, and %d bytes were read without an error", len(data))
		}
		r := open().Reader(ctx)
		if _, err := r.Read(make([]byte, 1)); err != nil {
			s.Error(err)
		}
		s.Must(r.Close()) // returns once the writer has stopped
		if _, err := r.Read(make([]byte, 1)); err == nil {
			s.Error("a closed reader can still be read")
		}
		s.Store = brokenStore{s.Store, "a/2.png"}
		s.Rules = s.Again()
		if data, err := io.ReadAll(open().Reader(ctx)); !errors.Is(err, errBroken) {
			s.Errorf("a file cannot be read: %d bytes, %v", len(data), err)
		}
	})
}
