package vips

import (
	"github.com/safelight/safelight/imaging"
)

// The search of quality(auto): the lowest quality within the bounds whose similarity reaches the target, on a copy
// with at most autoSide pixels per side. The target is what JPEG of quality 80 reaches on photographs.
const (
	autoTarget  = 0.96
	autoLowest  = 40
	autoHighest = 92
	autoSide    = 640
)

// autoQuality searches for the quality by bisection, in at most 6 encodes.
func (j *job) autoQuality(e imaging.Encode) (int, error) {
	if err := j.settlePixels(); err != nil {
		return 0, err
	}
	sample, err := j.image.sample(autoSide)
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
		e.Quality = middle
		like, err := j.similarAt(sample, want, e)
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

// similarAt encodes the sample with e and returns its similarity to the original; 1 means equal.
func (j *job) similarAt(sample *image, want plane, e imaging.Encode) (float64, error) {
	data, err := j.encodeImage(sample, e)
	if err != nil {
		return 0, err
	}
	source := memorySource(data)
	defer source.close()
	back, err := source.load(loaderName(e.Format), "")
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

// settlePixels computes the job's pixels now, because they are read more than once.
func (j *job) settlePixels() error {
	j.inMem = false
	return j.materialise()
}

// save encodes the job in every format of the plan, and keeps the smallest file.
func (j *job) save() (best []byte, format imaging.Format, err error) {
	list := j.plan.Encode
	if len(list) == 1 {
		best, err = j.saveAs(list[0])
		return best, list[0].Format, err
	}
	if err := j.settlePixels(); err != nil {
		return nil, "", err
	}
	whole := j.image.ref()
	defer whole.close()
	var by imaging.Library
	for _, e := range list {
		if err := j.ended(); err != nil {
			return nil, "", err
		}
		j.replace(whole.ref())
		if e.Flatten {
			if err := j.flatten(white); err != nil {
				return nil, "", err
			}
		}
		data, err := j.saveAs(e)
		if err != nil {
			return nil, "", err
		}
		if best == nil || len(data) < len(best) {
			best, format, by = data, e.Format, j.plan.Route.Encode
		}
	}
	j.plan.Route.Encode = by
	return best, format, nil
}
