package storageconfig_test

import (
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/storageconfig"
	"github.com/safelight/safelight/storage"
)

// place creates the folders of an operator and returns a policy for them.
func place(t *testing.T) (dir string, p storageconfig.Policy) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range []string{"data/files", "srv/pictures", "other"} {
		must(t, os.MkdirAll(filepath.Join(dir, name), 0o755))
	}
	must(t, os.Symlink(filepath.Join(dir, "other"), filepath.Join(dir, "srv/pictures/out")))
	must(t, os.Symlink(filepath.Join(dir, "data"), filepath.Join(dir, "srv/pictures/keys")))
	return dir, storageconfig.Policy{
		Default: filepath.Join(dir, "data/files"),
		Roots:   []string{filepath.Join(dir, "srv")},
		Private: []string{filepath.Join(dir, "data")},
	}
}

func TestStorageFolders(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		dir, policy := place(t)
		s := newStage(t, db, name, gallerytest.Config{Backend: storageconfig.Config{Kind: "file", Policy: policy}})
		ctx := s.As(s.Person("admin", auth.RoleAdmin))
		for folder, ok := range map[string]bool{
			dir + "/data/files": true, dir + "/data/files/new/one": true, dir + "/srv": true,
			dir + "/srv/pictures": true, dir + "/srv/new": true,
			"/": false, "/etc": false, dir: false, dir + "/data": false, dir + "/data/other": false,
			dir + "/other": false, dir + "/srvx": false,
			dir + "/srv/pictures/out": false, dir + "/srv/pictures/out/new": false, dir + "/srv/pictures/keys": false,
			dir + "/srv/../other": false,
			"":                    false, "srv": false, ".": false, dir + "/srv/\x00": false,
		} {
			err := s.ConfigureStorage(ctx, storageconfig.Input{Folder: folder})
			if f := fault.Of(err); (err == nil) != ok ||
				err != nil && (f.Code != fault.Invalid || f.Field != "baseDir") {
				t.Errorf("%q: %v", folder, err)
			}
		}
		must(t, s.ConfigureStorage(ctx, storageconfig.Input{Folder: dir + "/srv/chosen"}))
		status, err := s.StorageStatus(t.Context())
		if err != nil || !status.RestartRequired || status.LastUpdated == nil || status.IsOverriddenByConfig {
			t.Errorf("status %+v, %v", status, err)
		}
		client := database.New(db, name)
		chosen, err := storageconfig.OpenChosen(t.Context(), client, policy, s.Keys)
		if err != nil || chosen.Kind != "file" || chosen.Place != dir+"/srv/chosen" {
			t.Fatalf("OpenConfiguredStorage = %+v, %v", chosen, err)
		}
		chosen.Store.Close()
		if status, err = s.Again().StorageStatus(t.Context()); err != nil || status.RestartRequired {
			t.Errorf("status after a start %+v, %v", status, err)
		}
		if status, err = s.StorageStatus(t.Context()); err != nil || !status.RestartRequired {
			t.Errorf("status of a server that has not started again, although another has: %+v, %v", status, err)
		}
		again := s.Again()
		for folder, restart := range map[string]bool{"/srv/other": true, "/srv/./chosen": false} {
			must(t, again.ConfigureStorage(ctx, storageconfig.Input{Folder: dir + folder}))
			if got, err := again.Pending(ctx); got != restart || err != nil {
				t.Errorf("%s chosen while /srv/chosen is in use: restart is required: %v, %v", folder, got, err)
			}
		}
		if entries, _ := os.ReadDir(dir + "/srv/chosen"); len(entries) != 1 || entries[0].Name() != ".safelight-work" {
			t.Errorf("the test leaves %v", entries)
		}
		policy.Roots = nil
		if _, err := storageconfig.OpenChosen(t.Context(), client, policy, s.Keys); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("a folder that is allowed no more: %v", err)
		}
		policy.Overridden = true
		if chosen, err := storageconfig.OpenChosen(t.Context(), client, policy, s.Keys); chosen != nil || err != nil {
			t.Errorf("a storage that the operator decides: %v, %v", chosen, err)
		}
	})
}

// TestStorageAtMount checks that a storage that overlaps a mount is rejected, because no server could open
// both.
func TestStorageAtMount(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		dir, policy := place(t)
		taken := []string{"file://" + dir + "/srv/pictures", "s3://pictures/2020?endpoint=https%3A%2F%2Fexample.com"}
		policy.MountAt = func(address string) storage.Key {
			if slices.Contains(taken, address) {
				return "archive"
			}
			return ""
		}
		s := newStage(t, db, name, gallerytest.Config{Backend: storageconfig.Config{Kind: "file", Policy: policy}})
		ctx := s.As(s.Person("admin", auth.RoleAdmin))
		bucket := storage.S3Config{
			Bucket:          "pictures",
			Prefix:          "2020",
			Region:          "eu-central-1",
			Endpoint:        "https://example.com",
			AccessKeyID:     "id",
			SecretAccessKey: "secret",
		}
		for field, in := range map[string]storageconfig.Input{
			"baseDir": {Folder: dir + "/srv/../srv/pictures"}, "bucket": storageconfig.S3Input(bucket)} {
			err := s.ConfigureStorage(ctx, in)
			if f := fault.Of(err); err == nil || f.Code != fault.Invalid || f.Field != field ||
				!strings.Contains(f.Message, "archive") {
				t.Errorf("%s: %v", field, err)
			}
		}
		must(t, s.ConfigureStorage(ctx, storageconfig.Input{Folder: dir + "/srv/new"}))
	})
}

// TestStorageProblem checks that the status explains why this server does not use the storage, although the
// row suggests that it does.
func TestStorageProblem(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		_, policy := place(t)
		var problem error
		s := newStage(t, db, name, gallerytest.Config{
			Backend: storageconfig.Config{Kind: "file", Policy: policy, Problem: func() error { return problem }},
		})
		ctx := s.As(s.Person("admin", auth.RoleAdmin))
		must(t, s.ConfigureStorage(ctx, storageconfig.Input{Folder: policy.Default}))
		for _, want := range []string{"", "the keys are those of another key file", ""} {
			if problem = nil; want != "" {
				problem = fault.New(fault.Unavailable, "%s", want)
			}
			if status, err := s.StorageStatus(ctx); err != nil || status.Problem != want ||
				status.RestartRequired != (want != "") {
				t.Errorf("%+v, %v, expected the problem %q", status, err, want)
			}
		}
	})
}

func TestStorageOverridden(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		dir, policy := place(t)
		policy.Overridden = true
		s := newStage(t, db, name, gallerytest.Config{Backend: storageconfig.Config{Policy: policy}})
		ctx := s.As(s.Person("admin", auth.RoleAdmin))
		in := storageconfig.Input{Folder: dir + "/srv"}
		want(t, s.ConfigureStorage(ctx, in), fault.Conflict, "configuring what the environment decides")
		want(t, s.TestStorage(ctx, in), fault.Conflict, "testing where the environment decides")
		if status, err := s.StorageStatus(t.Context()); err != nil || !status.IsOverriddenByConfig {
			t.Errorf("status %+v, %v", status, err)
		}
	})
}

func TestS3Input(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		_, policy := place(t)
		refused := errors.New("not there")
		policy.Control = func(string, string, syscall.RawConn) error {
			return fault.Wrap(refused, fault.Invalid, "that address is not public")
		}
		s := newStage(t, db, name, gallerytest.Config{Backend: storageconfig.Config{Policy: policy}})
		ctx := s.As(s.Person("admin", auth.RoleAdmin))
		good := storage.S3Config{
			Bucket:          "pictures",
			Region:          "eu-central-1",
			Endpoint:        "http://127.0.0.1:9",
			PathStyle:       true,
			AccessKeyID:     "id",
			SecretAccessKey: "hush hush",
		}
		for field, change := range map[string]func(*storage.S3Config){
			"bucket":          func(c *storage.S3Config) { c.Bucket = "a/../b" },
			"region":          func(c *storage.S3Config) { c.Region = "evil.example/" },
			"endpoint":        func(c *storage.S3Config) { c.Endpoint = "file:///etc/passwd" },
			"baseDir":         func(c *storage.S3Config) { c.Prefix = "../x" },
			"secretAccessKey": func(c *storage.S3Config) { c.SecretAccessKey = "" },
		} {
			c := good
			change(&c)
			err := s.ConfigureStorage(ctx, storageconfig.S3Input(c))
			if f := fault.Of(err); f == nil || f.Code != fault.Invalid || f.Field != field {
				t.Errorf("%s: %v", field, err)
			}
		}
		err := s.TestStorage(ctx, storageconfig.S3Input(good))
		if fault.CodeOf(err) != fault.Invalid || !errors.Is(err, refused) {
			t.Errorf("an address that is refused: %v", err)
		}
		e := s.Events(audit.Filter{Action: string(audit.ActionStorageTest)})
		if len(e) != 1 || e[0].After["works"] != false || e[0].After["bucket"] != "pictures" ||
			e[0].After["secretAccessKey"] != nil {
			t.Errorf("events of the test: %+v", e)
		}
	})
}

// TestS3Storage configures the S3 server that make test starts.
func TestS3Storage(t *testing.T) {
	u, err := url.Parse(os.Getenv("SAFELIGHT_TEST_S3"))
	must(t, err)
	if u.Host == "" {
		t.Skip("SAFELIGHT_TEST_S3 names no server: make test starts one and sets it")
	}
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		_, policy := place(t)
		s := newStage(t, db, name, gallerytest.Config{Backend: storageconfig.Config{Policy: policy}})
		ctx := s.As(s.Person("admin", auth.RoleAdmin))
		c := storage.S3Config{
			Bucket:          u.Host,
			Prefix:          "accounts-" + name,
			Region:          "us-east-1",
			Endpoint:        u.Query().Get("endpoint"),
			PathStyle:       true,
			AccessKeyID:     os.Getenv("AWS_ACCESS_KEY_ID"),
			SecretAccessKey: os.Getenv("AWS_SECRET_ACCESS_KEY"),
		}
		wrong := c
		wrong.SecretAccessKey = "wrong"
		if err := s.ConfigureStorage(ctx, storageconfig.S3Input(wrong)); storageconfig.Reason(err) == "" {
			t.Errorf("a wrong key: %v", err)
		}
		must(t, s.ConfigureStorage(ctx, storageconfig.S3Input(c)))
		again := c
		again.AccessKeyID, again.SecretAccessKey = "", ""
		must(t, s.ConfigureStorage(ctx, storageconfig.S3Input(again)))
		again.Bucket = "other-bucket"
		want(
			t, s.ConfigureStorage(ctx, storageconfig.S3Input(again)), fault.Invalid,
			"the stored key for another bucket",
		)
		var stored string
		must(t, db.QueryRow("SELECT secret_access_key FROM storage_settings").Scan(&stored))
		if strings.Contains(stored, c.SecretAccessKey) {
			t.Error("the key lies plain in the database")
		}
		chosen, err := storageconfig.OpenChosen(t.Context(), database.New(db, name), policy, s.Keys)
		must(t, err)
		defer chosen.Store.Close()
		must(t, storage.Probe(t.Context(), chosen.Store))
	})
}
