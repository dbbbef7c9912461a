package gallery_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"image"
	"image/jpeg"
	"log/slog"
	"slices"
	"testing"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/imaging"
)

// lookingEngine records its calls.
type lookingEngine struct {
	imaging.Engine
	asked []string
}

func (e *lookingEngine) Info(
	_ context.Context,
	src imaging.Source,
	r imaging.InfoRequest,
	_ imaging.Limits,
) (*imaging.Info, error) {
	e.asked = append(
		e.asked,
		fmt.Sprintf(
			"%s in %dx%d, sampled: %v", r.Operations.Filters, r.Operations.Width, r.Operations.Height,
			r.Sample,
		),
	)
	return &imaging.Info{Width: 800, Height: 600, Pages: 1, PHash: "00000000000000ff"}, nil
}

func grayJPEG(t *testing.T, width, height int) []byte {
	var b bytes.Buffer
	must(t, jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, width, height)), nil))
	return b.Bytes()
}

// TestSampleOfJPEG checks that JPEGs are analyzed at 256 pixels or by their thumbnail, and other pictures at
// full size.
func TestSampleOfJPEG(t *testing.T) {
	const look = "blurhash(4,3):thumbhash():dominant():palette(8):phash():sha256()"
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		engine := &lookingEngine{}
		rules, err := gallerytest.NewRules(
			access.All(t.Context()), gallerytest.Config{}, database.New(db, name), s.Store, engine, s.Keys,
			slog.New(slog.DiscardHandler),
		)
		must(t, err)
		s.Rules = rules
		for file, c := range map[string]struct {
			data []byte
			want string
		}{
			"photo.jpg": {grayJPEG(t, 800, 600), look + " in 256x256, sampled: true"},
			"photo.png": {grayJPEG(t, 801, 600), look + " in 256x256, sampled: true"},
			"other.png": {[]byte(png), look + " in 0x0, sampled: false"},
		} {
			s.Put(file, string(c.data))
			engine.asked = nil
			f, err := s.File(access.All(t.Context()), file)
			must(t, err)
			_, err = s.SimilarFiles(access.All(t.Context()), f, 0, 1, "")
			must(t, err)
			if !slices.Equal(engine.asked, []string{c.want}) {
				t.Errorf("%s: the engine was asked %q, expected %q", file, engine.asked, c.want)
			}
			if f, err = s.File(access.All(t.Context()), file); err != nil || *f.Width() != 800 || f.PHash() == nil ||
				*f.PHash() != "00000000000000ff" {
				t.Errorf("%s: %+v %v", file, f, err)
			}
		}
	})
}
