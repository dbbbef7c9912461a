package gallery

import (
	"testing"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/imaging"
)

// TestURLsOfLargePictures checks that a picture that exceeds the maximum result size is resized if no size
// was requested. Otherwise the URL would be rejected.
func TestURLsOfLargePictures(t *testing.T) {
	g := &Gallery{config: Config{Limits: imaging.DefaultLimits()}}
	cropped := imaging.Operations{CropRight: 0.5, CropBottom: 0.5}
	for _, c := range []struct {
		row  ent.Entry
		o    imaging.Operations
		want string
	}{
		{ent.Entry{Type: "jpeg", Width: 9643, Height: 10328}, imaging.Operations{}, "fit-in/6832x7317/a"},
		{ent.Entry{Type: "png", Width: 20000, Height: 100}, imaging.Operations{}, "fit-in/16383x81/a"},
		{ent.Entry{Type: "jpeg", Width: 9643, Height: 10328}, cropped, "0x0:0.5x0.5/fit-in/6832x7317/a"},
		{ent.Entry{Type: "jpeg", Width: 9643, Height: 10328}, imaging.Operations{Width: 300}, "300x0/a"},
		{ent.Entry{Type: "gif", Width: 1000, Height: 1000, Pages: 200}, imaging.Operations{}, "fit-in/500x500/a"},
		{ent.Entry{Type: "pdf", Width: 1000, Height: 1000, Pages: 200}, imaging.Operations{}, "a"},
		{ent.Entry{Type: "jpeg", Width: 7000, Height: 7000}, imaging.Operations{}, "a"},
		{ent.Entry{}, imaging.Operations{}, "a"},
	} {
		f := newFile(g, &c.row)
		if got := f.fitted(c.o).Path("a"); got != c.want {
			t.Errorf("%s of %dx%d with %+v: %s, expected %s", c.row.Type, c.row.Width, c.row.Height, c.o, got, c.want)
		}
	}
}
