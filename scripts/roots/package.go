package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// install installs a Debian package in a clean root, starts the server as its unit does, and removes and purges the
// package.
func install(ctx context.Context, r root, deb string) error {
	if err := run(ctx, "cp", deb, filepath.Join(r.path, "package.deb")); err != nil {
		return err
	}
	if err := r.shell(ctx, inside{},
		"apt-get update -q && apt-get install -y -q --no-install-recommends /package.deb"); err != nil {
		return err
	}
	if err := errors.Join(
		r.shell(ctx, inside{}, "! ldd /usr/bin/safelight | grep 'not found' && safelight version"),
		r.shell(ctx, inside{}, `[ "$(stat -c '%U %G %a' /var/lib/safelight) $(stat -c '%U %G %a' /etc/safelight/safelight.conf)" = 'safelight safelight 700 root safelight 640' ]`),
	); err != nil {
		return err
	}
	s, err := unit(r)
	if err != nil {
		return err
	}
	printed, err := s.try(ctx)
	fmt.Println(printed)
	if err != nil {
		return fmt.Errorf("the package: %w", err)
	}
	return errors.Join(
		r.shell(ctx, inside{}, "touch /var/lib/safelight/mine && apt-get install -y -q --reinstall /package.deb && [ "+
			"-f /var/lib/safelight/mine ]"),
		r.shell(ctx, inside{}, "apt-get remove -y -q safelight && [ ! -e /usr/bin/safelight ] && [ -f "+
			"/etc/safelight/safelight.conf ] && [ -f /var/lib/safelight/mine ]"),
		r.shell(ctx, inside{}, "apt-get purge -y -q safelight && [ ! -e /etc/safelight ] && [ -f "+
			"/var/lib/safelight/mine ]"),
		r.shell(ctx, inside{}, "! dpkg -l safelight 2>/dev/null | grep '^[a-z][^n]'"),
	)
}

// unit returns how the installed unit starts the server.
func unit(r root) (service, error) {
	text, err := os.ReadFile(filepath.Join(r.path, "usr/lib/systemd/system/safelight.service"))
	if err != nil {
		return service{}, err
	}
	values := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			values[name] = value
		}
	}
	id, err := account(r, values["User"])
	if err != nil {
		return service{}, err
	}
	program := strings.Fields(values["ExecStart"])
	s := service{root: r, user: id, program: program, data: "var/lib/" + values["StateDirectory"],
		env: []string{values["Environment"]}}
	s.health = []string{program[0], "health"}
	return s, nil
}

// account returns uid:gid of an account in the root.
func account(r root, name string) (string, error) {
	b, err := os.ReadFile(filepath.Join(r.path, "etc/passwd"))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(b)) {
		if fields := strings.Split(line, ":"); fields[0] == name {
			return fields[2] + ":" + fields[3], nil
		}
	}
	return "", fmt.Errorf("the root has no account %s", name)
}
