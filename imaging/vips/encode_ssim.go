package vips

// #include "sl_image.h"
import "C"

// plane is an 8-bit picture of one band, row by row.
type plane struct {
	width, height int
	pixels        []byte
}

// luma returns the image's lightness over a white background.
func (i *image) luma() (plane, error) {
	gray, err := i.through([]func(*image) (*image, error){
		func(i *image) (*image, error) { return i.flatten(white) },
		func(i *image) (*image, error) { return i.colourspace(C.SL_INTERPRETATION_B_W) },
		func(i *image) (*image, error) { return i.firstBands(1) },
	})
	if err != nil {
		return plane{}, err
	}
	defer gray.close()
	data, err := gray.bytes()
	return plane{gray.width(), gray.height(), data}, err
}

// The windows over which similarity is computed.
const (
	ssimWindow = 8
	ssimStride = 4
)

// ssim returns the mean structural similarity of two planes of the same size; 1 means equal: Wang, Bovik, Sheikh and
// Simoncelli, 2004, with square windows of equal weight. Planes that are smaller than a window count as one window.
func ssim(a, b plane) float64 {
	if a.width != b.width || a.height != b.height {
		return 0
	}
	windowWidth, windowHeight := min(ssimWindow, a.width), min(ssimWindow, a.height)
	sum, count := 0.0, 0
	for y := 0; y+windowHeight <= a.height; y += ssimStride {
		for x := 0; x+windowWidth <= a.width; x += ssimStride {
			sum += similarity(a, b, x, y, windowWidth, windowHeight)
			count++
		}
	}
	return sum / float64(count)
}

func similarity(a, b plane, x, y, width, height int) float64 {
	const c1, c2 = (0.01 * 255) * (0.01 * 255), (0.03 * 255) * (0.03 * 255)
	var sumA, sumB, sumAA, sumBB, sumAB int
	for row := y; row < y+height; row++ {
		at := row*a.width + x
		rowA, rowB := a.pixels[at:at+width], b.pixels[at:at+width]
		for n, v := range rowA {
			p, q := int(v), int(rowB[n])
			sumA, sumB = sumA+p, sumB+q
			sumAA, sumBB, sumAB = sumAA+p*p, sumBB+q*q, sumAB+p*q
		}
	}
	n := float64(width * height)
	meanA, meanB := float64(sumA)/n, float64(sumB)/n
	varA, varB := float64(sumAA)/n-meanA*meanA, float64(sumBB)/n-meanB*meanB
	cov := float64(sumAB)/n - meanA*meanB
	return (2*meanA*meanB + c1) * (2*cov + c2) / ((meanA*meanA + meanB*meanB + c1) * (varA + varB + c2))
}
