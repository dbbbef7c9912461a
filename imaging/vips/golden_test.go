package vips

import (
	"bytes"
	"flag"
	"fmt"
	stdimage "image"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/h2non/bimg"

	"github.com/safelight/safelight/imaging"
)

var updateGoldens = flag.Bool(
	"update-goldens", false,
	"write the goldens that are missing or differ, to be looked at: make contact-sheet",
)

const goldenFolder = "../../testdata/golden"

// goldenCase is one picture made of one source, and the golden it is held to.
type goldenCase struct {
	group, source, path string
	limits              tolerance
	animated            bool // the result has to move
}

// name is the golden's file without what the result adds to it.
func (c goldenCase) name() string {
	slug := strings.Trim(
		regexp.MustCompile(`[^A-Za-z0-9.-]+`).ReplaceAllString(strings.ReplaceAll(c.path, "filters:", ""), "_"),
		"_",
	)
	return strings.ReplaceAll(c.source, ":", "_") + "--" + slug
}

// file says format and number of frames too, which have to be equal.
func (c goldenCase) file(format imaging.Format, pages int) string {
	return filepath.Join(goldenFolder, c.group, fmt.Sprintf("%s--%s-%d.png", c.name(), format, pages))
}

// goldenCases reads the lists: a source and a path a line.
func goldenCases() []goldenCase {
	var all []goldenCase
	for _, list := range goldenLists {
		for line := range strings.Lines(list.cases) {
			source, path, ok := strings.Cut(strings.TrimSpace(line), " ")
			if ok {
				all = append(all, goldenCase{list.group, source, strings.TrimSpace(path), list.limits, list.animated})
			}
		}
	}
	return all
}

// goldenStudio makes the results.
type goldenStudio struct {
	engine  *Engine
	sources map[string][]byte
}

func newGoldenStudio(t *testing.T) goldenStudio {
	s := goldenStudio{open(t), map[string][]byte{}}
	files, err := filepath.Glob(goldenSources + "/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sources in %s: %v", goldenSources, err)
	}
	for _, file := range files {
		if s.sources[filepath.Base(file)], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s goldenStudio) source(name string) (imaging.Source, error) {
	src := imaging.Source{Name: name, Layers: map[string]imaging.Source{}}
	for layer, data := range s.sources {
		src.Layers[layer] = imaging.Source{Name: layer, Size: int64(len(data)), Reader: bytes.NewReader(data)}
	}
	if imaging.IsCanvas(name) {
		colour, err := imaging.ParseCanvas(name)
		src.Canvas = &colour
		return src, err
	}
	data, ok := s.sources[name]
	if !ok {
		return src, fmt.Errorf("there is no source %s", name)
	}
	src.Size, src.Reader = int64(len(data)), bytes.NewReader(data)
	return src, nil
}

// make returns the result of a case, encoded and as pixels, frames from top to bottom.
func (s goldenStudio) make(t *testing.T, c goldenCase) (*imaging.Result, *stdimage.NRGBA, error) {
	r, err := imaging.Parse("unsafe/" + c.path + "/" + c.source)
	if err != nil || r.Image != c.source {
		return nil, nil, fmt.Errorf("the path is read as the image %q, %v", r.Image, err)
	}
	src, err := s.source(c.source)
	if err != nil {
		return nil, nil, err
	}
	limits := imaging.DefaultLimits()
	limits.AllowPDF, limits.Strict = true, true
	result, err := s.engine.Process(t.Context(), src, r.Operations, limits)
	if err != nil {
		return nil, nil, err
	}
	if len(result.Warnings) > 0 {
		return nil, nil, fmt.Errorf("warnings %v", result.Warnings)
	}
	pixels, err := unpacked(result)
	return result, pixels, err
}

// unpacked decodes a result, all of its frames, and holds that the file is as the result says.
func unpacked(r *imaging.Result) (*stdimage.NRGBA, error) {
	file := memorySource(r.Data)
	defer file.close()
	options := ""
	if r.Format.Traits().Frames {
		options = "n=-1"
	}
	img, err := file.load(loaderName(r.Format), options)
	if err != nil {
		return nil, err
	}
	defer img.close()
	if img.width() != r.Width || img.pageHeight() != r.Height || img.pages() != r.Pages ||
		imaging.SniffFormat(r.Data) != r.Format {
		return nil, fmt.Errorf(
			"the file is a %s of %d frames of %d x %d, the result says %s, %d, %d x %d",
			imaging.SniffFormat(r.Data), img.pages(), img.width(), img.pageHeight(), r.Format, r.Pages,
			r.Width, r.Height,
		)
	}
	if cmyk := img.bands() == 4 && !img.hasAlpha(); !cmyk {
		return img.pixels()
	}
	seen, err := img.transform("srgb", "cmyk")
	if err != nil {
		return nil, err
	}
	defer seen.close()
	return seen.pixels()
}

// TestGoldens compares what every operation makes with pictures that a person has looked at.
func TestGoldens(t *testing.T) {
	studio := newGoldenStudio(t)
	fonts := goldenFont()
	names := map[string]string{}
	for _, c := range goldenCases() {
		if other, twice := names[c.group+c.name()]; twice {
			t.Errorf("%s and %s have one golden", c.path, other)
		}
		names[c.group+c.name()] = c.path
		t.Run(c.group+"/"+c.name(), func(t *testing.T) {
			if c.group == "text" && !fonts {
				t.Skip("the font DejaVu Sans is not installed (package fonts-dejavu-core)")
			}
			result, got, err := studio.make(t, c)
			if why := unavailable(studio.engine, c, err); why != "" {
				t.Skip(why)
			}
			if err != nil {
				t.Fatalf("%s of %s: %v", c.path, c.source, err)
			}
			if c.animated && result.Pages < 2 {
				t.Errorf("%s of %s does not move", c.path, c.source)
			}
			c.compare(t, c.file(result.Format, result.Pages), got)
		})
	}
}

// goldenFont reports whether DejaVu Sans is there, which the text goldens ask for by name: fontconfig would
// take any other font in its place. `make test` installs it.
func goldenFont() bool {
	for _, pattern := range []string{"/usr/share/fonts/*/*/DejaVuSans.ttf", "/usr/share/fonts/*/DejaVuSans.ttf",
		"/usr/share/fonts/DejaVuSans.ttf", os.Getenv("HOME") + "/.fonts/DejaVuSans.ttf"} {
		if files, err := filepath.Glob(pattern); err == nil && len(files) > 0 {
			return true
		}
	}
	return false
}

// unavailable says that this build of libvips lacks what the case is about; empty when it does not.
func unavailable(e *Engine, c goldenCase, err error) string {
	if err != nil && strings.HasSuffix(c.source, ".pdf") && !loaderThere("pdfload_source") {
		return "this libvips reads no PDF"
	}
	if m := regexp.MustCompile(`[:/]format\((\w+)\)`).FindStringSubmatch(c.path); err != nil && m != nil {
		if f, ok := imaging.ParseFormat(m[1]); ok && !slices.Contains(e.writable, f) {
			return "this libvips writes no " + m[1]
		}
	}
	return ""
}

func loaderThere(name string) bool {
	file := memorySource(document())
	defer file.close()
	img, err := file.load(name, "")
	img.close()
	return err == nil
}

func (c goldenCase) compare(t *testing.T, file string, got *stdimage.NRGBA) {
	t.Helper()
	data, err := os.ReadFile(file)
	problem := fmt.Sprintf("there is no golden %s", filepath.Base(file))
	if err == nil {
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		limits := c.limits
		if wider, ok := later[c.group+"/"+c.name()]; ok && bimg.VipsMinorVersion > 14 {
			limits = wider
		}
		problem = limits.unlike(got, asNRGBA(img))
	}
	if problem == "" {
		return
	}
	if !*updateGoldens {
		t.Errorf(
			"%s of %s: %s; when it is right: go test ./imaging/vips -run TestGolden -update-goldens, make "+
				"contact-sheet, and look",
			c.path, c.source, problem,
		)
		return
	}
	others, _ := filepath.Glob(filepath.Join(goldenFolder, c.group, c.name()+"--*"))
	for _, other := range others {
		os.Remove(other)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, got); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("wrote %s: %s", file, problem)
}
