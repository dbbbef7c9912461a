// Package metadata converts the metadata of an image, such as its size, colors and EXIF data, to the columns
// of its entry.
package metadata

import (
	"encoding/hex"
	"encoding/json"
	"strconv"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/gallery/colors"
	"github.com/safelight/safelight/gallery/places"
	"github.com/safelight/safelight/gallery/tokenizer"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/oklab"
)

const (
	known       int8 = 1        // the state of a picture whose metadata is stored
	maxExif          = 64 << 10 // maximum bytes of EXIF data that are stored
	maxTogether      = 16       // maximum number of pictures in a batch
)

// Together divides pictures into batches, so that all workers have some. A picture that was tried before gets
// its own batch: it may have crashed the process, and the other pictures in its batch should not be affected.
func Together(rows []*ent.Entry, workers int) (batches [][]int) {
	size := min(max(len(rows)/max(2*workers, 1), 1), maxTogether)
	var batch []int
	for _, r := range rows {
		if r.MetaTries > 0 {
			batches = append(batches, []int{r.ID})
			continue
		}
		if batch = append(batch, r.ID); len(batch) == size {
			batches, batch = append(batches, batch), nil
		}
	}
	if len(batch) > 0 {
		batches = append(batches, batch)
	}
	return batches
}

// locate sets where a picture was taken according to its EXIF data, and the nearest city.
func locate(u *ent.EntryUpdate, fields map[string]any) {
	p, ok := PositionOf(fields)
	if u.SetHasGps(ok).SetPlace(""); !ok {
		u.ClearMapX().ClearMapY()
		return
	}
	at := places.PointOf(p.Latitude, p.Longitude)
	u.SetMapX(at.X).SetMapY(at.Y)
	if city, ok := places.Nearest(p.Latitude, p.Longitude); ok {
		u.SetPlace(city.Place.String())
	}
}

// Set stores the metadata of a picture in its row. It computes the search words from the current values of
// the row.
func Set(u *ent.EntryUpdate, row *ent.Entry, info *imaging.Info) {
	width, height := info.Width, info.Height
	u.SetMetaState(known).SetMetaTries(0).SetWidth(width).SetHeight(height).
		SetPixels(int64(width) * int64(height)).
		SetPages(info.Pages).SetOrientation(int8(info.Orientation)).SetType(string(info.Format)).
		SetBlurhash(info.BlurHash).SetThumbhash(info.ThumbHash)
	row.Camera = Camera(info.Exif)
	u.SetCamera(row.Camera).
		SetLens(Lens(info.Exif)).
		SetWords(tokenizer.Index(append([]string{row.Name, row.Description, row.Camera}, row.Tags...)...))
	if t, ok := Taken(info.Exif); ok {
		u.SetTaken(t.UnixNano()).SetTakenKey(t.UnixNano())
	}
	locate(u, info.Exif)
	u.SetColors(colors.Stored(info.DominantColor, info.Palette))
	if c := info.DominantColor; c != nil {
		lab := oklab.Of(imaging.RGB{R: c.R, G: c.G, B: c.B})
		u.SetDominant(int(c.R)<<16 | int(c.G)<<8 | int(c.B)).SetOkL(lab[0]).SetOkA(lab[1]).SetOkB(lab[2])
	}
	if h, err := strconv.ParseUint(info.PHash, 16, 64); err == nil {
		u.SetPhash(int64(h))
	}
	if sum, err := hex.DecodeString(info.SHA256); err == nil && len(sum) > 0 {
		u.SetSha256(sum)
	}
	if b, err := json.Marshal(WithoutNUL(info.Exif)); err == nil && len(info.Exif) > 0 && len(b) <= maxExif {
		u.SetExif(string(b))
	}
}
