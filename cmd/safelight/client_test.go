package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	client "github.com/safelight/safelight/examples/go"
)

// TestGoClient lets examples/go work a day on the real binary: browse, upload, copy, trash, restore.
func TestGoClient(t *testing.T) {
	_, server := startInEmptyFolder(t)
	address, ctx := server.field(bannerURL), t.Context()
	if _, err := client.Login(ctx, address, "admin", "not-the-password"); err == nil ||
		!strings.Contains(err.Error(), "LOGIN_FAILED") {
		t.Errorf("a wrong password gives %v", err)
	}
	c, err := client.Login(ctx, address, "admin", server.password())
	if err != nil {
		t.Fatal(err)
	}
	me, err := client.Me(ctx, c)
	if err != nil || me.Me == nil || me.Me.Role != client.RoleAdmin {
		t.Fatalf("me is %+v, %v", me, err)
	}

	seen := browse(t, c, "samples")
	picture, kind, err := c.Picture(ctx, seen[0].ThumbnailUrls.Grid)
	if err != nil || kind != "image/webp" {
		t.Fatalf("%s: %s, %v", seen[0].ThumbnailUrls.Grid, kind, err)
	}

	path, err := c.Upload(ctx, "work/a.webp", picture, client.ConflictPolicyError)
	if err != nil || path != "work/a.webp" {
		t.Fatalf("the upload became %q, %v", path, err)
	}
	if _, err := c.Upload(ctx, path, picture, client.ConflictPolicyError); err == nil ||
		!strings.Contains(err.Error(), "CONFLICT") {
		t.Errorf("a second upload gives %v", err)
	}
	if path, err = c.Upload(ctx, path, picture, client.ConflictPolicyRename); err != nil || path != "work/a-1.webp" {
		t.Errorf("a renamed upload became %q, %v", path, err)
	}
	if _, err := c.Upload(ctx, "work/page.png", []byte("<html><script>alert(1)</script>"),
		client.ConflictPolicyError); err == nil ||
		!strings.Contains(err.Error(), "UNSUPPORTED_TYPE") {
		t.Errorf("HTML under the name of a picture gives %v", err)
	}
	if made, err := client.CreateFolder(ctx, c, "../outside"); err != nil || len(made.CreateFolder.UserErrors) != 1 {
		t.Errorf("a folder outside gives %+v, %v", made, err)
	}

	if files := browse(t, c, "work"); len(files) != 2 {
		t.Errorf("work holds %d files, want 2", len(files))
	}

	url, err := client.ImageURL(
		ctx, c, "work/a.webp", 40, 30, []client.ProcessorFilterInput{{Name: "format", Args: ptr("png")}},
	)
	if err != nil || url.GenerateProcessorUrl == nil {
		t.Fatal(err)
	}
	if small, kind, err := c.Picture(ctx, *url.GenerateProcessorUrl); err != nil || kind != "image/png" ||
		len(small) == 0 {
		t.Errorf("%s: %d bytes of %s, %v", *url.GenerateProcessorUrl, len(small), kind, err)
	}
	if _, _, err := c.Picture(ctx, strings.Replace(*url.GenerateProcessorUrl, "40x30", "4000x30", 1)); err == nil ||
		!strings.Contains(err.Error(), "403") {
		t.Errorf("a changed URL gives %v", err)
	}
	trashAndBack(t, c)
}

// browse reads a folder one file at a time and returns them all.
func browse(t *testing.T, c *client.Client, folder string) (seen []client.PicturesFilesFileConnectionNodesFile) {
	t.Helper()
	paths := map[string]bool{}
	for after := (*string)(nil); ; {
		page, err := client.Pictures(t.Context(), c, folder, 1, after)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range page.Files.Nodes {
			if paths[file.Path] {
				t.Errorf("%s stands on two pages", file.Path)
			}
			paths[file.Path], seen = true, append(seen, file)
		}
		if !page.Files.PageInfo.HasNextPage {
			if len(seen) != *page.Files.TotalCount || len(seen) == 0 {
				t.Fatalf("saw %d of %d files", len(seen), *page.Files.TotalCount)
			}
			return seen
		}
		after = page.Files.PageInfo.EndCursor
	}
}

func trashAndBack(t *testing.T, c *client.Client) {
	t.Helper()
	ctx := t.Context()
	copied, err := client.CopyFiles(ctx, c, []string{"work/a.webp", "work/none.webp"}, "kept")
	if err != nil {
		t.Fatal(err)
	}
	if r := copied.CopyFiles.Results; len(r) != 2 || !r[0].Ok || r[1].Ok || r[1].Error.Code != "NOT_FOUND" {
		t.Errorf("copied %+v", r)
	}
	trashed, err := client.TrashFiles(ctx, c, []string{"kept"})
	if err != nil || len(trashed.TrashFiles.Results) != 1 || !trashed.TrashFiles.Results[0].Ok {
		t.Fatalf("trashed %+v, %v", trashed, err)
	}
	if _, err := client.Pictures(ctx, c, "kept", 10, nil); client.Code(err) != "NOT_FOUND" {
		t.Errorf("a folder in the trash gives %v", err)
	}
	restored, err := client.RestoreFiles(ctx, c, []string{trashed.TrashFiles.Results[0].Trashed.Id})
	if err != nil || len(restored.RestoreFiles.Results) != 1 || !restored.RestoreFiles.Results[0].Ok {
		t.Fatalf("restored %+v, %v", restored, err)
	}
	if page, err := client.Pictures(ctx, c, "kept", 10, nil); err != nil || *page.Files.TotalCount != 1 {
		t.Errorf("the folder that came back holds %+v, %v", page, err)
	}
}

// TestGoClientWalk runs the program of examples/go/walk as its comment says.
func TestGoClientWalk(t *testing.T) {
	_, server := startInEmptyFolder(t)
	command := exec.Command("go", "run", "./examples/go/walk")
	command.Dir = "../.."
	command.Env = append(
		os.Environ(), "SAFELIGHT_URL="+server.field(bannerURL), "SAFELIGHT_PASSWORD="+server.password(),
	)
	if out, err := command.CombinedOutput(); err != nil || !strings.Contains(string(out), "of image/") {
		t.Errorf("%v\n%s", err, out)
	}
}

func ptr[T any](v T) *T { return &v }
