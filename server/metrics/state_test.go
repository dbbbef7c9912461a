package metrics

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

// TestState: readiness and the time of the last backup are read at each scrape; a folder that is missing and a backup
// that never was have no series.
func TestState(t *testing.T) {
	ready, made := false, time.Time{}
	c := stateCollector{State{
		Ready: func() bool { return ready }, Version: "1.2.3", Engine: "libvips/8.17.0 safelight/9 efforts 0 0",
		Folders: func() map[string]string {
			return map[string]string{"data": t.TempDir(),
				"cache": "/does/not/exist"}
		},
		LastBackup: func() time.Time { return made },
	}}
	build := `# HELP safelight_build_info Always 1; the labels are the versions.
# TYPE safelight_build_info gauge
safelight_build_info{go_version="` + runtime.Version() + `",libvips="8.17.0",version="1.2.3"} 1
`
	const readyHead = `# HELP safelight_ready 1 if /readyz would answer 200, otherwise 0.
# TYPE safelight_ready gauge
safelight_ready `
	names := []string{"safelight_build_info", "safelight_ready", "safelight_backup_timestamp_seconds"}
	if err := testutil.CollectAndCompare(c, strings.NewReader(build+readyHead+"0\n"), names...); err != nil {
		t.Error(err)
	}
	ready, made = true, time.Unix(1700000000, 0)
	backup := `# HELP safelight_backup_timestamp_seconds When the last successful backup began; absent if there was none.
# TYPE safelight_backup_timestamp_seconds gauge
safelight_backup_timestamp_seconds 1.7e+09
`
	if err := testutil.CollectAndCompare(c, strings.NewReader(build+readyHead+"1\n"+backup), names...); err != nil {
		t.Error(err)
	}
	checkDisk(t, c)
}

// checkDisk expects one folder with less free space than its disk has.
func checkDisk(t *testing.T, c prometheus.Collector) {
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(c)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, f := range families {
		if !strings.HasPrefix(f.GetName(), "safelight_disk_") {
			continue
		}
		for _, m := range f.GetMetric() {
			values[f.GetName()+" "+m.GetLabel()[0].GetValue()] = m.GetGauge().GetValue()
		}
	}
	free, size := values["safelight_disk_free_bytes data"], values["safelight_disk_size_bytes data"]
	if len(values) != 2 || free <= 0 || size < free {
		t.Errorf("the disks are %v, expected free space and size of data only", values)
	}
}
