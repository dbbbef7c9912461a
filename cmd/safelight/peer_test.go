package main

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	translate "github.com/safelight/safelight/migrate"
)

// peerURLs are URLs of imaginary without the image. The pictures of those that are translated as the same are compared.
var peerURLs = strings.Fields(
	`/crop?width=300 /crop?height=300 /resize?width=300 /resize?height=96 /resize?width=300&height=200&force=true /resize?width=300&force=true
	/enlarge?width=1200&height=900 /enlarge?width=1200&height=900&nocrop=true /fit?width=300&height=200 /thumbnail?width=100 /thumbnail?width=300&height=200
	/extract?top=10&left=20&areawidth=50&areaheight=40 /extract?top=10&left=20&areawidth=50&areaheight=40&width=200 /flip?a=1 /flop?a=1 /flip?width=150
	/convert?type=png /convert?type=png&width=300&height=200 /blur?sigma=5 /blur?sigma=2&width=150 /resize?width=90&colorspace=bw /autorotate?width=30
	/resize?width=150&flip=true /resize?width=150&flop=true /crop?width=300&height=200 /crop?width=300&height=200&gravity=east /resize?width=310&aspectratio=16:9&nocrop=false
	/resize?width=300&height=200&extend=white /resize?width=300&height=200&extend=background&background=255,0,16 /rotate?rotate=90 /rotate?rotate=270&width=200`,
)

// TestImaginaryPeer compares pictures of imaginary with those of the translated URLs: always if the translation is said
// to mean the same, else for a picture that is larger than every box.
func TestImaginaryPeer(t *testing.T) {
	peers := os.Getenv("PEERS")
	if peers == "" {
		peers = "/tmp/peers"
	}
	program, err := exec.LookPath(filepath.Join(peers, "bin", "imaginary"))
	if err != nil {
		t.Skip("imaginary is not there: scripts/bench/peers builds it")
	}
	dir, address := t.TempDir(), freeAddress(t)
	sizes := []image.Point{{800, 600}, {250, 1000}, {100, 80}}
	for _, size := range sizes {
		writePattern(t, dir, size)
	}
	host, port, _ := strings.Cut(address, ":")
	peer := exec.Command(program, "-a", host, "-p", port, "-mount", dir)
	if err := peer.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = peer.Wait(); close(ended) }()
	t.Cleanup(func() { _ = peer.Process.Kill(); <-ended })
	for {
		if r, err := http.Get("http://" + address + "/health"); err == nil {
			r.Body.Close()
			break
		}
		select {
		case <-ended:
			t.Fatal("imaginary ended")
		case <-time.After(20 * time.Millisecond):
		}
	}
	server := startPeerServer(t, dir)
	for _, raw := range peerURLs {
		for i, size := range sizes {
			file := patternName(size)
			r, ok := translate.Translate(raw+"&file="+file, "")
			if !ok || r.Verdict == translate.Refused {
				t.Errorf("%s is not translated: %s", raw, r.Reason)
				continue
			}
			if r.Verdict == translate.Differs && i > 0 {
				continue
			}
			theirs := fetchPicture(t, "http://"+address+raw+"&type=png&file="+file)
			ours := fetchPicture(t, server+"/unsafe/"+r.Path)
			if theirs.Bounds().Size() != ours.Bounds().Size() || unlike(theirs, ours) > 5 {
				t.Errorf(
					"%s of %v: %v, here %s: %v, distance %.1f", raw, size, theirs.Bounds().Size(), r.Path,
					ours.Bounds().Size(), unlike(theirs, ours),
				)
			}
		}
	}
}

// startPeerServer starts the product over the folder of the pictures, and returns its URL.
func startPeerServer(t *testing.T, dir string) string {
	t.Helper()
	_, server := startInEmptyFolder(t, "--unsafe", "--storage", (&url.URL{Scheme: "file", Path: dir}).String())
	return server.field(bannerURL)
}

func patternName(size image.Point) string { return fmt.Sprintf("%dx%d.png", size.X, size.Y) }

// writePattern writes a picture whose every part looks different, without sharp edges.
func writePattern(t *testing.T, dir string, size image.Point) {
	t.Helper()
	m := image.NewRGBA(image.Rectangle{Max: size})
	for y := range size.Y {
		for x := range size.X {
			waves := math.Sin(float64(x)/40) * math.Cos(float64(y)/30)
			m.Set(x, y, color.RGBA{uint8(x * 255 / size.X), uint8(y * 255 / size.Y), uint8(128 + 100*waves), 255})
		}
	}
	f, err := os.Create(filepath.Join(dir, patternName(size)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, m); err != nil {
		t.Fatal(err)
	}
}

func fetchPicture(t *testing.T, url string) image.Image {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	m, err := png.Decode(r.Body)
	if err != nil {
		text, _ := io.ReadAll(r.Body)
		t.Fatalf("%s: %s %v %s", url, r.Status, err, text)
	}
	return m
}

// unlike returns the mean difference of the channels of two pictures of one size, 0..255; 255 if the sizes differ.
func unlike(a, b image.Image) float64 {
	size := a.Bounds().Size()
	if size != b.Bounds().Size() {
		return 255
	}
	sum := 0.0
	for y := range size.Y {
		for x := range size.X {
			r1, g1, b1, _ := a.At(x, y).RGBA()
			r2, g2, b2, _ := b.At(x, y).RGBA()
			for _, pair := range [][2]uint32{{r1, r2}, {g1, g2}, {b1, b2}} {
				sum += math.Abs(float64(pair[0]) - float64(pair[1]))
			}
		}
	}
	return sum / float64(size.X*size.Y) / 3 / 257
}
