package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// root is a file system of its own, with a Debian in it.
type root struct {
	path string
	out  io.Writer // what commands print
}

// inside is what a command gets in a root: folders of this machine, and an environment.
type inside struct {
	binds   map[string]string // folder of the root to folder of this machine
	env     []string
	workdir string
}

// newRoot unpacks a Debian release at path, or takes what a run with -keep left there. Testing's index may have expired
// here, where nothing renews it. more are options of mmdebstrap.
func newRoot(ctx context.Context, path, suite string, out io.Writer, more ...string) (root, error) {
	if _, err := os.Stat(filepath.Join(path, "etc/debian_version")); err == nil {
		return root{path, out}, nil
	}
	args := []string{"--variant=minbase", "--format=directory", "--aptopt=Acquire::Languages \"none\"",
		"--aptopt=Acquire::Check-Valid-Until \"false\""}
	for _, folder := range []string{"man", "doc", "locale", "info"} { // as Debian's slim images
		if len(more) > 0 {
			break // where packages are only unpacked, each would be filtered by a program of its own
		}
		args = append(args, "--dpkgopt=path-exclude=/usr/share/"+folder+"/*")
	}
	args = append(append(append(args, more...), suite, path), sources(suite)...)
	command := exec.CommandContext(ctx, "mmdebstrap", args...)
	command.Stdout, command.Stderr = out, out
	if err := command.Run(); err != nil {
		return root{}, fmt.Errorf("mmdebstrap of %s: %w", suite, err)
	}
	r := root{path, out}
	return r, r.resolve()
}

// sources returns the lines of sources.list that Debian's images have. Testing has no updates of its own.
func sources(suite string) []string {
	list := []string{"deb http://deb.debian.org/debian " + suite + " main"}
	if suite == "bookworm" || suite == "trixie" {
		list = append(list, "deb http://deb.debian.org/debian "+suite+"-updates main",
			"deb http://deb.debian.org/debian-security "+suite+"-security main")
	}
	return list
}

// resolve gives the root this machine's resolver.
func (r root) resolve() error {
	b, err := os.ReadFile("/etc/resolv.conf")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.path, "etc/resolv.conf"), b, 0o644)
}

// copied returns a copy of the root at path.
func (r root) copied(ctx context.Context, path string) (root, error) {
	return root{path, r.out}, run(ctx, "cp", "-a", "--reflink=auto", r.path, path)
}

// enter prepares a mount namespace of its own, and replaces itself by chroot with the rest of its arguments. $root,
// $binds.
const enter = `set -e
mount --make-rprivate /
for pair in $binds; do mkdir -p "$root/${pair#*=}"; mount --rbind "${pair%%=*}" "$root/${pair#*=}"; done
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
`

// command returns a command in the root, as its root user, in namespaces of its own for mounts and processes.
func (r root) command(ctx context.Context, with inside, args ...string) *exec.Cmd {
	var binds []string
	for to, from := range with.binds {
		binds = append(binds, from+"="+to)
	}
	if with.workdir == "" {
		with.workdir = "/"
	}
	env := append([]string{"HOME=/root", "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive",
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}, with.env...)
	run := append([]string{"--mount", "--pid", "--fork", "--kill-child", "bash", "-c", enter +
		`exec chroot "$root" env -i -C "$@"`, "enter", with.workdir}, env...)
	c := exec.CommandContext(ctx, "unshare", append(run, args...)...)
	c.Env = append(os.Environ(), "root="+r.path, "binds="+strings.Join(binds, " "))
	c.Stdout, c.Stderr = r.out, r.out
	return c
}

// shell runs a line of shell in the root.
func (r root) shell(ctx context.Context, with inside, line string) error {
	fmt.Fprintln(r.out, "+", line)
	if err := r.command(ctx, with, "sh", "-c", line).Run(); err != nil {
		return fmt.Errorf("in %s: %s: %w", r.path, line, err)
	}
	return nil
}
