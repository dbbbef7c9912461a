package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/imaging/hostile"
)

// seenTimeout is the process-timeout of TestSeen: requests that are not rejected end within it.
const seenTimeout = 4 * time.Second

// seen is something that once killed the program, stalled it or took its memory: files in its gallery, and requests.
type seen struct {
	name     string
	files    map[string][]byte
	paths    []string
	statuses []int // that each of the paths may get
	atOnce   bool  // nothing of it is processed: it costs less than seenCheap photos
	upload   bool  // the files are uploaded, too; then the program starts again, twice
}

// seenCheap is how many thumbnails of a photo of 12 megapixels may cost as much as a request that is refused at once,
// with the header reads before it.
const seenCheap = 20

// seenCases are the requests by which a round of hostile files killed or stalled the program.
func seenCases(corpus map[string]hostile.File) []seen {
	file := func(part string) []byte {
		for name, f := range corpus {
			if strings.Contains(name, part) {
				return f.Data()
			}
		}
		panic("no hostile file is named " + part)
	}
	chain := func(filter string, n int) []string {
		return []string{"filters:" + strings.Repeat(filter+":", n-1) + filter + "/small.jpg"}
	}
	svg := func(inside string) []byte {
		return []byte(
			`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="100" height="100">` + inside + `</svg>`,
		)
	}
	refused := []int{400, 413, 415, 422}
	ended := append([]int{504}, refused...)
	drawn := append([]int{200}, ended...)
	bomb := base64.StdEncoding.EncodeToString(file("png-30000x30000"))
	large := "stretch/7000x7000/filters:"
	return []seen{
		{"1: 300 x sharpen(50)", nil, chain("sharpen(50)", 300), refused, true, false},
		{"1: 500 x blur(1)", nil, chain("blur(1)", 500), refused, true, false},
		{"1: 500 x round_corner", nil, chain("round_corner(9)", 500), refused, true, false},
		{"1: 1,000 x pixelate", nil, chain("pixelate(3)", 1000), refused, true, false},
		{"1: 1,000 x hue", nil, chain("hue(9)", 1000), refused, true, false},
		{
			"2: font-size 1e9",
			map[string][]byte{"font.svg": svg(`<text y="50" font-size="1e9">Hello</text>`)},
			[]string{"300x200/font.svg", "meta/font.svg", "filters:image(font.svg,0,0)/small.jpg"},
			refused,
			true,
			true,
		},
		{
			"2: feConvolveMatrix of order 60",
			map[string][]byte{
				"matrix.svg": svg(
					`<filter id="f"><feConvolveMatrix order="60" kernelMatrix="` + strings.Repeat("1 ", 3600) +
						`"/></filter><rect width="90" height="90" filter="url(#f)"/>`,
				),
			},
			[]string{"100x/matrix.svg", "fit-in/320x320/matrix.svg"},
			refused,
			true,
			true,
		},
		{
			"2: a font size by its nesting",
			map[string][]byte{
				"nested.svg": svg(
					strings.Repeat(`<g font-size="300em">`, 9) + `<text y="50">Hello</text>` +
						strings.Repeat("</g>", 9),
				),
			},
			[]string{"300x200/nested.svg", "filters:image(nested.svg,0,0)/small.jpg"},
			drawn,
			false,
			true,
		},
		{
			"3: 1 x 10,000,000 to 300x200",
			map[string][]byte{"high.png": highPNG(10_000_000)},
			[]string{"300x200/high.png"},
			refused,
			true,
			false,
		},
		{
			"4: 1 x 10,000,000 to 1x100",
			map[string][]byte{"high.png": highPNG(10_000_000)},
			[]string{"1x100/high.png", "meta/high.png"},
			refused,
			true,
			false,
		},
		{
			"4: 100,000 combining characters",
			map[string][]byte{"combined.svg": svg(`<text y="50">a` + strings.Repeat("\u0301", 100_000) + `</text>`)},
			[]string{"100x/combined.svg"},
			refused,
			true,
			false,
		},
		{
			"5: a PNG bomb in a data URI",
			map[string][]byte{
				"bomb.svg": svg(`<image width="99" height="99" xlink:href="data:image/png;base64,` + bomb + `"/>`),
			},
			[]string{"100x/bomb.svg", "meta/bomb.svg"},
			refused,
			true,
			false,
		},
		{
			"5: a JPEG 2000 of 2^31 x 2^31",
			map[string][]byte{"lie.jp2": file("jp2--2147483647-2147483647")},
			[]string{"100x/lie.jp2", "meta/lie.jp2"},
			refused,
			true,
			false,
		},
		{
			"5: 1,000 dashed curves",
			map[string][]byte{"dashes.svg": file("svg-path-of-1000-curves")},
			[]string{"100x/dashes.svg"},
			refused,
			true,
			false,
		},
		{
			"6: 50 zTXt chunks",
			map[string][]byte{"text.png": file("png-50-ztxt")},
			[]string{"100x/text.png", "meta/text.png"},
			[]int{200},
			true,
			false,
		},
		{
			"6: an AVIF with junk boxes",
			map[string][]byte{"junk.avif": file("avif-100000-free-boxes")},
			[]string{"100x/junk.avif", "meta/junk.avif"},
			refused,
			true,
			false,
		},
		{
			"6: a TIFF of 65,000 pages",
			map[string][]byte{"pages.tiff": file("tiff-65000-pages")},
			[]string{"100x/pages.tiff", "meta/filters:page(64000)/pages.tiff"},
			refused,
			true,
			false,
		},
		{
			"6: a JPEG of 2,000 scans",
			map[string][]byte{"scans.jpg": file("jpeg-8000x8000-in-2000-scans")},
			[]string{"100x/scans.jpg"},
			refused,
			true,
			false,
		},
		{
			"6: 7000x7000 with a repeated layer",
			nil,
			[]string{large + "image(/20x20/small.jpg,repeat,repeat)/small.jpg"},
			append([]int{200}, ended...),
			false,
			false,
		},
		{"6: 7000x7000 blurred much", nil, []string{large + "blur(1000)/small.jpg"}, drawn, false, false},
		{"6: 7000x7000 as GIF", nil, []string{large + "format(gif)/small.jpg"}, refused, true, false},
		{"6: 7000x7000 as JPEG XL", nil, []string{large + "format(jxl)/small.jpg"}, refused, true, false},
		{
			"6: 7000x7000 with compression(9)",
			nil,
			[]string{large + "format(png):compression(9)/small.jpg"},
			refused,
			true,
			false,
		},
		{
			"6: 7000x7000 in a chain",
			nil,
			[]string{large + strings.TrimSuffix(strings.Repeat("blur(15):", 20), ":") + "/small.jpg"},
			refused,
			true,
			false,
		},
	}
}

// seenServer is the program that is asked for what it has seen.
type seenServer struct {
	*hostileSite
	photoCost time.Duration // CPU of a thumbnail of a photo
}

// TestSeen sends the regression corpus of requests that once killed, stalled or filled the program, with the default
// isolation and with isolation risky. The program must stay alive, respond as documented and limit its use of
// resources, and other clients must get their pictures.
func TestSeen(t *testing.T) {
	cases := seenCases(hostileByName())
	eachIsolation(t, func(t *testing.T, flags []string) {
		data := t.TempDir()
		s := &seenServer{hostileSite: &hostileSite{T: t, protected: true}}
		s.begin(data, flags)
		s.measurePhoto()
		defer func() {
			if err := s.stop(); err != nil {
				t.Error(err)
			}
		}()
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				at := *s.realServer
				at.T = t
				one := &seenServer{&hostileSite{T: t, realServer: &at, protected: true, token: s.token}, s.photoCost}
				one.check(c)
				if c.upload {
					for range 2 {
						_ = s.stop()
						s.begin(data, flags)
						at = *s.realServer
						at.T = t
						one.realServer = &at
						one.request(c, c.paths[0])
					}
				}
			})
			if s.dead() {
				t.Fatalf("after %s the program has ended: %v", c.name, s.err)
			}
		}
	})
}

// begin starts the program over the folder.
func (s *seenServer) begin(data string, flags []string) {
	s.Helper()
	s.realServer = launchReal(
		s.T,
		append(
			[]string{
				"--data",
				data,
				"--process-timeout",
				seenTimeout.String(),
				"--queue-timeout",
				"60s",
				"--result-cache",
				"off",
			},
			flags...)...)
	s.files = filepath.Join(data, "files")
	s.token = s.login()
	s.photo("small.jpg", 48, 40)
	s.photo("plain.jpg", 480, 320) // that the watch asks for
}

// measurePhoto measures what a thumbnail of a photo costs.
func (s *seenServer) measurePhoto() {
	s.Helper()
	s.photo("photo.jpg", 4000, 3000)
	const photos = 5
	began := s.treeCPU()
	for n := range photos {
		if r := s.get(s.signed(fmt.Sprintf("%dx300/photo.jpg", 400+n))); r.status != 200 {
			s.Fatalf("a photo: %d %v %s", r.status, r.err, r.body)
		}
	}
	s.photoCost = (s.treeCPU() - began) / photos
}

func (s *seenServer) check(c seen) {
	s.Helper()
	for name, data := range c.files {
		if c.upload {
			s.uploadAs("up-"+name, data) // whatever it gets, the index sees it
		}
		if err := os.WriteFile(filepath.Join(s.files, name), data, 0o600); err != nil {
			s.Fatal(err)
		}
	}
	watch := watchHostile(s.realServer)
	for _, path := range c.paths {
		s.request(c, path)
	}
	peak, wrong := watch.end()
	for _, line := range wrong {
		s.Errorf("a request beside: %s", line)
	}
	if peak > maxHostileMemory {
		s.Errorf("the program and its workers took %d MB, expected at most %d", peak>>20, maxHostileMemory>>20)
	}
	if r := s.get("/readyz"); r.status != 200 {
		s.Errorf("/readyz: %d %s", r.status, r.body)
	}
}

// request asks for a path and judges status, CPU and memory.
func (s *seenServer) request(c seen, path string) {
	s.Helper()
	began := s.treeCPU()
	r := s.get(s.signed(path))
	cpu := s.treeCPU() - began
	s.Logf(
		"%.60s: %d %.100q in %v, %v of CPU, %.1f photos", path, r.status, said(r),
		r.took.Round(time.Millisecond), cpu, float64(cpu)/float64(s.photoCost),
	)
	switch {
	case r.err != nil || !slices.Contains(c.statuses, r.status):
		s.Errorf("%.100s: %d %v %.200s, expected one of %v", path, r.status, r.err, r.body, c.statuses)
	case c.atOnce && cpu > seenCheap*s.photoCost:
		s.Errorf(
			"%.100s takes %v of CPU, as much as %.0f photos, expected at most %d", path, cpu,
			float64(cpu)/float64(s.photoCost), seenCheap,
		)
	case r.took > seenTimeout+70*time.Second: // the queue and the load have their own timeouts
		s.Errorf("%.100s: %d after %v", path, r.status, r.took)
	}
	if r := s.get(s.signed("8x8/small.jpg")); r.status != 200 {
		s.Errorf("after %.100s an ordinary picture is %d %v %.200s", path, r.status, r.err, r.body)
	}
}

// said is the body of a refusal.
func said(r reply) []byte {
	if r.status == 200 {
		return nil
	}
	return r.body
}

// treeCPU is the time that all cores have given to the program and its workers, those that have ended too.
func (b *realServer) treeCPU() (sum time.Duration) {
	b.Helper()
	for _, pid := range treeOf(b.command.Process.Pid).look() {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil {
			continue // its parent has it by now
		}
		for _, field := range strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))[11:15] {
			ticks, _ := strconv.ParseInt(field, 10, 64)
			sum += time.Duration(ticks) * 10 * time.Millisecond
		}
	}
	return sum
}
