package metrics

import (
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// State is what the gauges of the installation read at each scrape.
type State struct {
	Ready      func() bool              // whether /readyz would answer 200
	Version    string                   // of the program
	Engine     string                   // imaging.Engine.Version
	Folders    func() map[string]string // local folders by name; nil: no local folders
	LastBackup func() time.Time         // zero: there was no backup; nil: unknown
}

// stateCollector exports readiness, build, free disk space and the age of the last backup.
type stateCollector struct{ State }

var (
	readyDesc  = stateDesc("ready", "1 if /readyz would answer 200, otherwise 0.")
	buildDesc  = stateDesc("build_info", "Always 1; the labels are the versions.", "version", "go_version", "libvips")
	freeDesc   = stateDesc("disk_free_bytes", "Free space of the file system of a local folder.", "folder")
	sizeDesc   = stateDesc("disk_size_bytes", "Size of the file system of a local folder.", "folder")
	backupDesc = stateDesc("backup_timestamp_seconds",
		"When the last successful backup began; absent if there was none.")
)

func stateDesc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prefix+name, help, labels, nil)
}

// Describe lists the series.
func (stateCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{readyDesc, buildDesc, freeDesc, sizeDesc, backupDesc} {
		out <- d
	}
}

// Collect exports the current values.
func (c stateCollector) Collect(out chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	if c.Ready != nil {
		ready := 0.0
		if c.Ready() {
			ready = 1
		}
		gauge(readyDesc, ready)
	}
	libvips, _, _ := strings.Cut(strings.TrimPrefix(c.Engine, "libvips/"), " ")
	gauge(buildDesc, 1, c.Version, runtime.Version(), libvips)
	if c.Folders != nil {
		for name, folder := range c.Folders() {
			var disk syscall.Statfs_t
			if syscall.Statfs(folder, &disk) == nil && disk.Blocks > 0 {
				gauge(freeDesc, float64(disk.Bavail)*float64(disk.Bsize), name)
				gauge(sizeDesc, float64(disk.Blocks)*float64(disk.Bsize), name)
			}
		}
	}
	if c.LastBackup != nil {
		if at := c.LastBackup(); !at.IsZero() {
			gauge(backupDesc, float64(at.Unix()))
		}
	}
}
