package pixels

// #cgo LDFLAGS: -lm
// #include "reduce.h"
// #include "result.h"
// #include "reduce_block.h"
import "C"

// Part is the part of a picture that a result shows, in pixels of the picture. A decoder that shrinks may leave a
// fraction of a pixel out, or add one: the part then begins or ends that much beyond the picture, whose outermost
// pixels are repeated, or within it.
type Part struct {
	Left, Top, Width, Height float64
	Linear                   bool // it is scaled in linear light: fine bright detail keeps its brightness
}

// All is the whole picture.
func (p Picture) All() Part { return Part{Width: float64(p.Width), Height: float64(p.Height)} }

func (p Part) c() C.sl_region {
	r := C.sl_region{left: C.double(p.Left), top: C.double(p.Top), width: C.double(p.Width), height: C.double(p.Height)}
	if p.Linear {
		r.linear = 1
	}
	return r
}

// isEnlarged reports whether not both sides of a result of that size are at most the part's.
func (p Part) isEnlarged(width, height int) bool {
	return !(float64(width) <= p.Width && float64(height) <= p.Height) // NaN is
}

// lies reports whether the part lies in a picture of that size, or no more than a pixel beyond it.
func (p Part) lies(width, height int) bool {
	return p.Left >= -1 && p.Top >= -1 && p.Left+p.Width <= float64(width+1) && p.Top+p.Height <= float64(height+1)
}

// Reduce scales a part of RGB or RGBA pixels down to width x height, no side of which is larger than the part's, into
// out: boxes of whole pixels as long as twice the size is left, then Lanczos. Transparent pixels lend their neighbors
// no color. It ends soon after *stop is not 0. Sizes that do not fit are ErrUnsupported.
func Reduce(p Picture, part Part, width, height int, out []byte, stop *int32) error {
	return reduce(p, part, width, height, out, stop, allInstructions)
}

// Which instructions of x86 are used where the machine has them; the bytes are the same.
const (
	noInstructions  = C.sl_plain
	allInstructions = C.sl_avx2
)

func reduce(p Picture, part Part, width, height int, out []byte, stop *int32, instructions int) error {
	if p.Bands < 3 || p.Bands > 4 || len(p.Pixels) != p.Width*p.Height*p.Bands || len(out) != width*height*p.Bands ||
		width <= 0 || height <= 0 || part.isEnlarged(width, height) || !part.lies(p.Width, p.Height) {
		return ErrUnsupported
	}
	failed := C.sl_reduce(
		(*C.uint8_t)(&p.Pixels[0]), C.int(p.Width), C.int(p.Height), C.int(p.Bands), (*C.uint8_t)(&out[0]),
		part.c(), C.int(width), C.int(height), (*C.int32_t)(stop), C.int(instructions),
	)
	if failed != 0 {
		return errorOf(C.sl_no_memory, stop)
	}
	return nil
}
