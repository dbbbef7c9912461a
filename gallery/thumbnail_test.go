package gallery_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/base64"
	"fmt"
	"image"
	"image/jpeg"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/imaging"
)

// lookingEngine notes what it is asked, and answers with the width that it saw; a picture of 200 pixels is refused.
type lookingEngine struct {
	imaging.Engine
	asked       []string
	orientation int
}

func (e *lookingEngine) Info(_ context.Context, src imaging.Source, r imaging.InfoRequest, _ imaging.Limits) (*imaging.Info, error) {
	c, _, err := image.DecodeConfig(src.Reader)
	if err != nil || c.Width == 200 {
		return nil, fault.Wrap(err, fault.CorruptImage, "refused")
	}
	asked, o := fmt.Sprintf("%d %s", c.Width, r.Operations.Filters), r.Operations
	if o.Width > 0 {
		asked = fmt.Sprintf("%s in %dx%d", asked, o.Width, o.Height)
		c.Height, c.Width = c.Height*o.Width/c.Width, o.Width
	}
	e.asked = append(e.asked, asked)
	return &imaging.Info{Format: imaging.JPEG, Width: c.Width, Height: c.Height, Pages: 1, Orientation: e.orientation, PHash: fmt.Sprintf("%016d", c.Width), BlurHash: fmt.Sprint(c.Width)}, nil
}

func grayJPEG(t *testing.T, width, height int) []byte {
	var b bytes.Buffer
	must(t, jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, width, height)), nil))
	return b.Bytes()
}

// withThumbnail returns a JPEG whose EXIF data holds another one.
func withThumbnail(t *testing.T, whole, small []byte) string {
	head, err := base64.StdEncoding.DecodeString("RXhpZgAATU0AKgAAAAgAAAAAAA4AAgIBAAQAAAABAAAALAICAAQAAAAB")
	must(t, err)
	exif := append(head, byte(len(small)>>24), byte(len(small)>>16), byte(len(small)>>8), byte(len(small)), 0, 0, 0, 0)
	exif = append(exif, small...)
	return string(slices.Concat(whole[:2], []byte{0xFF, 0xE1, byte((len(exif) + 2) >> 8), byte(len(exif) + 2)}, exif, whole[2:]))
}

// TestLookAtThumbnail: of a JPEG with a fitting thumbnail that one is looked at, and the whole only read. Others are looked at in 256 pixels, which
// their size is not.
func TestLookAtThumbnail(t *testing.T) {
	const look, sum = "blurhash(4,3):thumbhash():dominant():phash()", "sha256()"
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		engine := &lookingEngine{}
		rules, err := gallerytest.NewRules(t.Context(), gallerytest.Config{}, database.New(db, name), s.Store, engine, s.Keys, slog.New(slog.DiscardHandler))
		must(t, err)
		s.Rules = rules
		for file, c := range map[string]struct {
			data  string
			asked []string
			seen  string
		}{
			"fits.jpg":    {withThumbnail(t, grayJPEG(t, 800, 600), grayJPEG(t, 160, 120)), []string{"160 " + look, "800 " + sum}, "160"},
			"without.jpg": {string(grayJPEG(t, 801, 600)), []string{"801 " + look + ":" + sum + " in 256x256"}, "256"},
			"cropped.jpg": {withThumbnail(t, grayJPEG(t, 802, 500), grayJPEG(t, 160, 120)), []string{"802 " + look + ":" + sum + " in 256x256"}, "256"},
			"narrow.jpg":  {string(grayJPEG(t, 1601, 200)), []string{"1601 " + look + ":" + sum}, "1601"},
			"damaged.jpg": {withThumbnail(t, grayJPEG(t, 804, 603), grayJPEG(t, 200, 150)), []string{"804 " + look + ":" + sum + " in 256x256"}, "256"},
		} {
			s.Put(file, c.data)
			engine.asked = nil
			f, err := s.File(t.Context(), file)
			must(t, err)
			_, err = s.SimilarFiles(t.Context(), f, 0, 1)
			must(t, err)
			if !slices.Equal(engine.asked, c.asked) {
				t.Errorf("%s: the engine was asked %q, expected %q", file, engine.asked, c.asked)
			}
			f, err = s.File(t.Context(), file)
			must(t, err)
			if want, _, err := image.DecodeConfig(strings.NewReader(c.data)); err != nil || *f.Width() != int32(want.Width) || *f.Height() != int32(want.Height) {
				t.Errorf("%s: %d x %d, expected %d x %d", file, *f.Width(), *f.Height(), want.Width, want.Height)
			}
			if f.BlurHash() == nil || *f.BlurHash() != c.seen || *f.PHash() != fmt.Sprintf("%016s", c.seen) || *f.Width() < 800 {
				t.Errorf("%s: %s, %s, %d pixels", file, *f.BlurHash(), *f.PHash(), *f.Width())
			}
		}
		engine.orientation = 6
		s.Put("turned.jpg", string(grayJPEG(t, 806, 400)))
		f, err := s.File(t.Context(), "turned.jpg")
		must(t, err)
		_, err = s.SimilarFiles(t.Context(), f, 0, 1)
		must(t, err)
		if f, err = s.File(t.Context(), "turned.jpg"); err != nil || *f.Width() != 400 || *f.Height() != 806 {
			t.Errorf("a turned picture is %d x %d, expected 400 x 806 (%v)", *f.Width(), *f.Height(), err)
		}
	})
}
