package vips

// defaultDelay is how long a frame is shown that does not say, in milliseconds, as browsers have it.
const defaultDelay = 100

// delays returns how long each of the frames is shown, in milliseconds.
func (i *image) delays() []int {
	pages := i.pages()
	list := i.integers("delay")
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

// schedule returns which of the layer's frames covers each of the parent's frames: the one that is
// shown when the parent's frame begins, with the layer starting over when it ends.
func (i *image) schedule(parent *image, frames int) []int {
	times := make([]int, frames)
	pages := i.pages()
	if pages == 1 {
		return times
	}
	if parent.pages() == 1 { // the parent takes the layer's frames
		for n := range times {
			times[n] = n % pages
		}
		return times
	}
	own, whole := i.delays(), 0
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
