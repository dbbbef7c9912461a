// Command roots takes the steps of the Dockerfile in roots of Debian releases that mmdebstrap makes, where no Docker
// daemon can be had, and tries what they give: the server as its own user on a read-only root, and the imaging tests
// with that release's libvips. It needs root and mmdebstrap.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

// options are the flags.
type options struct {
	suite, vips, work, tests, bench, deb string
	keep, arm64, pack                    bool
}

func main() {
	var o options
	flag.StringVar(&o.suite, "suite", "trixie", "release of Debian")
	flag.StringVar(&o.vips, "vips", "8.16", "version of libvips that it is expected to have, as in the Dockerfile")
	flag.StringVar(&o.work, "work", "", "folder for the roots, some 3 GB; default: a temporary one")
	flag.StringVar(&o.tests, "tests", "./imaging/...", "packages to test in the root; empty for none")
	flag.StringVar(&o.bench, "bench", "",
		"options of scripts/bench to run in the root, such as '--jobs a,c,w --clients 8 --rounds 1'; empty for none")
	flag.StringVar(&o.deb, "deb", "", "instead of the image: install this Debian package in a clean root of the "+
		"release, start it, remove and purge it")
	flag.BoolVar(&o.pack, "package", false,
		"make the Debian package where the program is built, and try it as -deb does")
	flag.BoolVar(&o.arm64, "arm64", false,
		"instead of the image: build the program for arm64 with that release's libraries, and try it under an emulator")
	flag.BoolVar(&o.keep, "keep", false, "leave the roots")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := o.run(ctx); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "roots:", err)
		os.Exit(1)
	}
}

func (o options) run(ctx context.Context) (err error) {
	if o.work == "" {
		if o.work, err = os.MkdirTemp("", "safelight-roots"); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(o.work, 0o755); err != nil {
		return err
	}
	if !o.keep {
		defer os.RemoveAll(o.work)
	}
	// mmdebstrap and the copies keep the modes of root's files only without a mask
	syscall.Umask(0o022)
	base, err := newRoot(ctx, filepath.Join(o.work, "base"), o.suite, os.Stderr)
	if err != nil {
		return err
	}
	if o.deb != "" {
		return install(ctx, base, o.deb)
	}
	if o.arm64 {
		return o.cross(ctx, base)
	}
	return o.image(ctx, base)
}

// image makes what the Dockerfile says and tries it.
func (o options) image(ctx context.Context, base root) error {
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		return err
	}
	given := map[string]string{"SUITE": o.suite, "VIPS": o.vips}
	stages, values, err := parse(string(text), given)
	if err != nil {
		return err
	}
	m := &image{work: o.work, tree: ".", base: base, values: values, given: given, stages: stages,
		done: map[int]built{}}
	last, err := m.make(ctx, len(stages)-1)
	if err != nil {
		return err
	}
	s := service{root: last.root, user: last.user, program: last.program, health: last.health,
		data: last.env["SAFELIGHT_DATA"]}
	for name, value := range last.env {
		s.env = append(s.env, name+"="+value)
	}
	printed, err := s.try(ctx)
	fmt.Println(printed)
	if err != nil {
		return fmt.Errorf("the image on %s: %w", o.suite, err)
	}
	fmt.Printf("%s with libvips %s: the image serves\n", o.suite, o.vips)
	if o.pack {
		if err := o.release(ctx, m); err != nil {
			return err
		}
	}
	return o.inBuild(ctx, m)
}

// release makes the Debian package in the root of the build, as make release does, and tries it in a clean one.
func (o options) release(ctx context.Context, m *image) error {
	b := m.done[named(m.stages, "build")]
	with := m.with(b, map[string]string{"VERSION": "v0.0.1", "SOURCE_DATE_EPOCH": "1795000000", "OUT": "/out/release"})
	if err := b.shell(ctx, with, "apt-get update -q && apt-get install -y -q --no-install-recommends dpkg-dev && rm "+
		"-rf /out/release && scripts/release"); err != nil {
		return err
	}
	found, err := filepath.Glob(filepath.Join(b.path, "out/release/*.deb"))
	if err != nil || len(found) != 1 {
		return fmt.Errorf("%v %w, expected one package", found, err)
	}
	clean, err := m.base.copied(ctx, filepath.Join(o.work, "clean"))
	if err != nil {
		return err
	}
	if err := install(ctx, clean, found[0]); err != nil {
		return err
	}
	fmt.Printf("%s: %s is installed, serves, is removed and purged\n", o.suite, filepath.Base(found[0]))
	return nil
}

// inBuild runs tests and the benchmark where the program was built.
func (o options) inBuild(ctx context.Context, m *image) error {
	b := m.done[named(m.stages, "build")]
	with := m.with(b, map[string]string{"GOFLAGS": "-buildvcs=false", "CGO_CFLAGS": "-O2 -Wno-discarded-qualifiers"})
	var lines []string
	if o.tests+o.bench != "" {
		lines = append(lines, "apt-get update -q && apt-get install -y -q --no-install-recommends "+
			"libheif-plugin-aomenc fonts-dejavu-core fontconfig libvips-tools")
	}
	if o.tests != "" {
		lines = append(lines, "go test -count=1 -timeout 40m "+o.tests)
	}
	if o.bench != "" {
		lines = append(lines, "go build -C scripts/bench -o /out/bench . && mkdir -p bin && cp /out/safelight bin/ && "+
			"/out/bench "+o.bench)
	}
	for _, line := range lines {
		if err := b.shell(ctx, with, line); err != nil {
			return err
		}
	}
	return nil
}
