package vips

import "github.com/safelight/safelight/fault"

// framesUnder returns how many frames the job's picture has once the layer lies on it.
func (j *job) framesUnder(over *job) int {
	pages := j.image.pages()
	if pages == 1 && j.target.CanAnimate() && !j.has("page") {
		if c, ok := j.lastCall("max_frames"); ok {
			return min(over.image.pages(), c.Int("n"))
		}
		return over.image.pages()
	}
	return pages
}

// checkFrames refuses more frames of that size than the limits allow.
func (j *job) checkFrames(frames int, size region) error {
	if limit := j.limits.MaxFrames; limit > 0 && frames > limit {
		return fault.New(fault.TooLarge, "The result would have %d frames; at most %d are allowed", frames, limit)
	}
	j.frames = frames
	return j.checkSize(size.width, size.height)
}

// defaultDelay is how long a frame is shown that does not say, in milliseconds, as browsers have it.
const defaultDelay = 100

// delays returns how long each of the job's frames is shown, in milliseconds.
func (j *job) delays() []int {
	pages := j.image.pages()
	list := j.image.integers("delay")
	for len(list) < pages {
		list = append(list, defaultDelay)
	}
	list = list[:pages]
	for n, d := range list {
		if d <= 0 {
			list[n] = defaultDelay
		}
	}
	return list
}

// schedule returns which of the layer's frames lies on each of the parent's frames: the one that is
// shown when the parent's frame begins, with the layer starting over when it ends.
func (j *job) schedule(parent *job, frames int) []int {
	times := make([]int, frames)
	pages := j.image.pages()
	if pages == 1 {
		return times
	}
	if parent.image.pages() == 1 { // the parent takes the layer's frames
		for n := range times {
			times[n] = n % pages
		}
		return times
	}
	own, whole := j.delays(), 0
	for _, d := range own {
		whole += d
	}
	now := 0
	for n, d := range parent.delays() {
		rest, frame := now%whole, 0
		for rest >= own[frame] {
			rest -= own[frame]
			frame++
		}
		times[n] = frame
		now += d
	}
	return times
}

// frameByFrame replaces the job's image by as many frames as are asked for, each made by f of the frame of
// that number, or of the only one there is. Where the number grows, the delays are those of the layer.
func (j *job) frameByFrame(frames int, f func(n int, frame *image) (*image, error), over *job) error {
	pages := j.image.pages()
	made := make([]*image, 0, frames)
	defer func() {
		for _, frame := range made {
			frame.close()
		}
	}()
	for n := range frames {
		frame, err := j.oneFrame(min(n, pages-1), func(i *image) (*image, error) {
			lazy, err := f(n, i)
			if err != nil {
				return nil, err
			}
			defer lazy.close()
			return lazy.copyMemory()
		})
		if err != nil {
			return err
		}
		made = append(made, frame)
	}
	out, err := stack(made)
	if err != nil {
		return j.failed(err)
	}
	j.replace(out)
	if frames == pages {
		return nil
	}
	return j.apply(func(i *image) (*image, error) { return i.withIntegers("delay", over.delays()[:frames]) })
}
