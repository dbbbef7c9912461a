package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// service is a server in a root, as a container or systemd runs it: nothing but its data folder and /tmp can be
// written, it has no capability.
type service struct {
	root    root
	env     []string
	user    string   // uid:gid in the root
	program []string // and its arguments
	health  []string
	data    string // its data folder in the root

	emulator emulator // empty: the root is of this machine's kind
}

// guarded mounts the root read-only, and starts the server. It prints "healthy" when the health check passes, and stops
// the server by SIGTERM when standard input ends; its exit code is the server's.
const guarded = `set -u
exec 2>&1
` + emulate + `mount --make-rprivate / && mount --bind "$root" "$root" && mount --rbind /dev "$root/dev" && mount -t proc proc "$root/proc" || exit 90
mount --bind "$folder" "$root/$data" && mount -o remount,ro,bind "$root" && mount -t tmpfs tmpfs "$root/tmp" || exit 91
if touch "$root/usr/written" 2>/dev/null; then echo 'the root can be written'; exit 92; fi
inside() { exec chroot "$root" setpriv $identity --bounding-set=-all --inh-caps=-all --no-new-privs env -i $variables "$@"; }
inside $program </dev/null &
server=$!
for try in $(seq 600); do
  kill -0 $server 2>/dev/null || { wait $server; echo "the server ended: $?"; exit 93; }
  if (inside $health) >/dev/null; then echo healthy; break; fi
  sleep 0.2
done
(inside ${program%% *} doctor) || echo 'doctor is not content'
echo examined
read -r line
kill -TERM $server
wait $server
`

// identity returns the options of setpriv that choose the account. A user namespace of one user has no other.
func (s service) identity() string {
	if s.emulator != "" {
		return ""
	}
	uid, gid, _ := strings.Cut(s.user, ":")
	return "--reuid " + uid + " --regid " + gid + " --clear-groups"
}

// try starts the server, asks for pictures, and stops it. It returns what the server printed.
func (s service) try(ctx context.Context) (printed string, err error) {
	folder, err := s.gallery()
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	address, err := freeAddress()
	if err != nil {
		return "", err
	}
	env := append([]string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "SAFELIGHT_UNSAFE=true",
		"SAFELIGHT_ADMIN_PASSWORD=" + password}, s.env...)
	env = append(env, "SAFELIGHT_LISTEN="+address)
	c := exec.CommandContext(ctx, "unshare", append(s.emulator.namespaces(), "--mount", "--pid", "--fork",
		"--kill-child", "bash", "-c", guarded)...)
	c.Env = append(os.Environ(), "root="+s.root.path, "folder="+folder, "data="+s.data, "identity="+s.identity(),
		"variables="+strings.Join(env, " "),
		"program="+strings.Join(s.program, " "), "health="+strings.Join(s.health, " "), "emulator="+string(s.emulator))
	var text bytes.Buffer
	stop, err := c.StdinPipe()
	if err != nil {
		return "", err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := c.Start(); err != nil {
		return "", err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "examined" {
		fmt.Fprintln(&text, lines.Text())
	}
	switch seen := text.String(); {
	case !strings.Contains(seen, "healthy\n"):
		err = errors.New("the server did not become healthy")
	case strings.Contains(seen, "doctor is not content"):
		err = errors.New("doctor is not content")
	default:
		err = ask(ctx, "http://"+address, &text)
	}
	_ = stop.Close()
	_, _ = io.Copy(&text, out)
	return text.String(), errors.Join(err, c.Wait())
}

// gallery returns a new data folder with a picture, which belongs to the server's account.
func (s service) gallery() (string, error) {
	folder, err := os.MkdirTemp("", "safelight-data")
	if err != nil {
		return "", err
	}
	data, err := picture()
	if err != nil {
		return "", err
	}
	if err := errors.Join(os.Mkdir(filepath.Join(folder, "files"), 0o700),
		os.WriteFile(filepath.Join(folder, "files/picture.jpg"), data, 0o600)); err != nil {
		return "", err
	}
	return folder, run(context.Background(), "chown", "-R", s.user, folder)
}

// freeAddress returns an address that nothing listens on.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}
