package main

import (
	"bytes"
	"context"
	"image"
	"image/jpeg"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/cmd/safelight/demo"
)

// TestRunInProcess drives run, the composition root, without a separate process: an empty folder, a picture through
// the engine, an account.
func TestRunInProcess(t *testing.T) {
	data := t.TempDir()
	call := func(args ...string) (string, error) {
		var out, errs bytes.Buffer
		err := run(context.Background(), append(args, "--data", data), nil, strings.NewReader(""), &out, &errs)
		return out.String() + errs.String(), err
	}
	for _, c := range []struct {
		args []string
		want string
		fail bool
	}{
		{args: []string{"migrate", "up"}, want: "applied"},
		{args: []string{"user", "create", "ada", "--role", "admin"}, want: "created admin ada, password "},
		{args: []string{"user", "list"}, want: "ada"},
		{args: []string{"user", "create", "ada"}, fail: true},
		{args: []string{"url", "sign", "300x200/a.jpg"}, want: "=/300x200/a.jpg"},
		{args: []string{"url", "explain", "unsafe/300x200/a.jpg"}, want: "300"},
		{args: []string{"url"}, fail: true},
		{args: []string{"--help"}, want: "doctor"},
		{args: []string{"user", "create", "--help"}, want: "Every setting: safelight --help"},
		{args: []string{"process", "300x200", "missing.jpg", filepath.Join(data, "out.jpg")}, fail: true},
	} {
		out, err := call(c.args...)
		if (err != nil) != c.fail || !strings.Contains(out, c.want) {
			t.Errorf("%v: %v\n%s", c.args, err, out)
		}
	}
}

// TestServeEndsWithItsContext checks that run returns nil when it is asked to stop.
func TestServeEndsWithItsContext(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	out, errs := &lockedBuffer{}, &lockedBuffer{}
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, []string{"--listen", "127.0.0.1:0", "--data", t.TempDir()}, nil, strings.NewReader(""), out,
			errs)
	}()
	waitFor(
		t, func() bool { return strings.Contains(errs.String(), "serving") },
		func() string { return out.String() + errs.String() },
	)
	stop()
	if err := <-done; err != nil {
		t.Errorf("run returned %v after its context ended", err)
	}
	if lines := strings.Count(out.String(), "\n") + strings.Count(errs.String(), "log in as"); lines > 10 {
		t.Errorf("%d lines of greeting, want 10 at most:\n%s", lines, out.String())
	}
}

// stopping ends a context with the first line that is printed.
type stopping struct {
	lockedBuffer
	stop context.CancelFunc
}

func (w *stopping) Write(line []byte) (int, error) {
	w.stop()
	return w.lockedBuffer.Write(line)
}

// TestStoppedWhileStarting checks that a server that is stopped between its first line and serving ends without an
// error: what was under way was to be given up.
func TestStoppedWhileStarting(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	out, errs := &stopping{stop: stop}, &lockedBuffer{}
	if err := run(ctx, []string{"--listen", "127.0.0.1:0", "--data", t.TempDir(), "--log-level", "info"}, nil,
		strings.NewReader(""), out, errs); err != nil {
		t.Error(err)
	}
	if log := errs.String(); !strings.Contains(log, "stopped before serving") {
		t.Errorf("log: %s", log)
	}
}

// TestServePrintsTheSetupPage checks that a server without an admin prints the address that makes one, with the token
// behind the #, and keeps the token out of its log.
func TestServePrintsTheSetupPage(t *testing.T) {
	for _, c := range []struct {
		name, want string
		more       []string
	}{
		{"its own address", `http://127\.0\.0\.1:\d+`, nil},
		{"base-url", `https://pictures\.example`, []string{"--base-url", "https://pictures.example"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, stop := context.WithCancel(context.Background())
			defer stop()
			out, errs := &lockedBuffer{}, &lockedBuffer{}
			done := make(chan error, 1)
			args := []string{"--listen", "127.0.0.1:0", "--data", t.TempDir(), "--admin-username", ""}
			go func() { done <- run(ctx, append(args, c.more...), nil, strings.NewReader(""), out, errs) }()
			waitFor(
				t, func() bool { return strings.Contains(errs.String(), "serving") },
				func() string { return out.String() + errs.String() },
			)
			stop()
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			found := regexp.MustCompile(`(?m)^  set up      ` + c.want +
				`/setup#(\S{16,}) \(create the first account there\)$`).
				FindStringSubmatch(errs.String())
			if found == nil {
				t.Fatalf("no address of the setup page:\n%s\n%s", out.String(), errs.String())
			}
			if strings.Count(out.String()+errs.String(), found[1]) != 1 {
				t.Errorf("the token is printed more than once:\n%s\n%s", out.String(), errs.String())
			}
		})
	}
}

// TestAddressesAreQuoted: the address of a picture is one word of a shell, whatever the picture is called.
func TestAddressesAreQuoted(t *testing.T) {
	for _, address := range []string{
		"http://127.0.0.1:8000/Ab_-=/fit-in/900x600/a%20b.jpg",
		"http://127.0.0.1:8000/sig/fit-in/900x600/a&b;$(reboot)'s!~*.jpg", "/data", "/my data", "", "a\"`b",
	} {
		word := quoteForShell(address)
		got, err := exec.Command("sh", "-c", "printf %s "+word).Output()
		if err != nil || string(got) != address {
			t.Errorf("%s: a shell reads %q of %s: %v", address, got, word, err)
		}
	}
	if address := "http://127.0.0.1:8000/Ab_-=/fit-in/900x600/a%20b.jpg"; quoteForShell(address) != address {
		t.Errorf("quotes around an address that needs none: %s", quoteForShell(address))
	}
}

// TestServePrintsAQuotedAddress starts a server over a picture whose name means something to a shell.
func TestServePrintsAQuotedAddress(t *testing.T) {
	data := t.TempDir()
	picture, err := demo.Welcome.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(picture)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(data, "files"), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "files", "a;echo $(id)'.jpg"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	out, errs := &lockedBuffer{}, &lockedBuffer{}
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, []string{"--listen", "127.0.0.1:0", "--data", data}, nil, strings.NewReader(""), out, errs)
	}()
	waitFor(
		t, func() bool { return strings.Contains(errs.String(), "serving") },
		func() string { return out.String() + errs.String() },
	)
	stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	printed := regexp.MustCompile(`(?m)^  a picture   (.*)$`).FindStringSubmatch(out.String())
	if printed == nil {
		t.Fatalf("no picture: %s", out.String())
	}
	words, err := exec.Command("sh", "-c", "printf '<%s>' "+printed[1]).Output()
	if err != nil || strings.Count(string(words), "<") != 1 || !strings.Contains(string(words), "echo%20$(id)'.jpg") {
		t.Errorf("a shell reads %s of %s: %v", words, printed[1], err)
	}
}

func TestDemoPicturesDiffer(t *testing.T) {
	if testing.Short() {
		t.Skip("draws every picture of the demo")
	}
	seen := map[int64]string{}
	for _, d := range append([]demo.Picture{demo.Welcome}, demo.Pictures...) {
		content, err := d.Bytes()
		if err != nil {
			t.Fatalf("%s: %v", d.Path, err)
		}
		if other, twice := seen[content.Size()]; twice || content.Size() < 50_000 || content.Size() > 2_000_000 {
			t.Errorf("%s has %d bytes, as %q", d.Path, content.Size(), other)
		}
		seen[content.Size()] = d.Path
	}
}

// TestExplainRejected: url explain says why a server rejects a URL whose signature is right.
func TestExplainRejected(t *testing.T) {
	data := t.TempDir()
	mustRun(t, data, "", "migrate", "up")
	mustRun(t, data, "", "user", "create", "ada", "--role", "admin")
	signed := strings.TrimSpace(mustRun(t, data, "", "url", "sign", "300x200/a.jpg"))
	if got := mustRun(t, data, "", "url", "explain", signed); !strings.HasSuffix(got, "signature: right\n") {
		t.Errorf("it says %s", got)
	}
	got := mustRun(t, data, "", "--presets-only", "url", "explain", signed)
	if !strings.Contains(got, "signature: right\nrejected: the URL calls no preset") {
		t.Errorf("with presets-only it says %s", got)
	}
}

// TestExplainChangesNothing explains an unsafe URL where there is no data folder, and beside a database that this
// version cannot open.
func TestExplainChangesNothing(t *testing.T) {
	list := func(folder string) (names []string) {
		err := filepath.WalkDir(folder, func(name string, _ fs.DirEntry, err error) error {
			names = append(names, name)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	root := t.TempDir()
	mustRun(t, filepath.Join(root, "data"), "", "url", "explain", "unsafe/300x/a.jpg")
	if names := list(root); len(names) != 1 {
		t.Errorf("without a data folder it made %q", names)
	}
	data, old := t.TempDir(), []byte("a database of another version")
	database := filepath.Join(data, "safelight.db")
	if err := os.WriteFile(database, old, 0o600); err != nil {
		t.Fatal(err)
	}
	before := list(data)
	mustRun(t, data, "", "url", "explain", "300x/a.jpg")
	if names := list(data); !slices.Equal(names, before) {
		t.Errorf("beside a database it made %q", names)
	}
	if now, err := os.ReadFile(database); err != nil || !bytes.Equal(now, old) {
		t.Errorf("the database is %q now, %v", now, err)
	}
}

// TestExplainRoute: url explain says which code makes the result of a file that it can read, and what may make that of
// another.
func TestExplainRoute(t *testing.T) {
	data := t.TempDir()
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, image.NewYCbCr(image.Rect(0, 0, 640, 480), image.YCbCrSubsampleRatio420),
		nil); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(data, "files"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "files", "photo.jpg"), photo.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	const route = "Route: worker, decode: pixels, scale: while decoding, filter: none, encode: pixels\n"
	for path, want := range map[string]string{
		"unsafe/300x/photo.jpg":  ": 300 x 225 pixels",
		"unsafe/300x/photo.jpg ": route,
		"unsafe/300x/other.jpg": "Possible route: worker, decode: pixels, scale: while decoding, " +
			"filter: none, encode: pixels\n",
		"unsafe/300x/other.jpg ": "Possible route: worker, decode: pixels, scale: down, filter: none, " +
			"encode: pixels\n",
		"unsafe/300x/other": "Possible route: worker, decode: pixels, scale: down, filter: none, " +
			"encode: pixels\n",
		"unsafe/300x/filters:blur(2)/a.avif": "Possible route: worker, decode: libvips, scale: down, filter: " +
			"libvips, encode: libvips\n",
		"unsafe/300x/filters:format(webp)/a.gif": "Possible route: worker, decode: libvips, scale: down, filter: " +
			"none, encode: libvips\n", // an animation
		"unsafe/300x200/color:red": "\nRoute: worker, decode: none, scale: none, filter: none, encode: pixels\n",
		"unsafe/filters:raw()/photo.jpg": "\nRoute: worker, decode: none, scale: none, filter: none, " +
			"encode: none\n",
		"unsafe/filters:keep_metadata()/photo.jpg": "\nRoute: worker, decode: pixels, scale: none, filter: none, " +
			"encode: libvips\n",
		"unsafe/meta/photo.jpg": "\nRoute: worker, decode: none, scale: none, filter: none, encode: none\n",
	} {
		if got := mustRun(t, data, "", "url", "explain", strings.TrimSpace(path)); !strings.Contains(got, want) {
			t.Errorf("%s: it says %s, expected %s", path, got, want)
		}
	}
	for args, want := range map[string]string{
		"--isolation risky 300x/filters:image(photo.jpg,1,1)/photo.jpg":   "\nRoute: server, ",
		"--isolation risky 300x/filters:image(drawing.svg,1,1)/photo.jpg": "\nRoute: worker, ",
		"--keep-metadata 300x/photo.jpg":                                  "encode: libvips\n",
	} {
		args := append([]string{"url", "explain"}, strings.Fields(args)...)
		if got := mustRun(t, data, "", args...); !strings.Contains(got, want) {
			t.Errorf("%v: it says %s, expected %s", args, got, want)
		}
	}
	const whileDecoding = "scale: while decoding" // which the planes of a WebP are not in linear light
	got := mustRun(t, data, "", "url", "explain", "--scaling", "linear", "300x/a.webp")
	if strings.Contains(got, whileDecoding) {
		t.Errorf("in linear light, it says %s", got)
	}
	mount := []string{"--storage-mounts", "more=file://" + filepath.Join(data, "files")}
	for _, more := range [][]string{nil, mount} {
		path := "300x/photo.jpg"
		if more != nil {
			path = "300x/more/photo.jpg"
		}
		args := append(more, "url", "explain", path)
		other := t.TempDir()
		if err := os.Mkdir(filepath.Join(other, "files"), 0o700); err != nil {
			t.Fatal(err)
		}
		if got := mustRun(t, other, "", args...); more != nil != strings.Contains(got, route) {
			t.Errorf("%v: it says %s", args, got)
		}
	}
	mustRun(t, data, "correct horse battery staple\n", "user", "create", "ada", "--password-stdin")
	signed := strings.TrimSpace(mustRun(t, data, "", "url", "sign", "300x/photo.jpg"))
	if got := mustRun(t, data, "", "url", "explain", signed); !strings.Contains(got, route) {
		t.Errorf("%s: it says %s", signed, got)
	}
}
