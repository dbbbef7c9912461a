package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMoveStorage moves the files of a running server from a folder to S3 and back. The command is killed in the
// middle; the server answers, and takes changes until all but the last part is copied. Nothing is analyzed again, and
// all that queries return but the ETag is the same.
func TestMoveStorage(t *testing.T) {
	t.Parallel()
	bucket, data := emptyS3(t), t.TempDir()
	s := launchIn(t, data, nil)
	token := s.login()
	furnish(s, token)
	const everything = `{ files(recursive: true, first: 100) { totalCount nodes { id path size modifiedAt analysisState width blurHash phash tags description rating favorite } } }`

	killInTheMiddle(t, data, bucket)
	if r := s.upload(token, "later.jpg", drawn(t, 77)); strings.Contains(string(r.body), `"code":`) {
		t.Fatalf("an upload after the command was killed: %s", r.body)
	}
	s.until("the metadata", func() bool {
		s.ask(token, `{ files { totalCount } }`) // the large file is gone
		states := fmt.Sprint(s.ask(token, `{ files(recursive: true, first: 100) { nodes { path analysisState } } }`))
		return !strings.Contains(states, "PENDING") &&
			!strings.Contains(fmt.Sprint(s.ask(token, everything)), "zz.bin")
	})
	want := fmt.Sprint(s.ask(token, everything))
	const picture = "trip/img 0 ünï.jpg"
	grid := func() string {
		address, _ := s.ask(token, fmt.Sprintf(`{ file(path: %q) { thumbnailUrls { grid } } }`, picture), "file",
			"thumbnailUrls", "grid").(string)
		return strings.TrimPrefix(address, s.url)
	}
	tags := []string{s.get(grid()).header.Get("ETag")} // what a client knows, of each storage
	out := mustRun(t, data, "", "move-storage", "--to", bucket)
	if !strings.Contains(out, "set storage to the new one") {
		t.Errorf("it says %s", out)
	}
	if r := s.upload(token, "refused.jpg", drawn(t, 78)); !strings.Contains(string(r.body), "UNAVAILABLE") {
		t.Errorf("a change after the move: %s", r.body)
	}
	token = s.login() // other changes than those of files are made
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	if _, err := tryLaunchIn(t, data, nil); err == nil || !strings.Contains(err.Error(), "files were moved to s3://") {
		t.Errorf("a start on the old storage: %v", err)
	}
	// whatever reads the old files from now on would fail
	if err := os.Rename(filepath.Join(data, "files"), filepath.Join(t.TempDir(), "old")); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "back")
	for _, storage := range []string{bucket, "file://" + folder} {
		if storage != bucket {
			mustRun(t, data, "", "move-storage", "--storage", bucket, "--to", storage)
		}
		s = launchIn(t, data, nil, "--storage", storage)
		s.ask(token, `{ files(folder: "trip") { totalCount } }`)
		if got := fmt.Sprint(s.ask(token, everything)); got != want {
			t.Errorf("%s: %s\nexpected %s", storage, got, want)
		}
		if r := s.get(grid()); r.status != http.StatusOK {
			t.Errorf("%s: a thumbnail: %d %s", storage, r.status, r.body)
		}
		if r := s.ifNoneMatch(grid(), tags...); r.status != http.StatusOK ||
			slices.Contains(tags, r.header.Get("ETag")) {
			t.Errorf("%s: by the ETags %v of other storages: %d %s", storage, tags, r.status, r.header.Get("ETag"))
		} else {
			tags = append(tags, r.header.Get("ETag"))
		}
		r := s.upload(token, fmt.Sprintf("new%d.jpg", len(storage)), drawn(t, 79))
		if strings.Contains(string(r.body), `"code":`) {
			t.Errorf("%s: an upload: %s", storage, r.body)
		}
		s.ask(
			token,
			fmt.Sprintf(
				`mutation { purgeFiles: deleteFiles(input: {paths: ["new%d.jpg"]}) { userErrors { message } } }`,
				len(storage),
			),
		)
		if storage != bucket { // other bytes: no ETag of before is theirs
			s.ask(
				token,
				fmt.Sprintf(`mutation { deleteFiles(input: {paths: [%q]}) { userErrors { message } } }`, picture),
			)
			if r := s.upload(token, picture, drawn(t, 80)); strings.Contains(string(r.body), `"code":`) {
				t.Errorf("%s", r.body)
			}
			if r := s.ifNoneMatch(grid(), tags...); r.status != http.StatusOK {
				t.Errorf("other bytes by the ETags %v of before: %d", tags, r.status)
			}
		}
		if err := s.stop(); err != nil {
			t.Error(err)
		}
	}
}

// ifNoneMatch requests what a client has under these ETags.
func (b *realServer) ifNoneMatch(path string, tags ...string) reply {
	r, err := http.NewRequest(http.MethodGet, b.url+path, nil)
	if err == nil {
		r.Header.Set("If-None-Match", strings.Join(tags, ", "))
	}
	return b.do(r, err)
}

// killInTheMiddle starts a move and kills it when some files are copied, while it is at a file that takes minutes.
func killInTheMiddle(t *testing.T, data, to string) {
	t.Helper()
	large := filepath.Join(data, "files/zz.bin")
	err := os.WriteFile(large, nil, 0o600)
	if err == nil {
		err = os.Truncate(large, 40<<30) // a hole
	}
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(large)
	command := exec.Command(programLink(t), "move-storage", "--workers", "1", "--data", data, "--to", to)
	var out bytes.Buffer
	command.Stderr = &out
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool {
		b, _ := os.ReadFile(filepath.Join(data, "move-storage.journal"))
		return bytes.Count(b, []byte("\n")) > 10
	}, func() string { return "nothing is copied" })
	_ = command.Process.Kill()
	if err := command.Wait(); err == nil {
		t.Errorf("the move ended before it was killed: %s", out.String())
	}
}

// TestStorageName checks that the folder of the settings and the same folder as a URL have one name.
func TestStorageName(t *testing.T) {
	for data, address := range map[string]string{"/srv/data": "file:///srv/data/files",
		"/srv/100% of #1": "file:///srv/100%25%20of%20%231/files"} {
		byDefault, named := site{
			Settings: &Settings{Data: data},
		}, site{
			Settings: &Settings{Data: "/else", Storage: address},
		}
		if one, other := byDefault.storageName(), named.storageName(); one != other || one != "file://"+data+"/files" {
			t.Errorf("%s: %q by default, %q by its URL", data, one, other)
		}
	}
}
