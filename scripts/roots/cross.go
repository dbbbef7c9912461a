package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// emulator is a program of this machine that runs those of a foreign root; empty: none is needed.
type emulator string

// namespaces returns what unshare needs for it: the kernel lets every user namespace have its own interpreters since
// 6.7, so nothing of the machine changes.
func (e emulator) namespaces() []string {
	if e == "" {
		return nil
	}
	return []string{"--user", "--map-root-user"}
}

// emulate registers $emulator for programs of arm64. F opens it now, because it is not in the root.
const emulate = `if [ -n "${emulator:-}" ]; then
mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc && printf '%s' ':arm64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:'"$emulator:F" >/proc/sys/fs/binfmt_misc/register || exit 94
fi
`

// What an arm64 root holds: the libraries that the program runs with and is compiled with, as in the Dockerfile, and
// the tools that start it.
var (
	foreignRun = []string{"libvips42t64", "libwebp7", "libdeflate0", "libjpeg62-turbo", "libheif-plugin-aomenc",
		"ca-certificates", "fontconfig", "fonts-dejavu-core", "base-files", "base-passwd", "bash", "coreutils",
		"util-linux", "libc-bin"}
	foreignBuild = []string{"libvips-dev", "libjpeg-dev", "libwebp-dev", "libdeflate-dev", "libc6-dev"}
)

// crossBuild is what is run in the native root. $flags are those of the Dockerfile.
const crossBuild = `CGO_ENABLED=1 GOARCH=arm64 CC='aarch64-linux-gnu-gcc --sysroot=/sysroot' PKG_CONFIG_SYSROOT_DIR=/sysroot \
PKG_CONFIG_LIBDIR=/sysroot/usr/lib/aarch64-linux-gnu/pkgconfig:/sysroot/usr/share/pkgconfig CGO_CFLAGS='-O2 -Wno-discarded-qualifiers' \
go build -buildvcs=false -trimpath -ldflags '-s -w -buildid=' -o /out/safelight ./cmd/safelight`

// cross builds the program for arm64 with the libraries of that release, unpacked and not installed, and tries the
// server under an emulator.
func (o options) cross(ctx context.Context, base root) error {
	foreign, err := newRoot(ctx, filepath.Join(o.work, "arm64"), o.suite, base.out, "--architectures=arm64",
		"--variant=extract", "--skip=check/qemu",
		"--include="+strings.Join(append(foreignRun, foreignBuild...), ","))
	if err != nil {
		return err
	}
	source := filepath.Join(o.work, "source") // a copy: the checkout may change during the build
	if err := errors.Join(run(ctx, "rm", "-rf", source), run(ctx, "mkdir", source),
		(&image{tree: "."}).copyTree(ctx, []string{"."}, source)); err != nil {
		return err
	}
	with := inside{workdir: "/src", env: []string{"PATH=/usr/local/go/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"GOTOOLCHAIN=local", "GOPROXY=" + goEnv("GOPROXY")}, binds: map[string]string{
		"/src": source, "/sysroot": foreign.path, "/usr/local/go": goEnv("GOROOT"),
		"/root/go/pkg/mod": goEnv("GOMODCACHE"), "/root/.cache/go-build": goEnv("GOCACHE")}}
	for _, line := range []string{
		"apt-get update -q && apt-get install -y -q --no-install-recommends gcc-aarch64-linux-gnu pkg-config " +
			"ca-certificates qemu-user && mkdir -p /out",
		// its package makes this link when it is installed
		"ln -sf hdf5-serial.pc /sysroot/usr/lib/aarch64-linux-gnu/pkgconfig/hdf5.pc",
		crossBuild,
		"aarch64-linux-gnu-readelf -h /out/safelight | grep AArch64",
	} {
		if err := base.shell(ctx, with, line); err != nil {
			return err
		}
	}
	if err := run(ctx, "install", "-D", "-m", "755", filepath.Join(base.path, "out/safelight"),
		filepath.Join(foreign.path, "usr/local/bin/safelight")); err != nil {
		return err
	}
	if err := run(ctx, "install", "-d", filepath.Join(foreign.path, "data"),
		filepath.Join(foreign.path, "tmp")); err != nil {
		return err
	}
	s := service{root: foreign, user: "0:0", program: []string{"/usr/local/bin/safelight"},
		health: []string{"/usr/local/bin/safelight", "health"}, data: "/data",
		env: []string{"SAFELIGHT_DATA=/data", "HOME=/data"}, emulator: emulator(filepath.Join(base.path,
			"usr/bin/qemu-aarch64"))}
	printed, err := s.try(ctx)
	fmt.Println(printed)
	if err != nil {
		return fmt.Errorf("arm64 on %s: %w", o.suite, err)
	}
	fmt.Printf("%s for arm64: the program is built and serves under an emulator\n", o.suite)
	return nil
}
