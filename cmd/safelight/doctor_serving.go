package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// serving checks what a server with these settings needs.
func (d *diagnosis) serving(ctx context.Context, s *Settings) {
	d.results(ctx, s)
	limit, origin := memoryOrigin(s)
	if limit > 0 {
		origin = formatBytes(limit) + ", " + origin
	}
	d.report("memory", origin, nil)
	c := serverConfig(s)
	d.report("workers", fmt.Sprintf("%d, %s", c.Workers, queued(c.Queue, c.Workers)), nil)
	d.remote(s)
	d.traces(ctx, s)
	d.clock(time.Now(), built())
}

func queued(queue, workers int) string {
	if queue == 0 {
		queue = 8 * workers
	}
	return fmt.Sprintf("%d may wait", queue)
}

// minFree is the min free space of a disk.
const minFree = 64 << 20

// results checks the folder of the result cache: it is writable and has space.
func (d *diagnosis) results(ctx context.Context, s *Settings) {
	if s.ResultCache == "off" {
		d.report("results", "not kept: result-cache is off", nil)
		return
	}
	c, err := resultsConfig(ctx, s)
	if remote, ok := c.Remote.(objectStore); ok {
		defer remote.store.Close()
		err = errors.Join(err, remote.store.Check(ctx))
	}
	finding := "kept in " + s.ResultCache
	if c.Remote != nil {
		finding = "kept in several tiers" // the bucket's address may contain private data
	}
	if err == nil && c.Folder != "" {
		var free int64
		free, err = folderRoom(c.Folder)
		finding += fmt.Sprintf("; %s has %s free, may take %s", c.Folder, formatBytes(free), formatBytes(c.FileBytes))
	}
	d.report("results", finding, err)
}

// folderRoom writes a temporary file to the folder, or to its nearest existing parent, and returns the free bytes.
func folderRoom(folder string) (free int64, err error) {
	folder, err = filepath.Abs(folder)
	if err != nil {
		return 0, err
	}
	for {
		if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) || folder == filepath.Dir(folder) {
			break
		}
		folder = filepath.Dir(folder)
	}
	f, err := os.CreateTemp(folder, ".doctor-*")
	if err != nil {
		return 0, fmt.Errorf("%s cannot be written: %w", folder, err)
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return 0, err
	}
	return freeSpace(folder)
}

// freeSpace returns the free bytes of the disk of a folder. It is an error if they are fewer than minFree.
func freeSpace(folder string) (free int64, err error) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil {
		return 0, fmt.Errorf("asking for the space of %s: %w", folder, err)
	}
	if free = int64(disk.Bavail) * int64(disk.Bsize); free < minFree && disk.Blocks > 0 { // some network file systems have no size
		return free, fmt.Errorf("the disk of %s has %s free, expected at least %s", folder, formatBytes(free), formatBytes(minFree))
	}
	return free, nil
}

// remote lists the hosts that pictures may come from.
func (d *diagnosis) remote(s *Settings) {
	if len(s.Remote.Hosts) == 0 {
		d.report("remote", "off: remote-sources lists no host", nil)
		return
	}
	_, err := openRemote(s)
	finding := fmt.Sprintf("hosts listed: %d; public addresses only", len(s.Remote.Hosts))
	if n := len(s.Remote.AllowPrivate); n > 0 {
		finding = fmt.Sprintf("hosts listed: %d; public addresses, and networks of your own: %d", len(s.Remote.Hosts), n)
	}
	d.report("remote", finding, err)
}

// traces connects to the collector without sending anything.
func (d *diagnosis) traces(ctx context.Context, s *Settings) {
	if s.TraceEndpoint == "" {
		d.report("traces", "off: trace-endpoint is not set", nil)
		return
	}
	u, err := url.Parse(s.TraceEndpoint)
	if err != nil {
		d.report("traces", "", err)
		return
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	address := net.JoinHostPort(u.Hostname(), port)
	conn, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(ctx, "tcp", address)
	if err != nil {
		d.report("traces", "", fmt.Errorf("the collector at %s does not answer: %w", address, err))
		return
	}
	conn.Close()
	d.report("traces", fmt.Sprintf("%s answers, %d %% of the requests", address, s.TracePercent), nil)
}

// clock compares the time with the build time of the program: the expiry of tokens and signed URLs depends on it.
func (d *diagnosis) clock(now, built time.Time) {
	var err error
	if now.Before(built.Add(-24 * time.Hour)) {
		err = fmt.Errorf("the clock of this machine says %s, before the program was built (%s)", now.UTC().Format(time.RFC3339), built.UTC().Format(time.DateOnly))
	}
	d.report("clock", now.UTC().Format(time.RFC3339), err)
}

// built returns the approximate build time; the zero time if it is unknown.
func built() time.Time {
	self, err := os.Executable()
	if err != nil {
		return time.Time{}
	}
	info, err := os.Stat(self)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
