package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image/jpeg"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// TestMetadataMany measures the CPU that the analysis of photographs takes, by the server and its workers:
// SAFELIGHT_TEST_METADATA=200, which `make bench-metadata` sets, of each size, with and without a thumbnail in their
// EXIF data.
func TestMetadataMany(t *testing.T) {
	photos, err := strconv.Atoi(os.Getenv("SAFELIGHT_TEST_METADATA"))
	if err != nil {
		t.Skip("SAFELIGHT_TEST_METADATA is no number of photographs: make bench-metadata sets it")
	}
	for _, size := range [][2]int{{1600, 1200}, {4000, 3000}, {6000, 4000}} {
		for _, thumbnail := range []bool{true, false} {
			b := startReal(t, "--scan-interval", "0", "--result-cache", "off")
			token := b.login()
			b.photo("photo.jpg", size[0], size[1])
			source := filepath.Join(b.files, "photo.jpg")
			if thumbnail {
				b.photo("small.jpg", 160, 160*size[1]/size[0])
				embed(t, source, filepath.Join(b.files, "small.jpg"))
			}
			b.analyzed(token) // starts the worker
			for i := range photos {
				must(t, os.Link(source, filepath.Join(b.files, fmt.Sprintf("IMG_%05d.jpg", i))))
			}
			began, before := time.Now(), b.treeCPU()
			b.analyzed(token)
			each := (b.treeCPU() - before) / time.Duration(photos)
			info, err := os.Stat(source)
			must(t, err)
			t.Logf(
				"%2d MP, %4.1f MB, thumbnail %-5v: %6s of CPU, %5.0f a second a core; %5.0f a second on the wall",
				size[0]*size[1]/1_000_000, float64(info.Size())/1e6, thumbnail,
				each.Round(10*time.Microsecond), 1/each.Seconds(),
				float64(photos)/time.Since(began).Seconds(),
			)
		}
	}
}

// analyzed scans the storage and waits until no picture is pending.
func (b *realServer) analyzed(token string) {
	b.Helper()
	b.post("/api/graphql", `{"query":"mutation{rescan(input:{path:\"\"}){userErrors{message}}}"}`, token)
	for {
		time.Sleep(time.Second) // each question costs something too
		r := b.post("/api/graphql", `{"query":"{indexStatus{pendingFiles scan{state}}}"}`, token)
		var a struct {
			Data struct {
				IndexStatus struct {
					PendingFiles int
					Scan         struct{ State string }
				}
			}
		}
		if err := json.Unmarshal(r.body, &a); err != nil || a.Data.IndexStatus.Scan.State == "" {
			b.Fatalf("the status of the index: %v %s", err, r.body)
		}
		if s := a.Data.IndexStatus; s.PendingFiles == 0 && s.Scan.State == "DONE" {
			return
		}
	}
}

// embed makes the second JPEG the thumbnail of the first.
func embed(t *testing.T, file, thumbnail string) {
	t.Helper()
	whole, err := os.ReadFile(file)
	must(t, err)
	small, err := os.ReadFile(thumbnail)
	must(t, err)
	must(t, os.Remove(thumbnail))
	picture, err := jpeg.Decode(bytes.NewReader(small))
	must(t, err)
	var b bytes.Buffer
	must(t, jpeg.Encode(&b, picture, &jpeg.Options{Quality: 75}))
	exif := []byte(
		"Exif\x00\x00MM\x00\x2A\x00\x00\x00\x08\x00\x00\x00\x00\x00\x0E\x00\x02\x02\x01\x00\x04\x00\x00\x00\x01\x00\x00\x00\x2C\x02\x02\x00\x04\x00\x00\x00\x01",
	)
	exif = binary.BigEndian.AppendUint32(exif, uint32(b.Len()))
	exif = append(binary.BigEndian.AppendUint32(exif, 0), b.Bytes()...)
	head := binary.BigEndian.AppendUint16([]byte{0xFF, 0xD8, 0xFF, 0xE1}, uint16(len(exif)+2))
	must(t, os.WriteFile(file, append(append(head, exif...), whole[2:]...), 0o600))
}
