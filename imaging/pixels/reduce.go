package pixels

// #cgo LDFLAGS: -lm
// #include "reduce.h"
// #include "result.h"
// #include "reduce_block.h"
import "C"

// Part is the part of a picture that a result shows, in pixels of the picture. A decoder that shrinks may drop or add
// a fraction of a pixel. The part then begins or ends that much beyond the picture, whose edge pixels are repeated, or
// within it.
type Part struct {
	Left, Top, Width, Height float64
	Linear                   bool // scaled in linear light, which preserves the brightness of fine bright detail
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

// isEnlarged reports whether a side of the result is longer than that of the part.
func (p Part) isEnlarged(width, height int) bool {
	return !(float64(width) <= p.Width && float64(height) <= p.Height) // NaN is
}

// lies reports whether the part lies within a picture of the given size, or at most a pixel beyond it.
func (p Part) lies(width, height int) bool {
	return p.Left >= -1 && p.Top >= -1 && p.Left+p.Width <= float64(width+1) && p.Top+p.Height <= float64(height+1)
}

// Reduce scales a part of RGB or RGBA pixels down to width x height into out. No side may become longer. It averages
// boxes of whole pixels while the size is at least twice the target, then uses Lanczos. Transparent pixels do not add
// color to their neighbors. It ends soon after *stop is not 0. Sizes that do not match result in ErrUnsupported.
func Reduce(p Picture, part Part, width, height int, out []byte, stop *int32) error {
	return reduce(p, part, width, height, out, stop, allInstructions)
}

// Which x86 instructions are used if the machine has them. The results are identical.
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
