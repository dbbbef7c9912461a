package main

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestKillers sends what used to kill or stall the whole process to a real server: each costs its own request only.
func TestKillers(t *testing.T) {
	matrix := strings.Repeat("1 ", 3600)
	files := map[string][]byte{
		"text.svg": []byte(
			`<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><text y="50" font-size="1e9">Hello</text></svg>`,
		),
		"matrix.svg": []byte(
			`<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><filter id="f"><feConvolveMatrix order="60" kernelMatrix="` + matrix + `"/></filter><rect width="90" height="90" filter="url(#f)"/></svg>`,
		),
		"combined.svg": []byte(
			`<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><text y="50">a` +
				strings.Repeat("\u0301", 100_000) + `</text></svg>`,
		),
		"high.png": highPNG(10_000_000),
	}
	requests := []string{
		"300x200/text.svg",
		"meta/text.svg",
		"100x/matrix.svg",
		"100x/combined.svg",
		"300x200/high.png",
		"1x100/high.png",
		"filters:" + strings.Repeat("sharpen(50):", 299) + "sharpen(50)/small.jpg",
		"filters:image(text.svg,0,0)/small.jpg",
	}
	eachIsolation(t, func(t *testing.T, flags []string) {
		s := startReal(t, append(flags, "--process-timeout", "1m", "--queue-timeout", "60s")...)
		s.photo("small.jpg", 48, 40)
		for name, data := range files {
			if err := os.WriteFile(filepath.Join(s.files, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, path := range requests {
			r := s.get(s.signed(path))
			short := path
			if len(short) > 60 {
				short = short[:60] + "..."
			}
			t.Logf("%s: %d %.120s in %v", short, r.status, r.body, r.took.Round(time.Millisecond))
			if r.err != nil || r.status >= 500 && r.status != 504 {
				t.Errorf("%s: %d %v %.200s, expected a result, a refusal or 504", short, r.status, r.err, r.body)
			}
			if r := s.get(s.signed("8x8/small.jpg")); r.status != 200 {
				t.Errorf("after %s an ordinary image is %d %v %.200s", short, r.status, r.err, r.body)
			}
		}
		if r := s.get("/readyz"); r.status != 200 {
			t.Errorf("/readyz is %d %s", r.status, r.body)
		}
		t.Logf(
			"lost: %.0f crashes, %.0f timeouts, %.0f by memory",
			s.metric(`safelight_worker_lost_total\{reason="crash"\}`),
			s.metric(
				`safelight_worker_lost_total\{reason="timeout"\}`,
			),
			s.metric(`safelight_worker_lost_total\{reason="memory"\}`),
		)
		select {
		case <-s.done:
			t.Fatalf("the server ended: %v", s.err)
		default:
		}
	})
}

// highPNG is one pixel wide and grey.
func highPNG(height uint32) []byte {
	var file, data bytes.Buffer
	file.WriteString("\x89PNG\r\n\x1a\n")
	chunk := func(name string, body []byte) {
		_ = binary.Write(&file, binary.BigEndian, uint32(len(body)))
		file.WriteString(name)
		file.Write(body)
		_ = binary.Write(&file, binary.BigEndian, crc32.ChecksumIEEE(append([]byte(name), body...)))
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 1), height)
	chunk("IHDR", append(head, 8, 0, 0, 0, 0))
	z := zlib.NewWriter(&data)
	fmt.Fprint(z, strings.Repeat("\x00\x80", int(height)))
	_ = z.Close()
	chunk("IDAT", data.Bytes())
	chunk("IEND", nil)
	return file.Bytes()
}
