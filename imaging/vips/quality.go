package vips

import (
	"math"

	"github.com/safelight/safelight/imaging"
)

// scale maps JPEG's quality, which is what URLs name, to an encoder's own that looks like it: points in
// rising order, straight lines between them. TestQualityScale holds it.
type scale [][2]float64

// at returns the encoder's quality for that of a URL, 1..100. An empty scale changes nothing.
func (s scale) at(quality int) int {
	q := float64(quality)
	before := [2]float64{1, 1}
	for _, p := range s {
		if q <= p[0] {
			if p[0] == before[0] {
				return int(math.Round(p[1]))
			}
			return int(math.Round(before[1] + (p[1]-before[1])*(q-before[0])/(p[0]-before[0])))
		}
		before = p
	}
	return quality
}

// defaultQuality is that of a URL that names none.
const defaultQuality = 80

// chosenQuality returns the quality on the scale of URLs that the job is encoded with at first.
func (j *job) chosenQuality() (int, error) {
	c, ok := j.lastCall("quality")
	switch {
	case !ok:
		return defaultQuality, nil
	case c.Text("n") == "auto":
		return j.autoQuality()
	}
	return c.Int("n"), nil
}

// The search of quality(auto): the lowest quality within the bounds whose similarity reaches the target, on
// a copy of at most that many pixels a side. The target is what JPEG of quality 80 reaches on photographs.
const (
	autoTarget  = 0.96
	autoLowest  = 40
	autoHighest = 92
	autoSide    = 640
)

// autoQuality searches the quality by bisection, in at most 6 encodes.
func (j *job) autoQuality() (int, error) {
	if savers[j.target].quality == 0 || j.lossless() {
		return defaultQuality, nil
	}
	if err := j.settlePixels(); err != nil {
		return 0, err
	}
	sample, err := j.sample()
	if err != nil {
		return 0, j.failed(err)
	}
	defer sample.close()
	want, err := sample.luma()
	if err != nil {
		return 0, j.failed(err)
	}
	low, high := autoLowest, autoHighest
	for low < high {
		if err := j.ended(); err != nil {
			return 0, err
		}
		middle := (low + high) / 2
		like, err := j.similarAt(sample, want, middle)
		if err != nil {
			return 0, j.failed(err)
		}
		if like >= autoTarget {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return high, nil
}

// sample returns the first frame, reduced, in memory.
func (j *job) sample() (*image, error) {
	first, err := j.image.frame(0)
	if err != nil {
		return nil, err
	}
	defer first.close()
	width, height := first.width(), first.height()
	if longest := max(width, height); longest > autoSide {
		width, height = max(1, width*autoSide/longest), max(1, height*autoSide/longest)
	}
	small, err := first.resize(width, height)
	if err != nil {
		return nil, err
	}
	defer small.close()
	return small.copyMemory()
}

// similarAt encodes the sample with that quality and returns how like the original it is, 1 for equal.
func (j *job) similarAt(sample *image, want plane, quality int) (float64, error) {
	data, err := j.encodeImage(sample, j.saveOptions(quality))
	if err != nil {
		return 0, err
	}
	source := memorySource(data)
	defer source.close()
	lazy, err := source.load(loaders[j.target].name, "")
	if err != nil {
		return 0, err
	}
	defer lazy.close()
	back, err := lazy.copyMemory()
	if err != nil {
		return 0, err
	}
	defer back.close()
	got, err := back.luma()
	if err != nil {
		return 0, err
	}
	return ssim(want, got), nil
}

// settlePixels computes the job's pixels now: they are read more than once.
func (j *job) settlePixels() error {
	j.inMem = false
	return j.materialise()
}

// saveBest encodes the job in every format that may be the smallest, and keeps that one.
func (j *job) saveBest() (best []byte, err error) {
	if err := j.settlePixels(); err != nil {
		return nil, err
	}
	whole := j.image.ref()
	defer whole.close()
	chosen := j.target
	for _, f := range j.candidates() {
		if err := j.ended(); err != nil {
			return nil, err
		}
		j.target = f
		j.replace(whole.ref())
		if !f.HasAlpha() {
			if err := j.flatten(white); err != nil {
				return nil, err
			}
		}
		if best != nil && j.checkTarget() != nil {
			continue
		}
		data, err := j.save()
		if err != nil {
			return nil, err
		}
		if best == nil || len(data) < len(best) {
			best, chosen = data, f
		}
	}
	j.target = chosen
	return best, nil
}

// candidates returns the formats of format(best): those that every client shows, and those that this one
// accepts, as far as they hold what the picture has.
func (j *job) candidates() []imaging.Format {
	var list []imaging.Format
	moves, alpha := j.image.pages() > 1, j.image.hasAlpha()
	add := func(f imaging.Format) {
		for _, w := range j.engine.writable {
			if w == f {
				list = append(list, f)
			}
		}
	}
	switch {
	case moves:
		add(imaging.GIF)
	case alpha:
		add(imaging.PNG)
	default:
		add(imaging.JPEG)
		if !j.format.IsLossy() { // a drawing may be smaller as PNG; a photograph never is
			add(imaging.PNG)
		}
	}
	for _, f := range j.limits.Accept {
		if !moves || f.CanAnimate() {
			add(f)
		}
	}
	return list
}
