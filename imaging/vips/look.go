package vips

import (
	"github.com/safelight/safelight/imaging"
)

// teller adds to info what a metadata filter asks for. The picture is in memory and in sRGB.
type teller func(i *image, c imaging.Call, info *imaging.Info) error

// tellers has the metadata filters that look at pixels. palette is a filter of saving, too.
func tellers() map[string]teller {
	return map[string]teller{
		"blurhash":  tellBlurHash,
		"thumbhash": tellThumbHash,
		"avgcolor":  tellAverage,
		"palette":   tellPalette,
		"dominant":  tellDominant,
		"phash":     tellPHash,
		"lqip":      tellLQIP,
	}
}

// looks says whether a metadata filter needs pixels.
func (j *job) looks() bool {
	for name := range tellers() {
		if j.has(name) {
			return true
		}
	}
	return false
}

// look adds to info what the metadata filters ask for that takes pixels.
func (j *job) look(info *imaging.Info) error {
	if !j.looks() {
		return nil
	}
	if err := j.seen(); err != nil {
		return err
	}
	for name, tell := range tellers() {
		c, ok := j.lastCall(name)
		if !ok {
			continue
		}
		if err := j.ended(); err != nil {
			return err
		}
		if err := tell(j.image, c, info); err != nil {
			return j.failed(err)
		}
	}
	return nil
}

// seen makes the job's image what a screen shows: in memory, and in sRGB where the result would be
// in another space.
func (j *job) seen() error {
	if j.icc != nil || j.converted {
		// A broken profile is no reason to refuse the picture.
		if out, err := j.image.transform("srgb", "srgb"); err == nil {
			j.replace(out)
		}
	}
	j.inMem = false
	return j.materialise()
}

func tellBlurHash(i *image, c imaging.Call, info *imaging.Info) (err error) {
	info.BlurHash, err = blurHash(i, c.Int("x"), c.Int("y"))
	return err
}

func tellThumbHash(i *image, _ imaging.Call, info *imaging.Info) (err error) {
	info.ThumbHash, err = thumbHash(i)
	return err
}

func tellAverage(i *image, _ imaging.Call, info *imaging.Info) error {
	colour, err := averageColour(i)
	info.AverageColor = &colour
	return err
}

func tellPalette(i *image, c imaging.Call, info *imaging.Info) error {
	n := paletteSize
	if c.Arg("n").Set {
		n = c.Int("n")
	}
	pixels, err := i.thumbnail(paletteSide, false)
	if err == nil {
		info.Palette = paletteOf(pixels, n)
	}
	return err
}

func tellDominant(i *image, _ imaging.Call, info *imaging.Info) error {
	pixels, err := i.thumbnail(paletteSide, false)
	if err == nil {
		info.DominantColor = dominantOf(pixels)
	}
	return err
}

func tellPHash(i *image, _ imaging.Call, info *imaging.Info) (err error) {
	info.PHash, err = perceptualHash(i)
	return err
}

func tellLQIP(i *image, _ imaging.Call, info *imaging.Info) (err error) {
	info.LQIP, err = placeholder(i)
	return err
}
