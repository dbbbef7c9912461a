package pixels

// #cgo LDFLAGS: -lm
// #include "reduce.h"
// #include "reduce_block.h"
import "C"

// Reduce scales RGB or RGBA pixels down to width x height, no side of which is larger than the picture's, into out, as libvips does: boxes of
// whole pixels as long as twice the size is left, then Lanczos. Transparent pixels lend their neighbors no color. It gives up soon after *stop
// is not 0; ok is false then, and if there is not enough memory.
func Reduce(p Picture, width, height int, out []byte, stop *int32) (ok bool) {
	return reduce(p, width, height, out, stop, allInstructions)
}

// Which instructions of x86 are used where the machine has them; the bytes are the same.
const (
	noInstructions  = C.sl_plain
	allInstructions = C.sl_avx2
)

func reduce(p Picture, width, height int, out []byte, stop *int32, instructions int) (ok bool) {
	if p.Bands < 3 || p.Bands > 4 || len(p.Pixels) != p.Width*p.Height*p.Bands || len(out) != width*height*p.Bands ||
		width <= 0 || height <= 0 || width > p.Width || height > p.Height {
		return false
	}
	return C.sl_reduce((*C.uint8_t)(&p.Pixels[0]), C.int(p.Width), C.int(p.Height), C.int(p.Bands), (*C.uint8_t)(&out[0]), C.int(width), C.int(height), (*C.int32_t)(stop), C.int(instructions)) == 0
}
