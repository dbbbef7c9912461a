package main

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// byteUnits are the units of a size; with an i they are powers of 1024.
var byteUnits = map[string]float64{
	"": 1, "b": 1,
	"k": 1 << 10, "kb": 1e3, "kib": 1 << 10,
	"m": 1 << 20, "mb": 1e6, "mib": 1 << 20,
	"g": 1 << 30, "gb": 1e9, "gib": 1 << 30,
	"t": 1 << 40, "tb": 1e12, "tib": 1 << 40,
}

var bytesForm = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) ?([a-zA-Z]*)$`)

// parseBytes parses a size such as 100MiB, 1.5 GB or 4096.
func parseBytes(t string) (int64, error) {
	m := bytesForm.FindStringSubmatch(strings.TrimSpace(t))
	if m == nil {
		return 0, errForm
	}
	unit, known := byteUnits[strings.ToLower(m[2])]
	number, err := strconv.ParseFloat(m[1], 64)
	if !known || err != nil || number*unit > math.MaxInt64/2 {
		return 0, errForm
	}
	return int64(number * unit), nil
}

// formatBytes formats a size in the largest unit that needs at most one decimal.
func formatBytes(n int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	i, rest := 0, float64(n)
	for rest >= 1024 && i < len(units)-1 {
		rest /= 1024
		i++
	}
	if n == 1 {
		return "1 byte"
	}
	return strconv.FormatFloat(math.Round(rest*10)/10, 'f', -1, 64) + " " + units[i]
}

var daysForm = regexp.MustCompile(`^([0-9]+)d$`)

// parseDuration parses the syntax of time.ParseDuration, days (7d), and bare seconds (20).
func parseDuration(t string) (time.Duration, error) {
	t = strings.TrimSpace(t)
	if m := daysForm.FindStringSubmatch(t); m != nil {
		days, err := strconv.ParseInt(m[1], 10, 32)
		return time.Duration(days) * 24 * time.Hour, err
	}
	if seconds, err := strconv.ParseUint(t, 10, 32); err == nil {
		return time.Duration(seconds) * time.Second, nil
	}
	return time.ParseDuration(t)
}

// formatDuration formats a duration without zero parts: 168h, 1m30s.
func formatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
