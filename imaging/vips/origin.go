package vips

// origin maps points of the oriented source to the job's image as it stands: scaled first,
// then moved. Focal points and crops are given in the source's pixels.
type origin struct {
	width, height    int     // of the oriented source, one frame
	scaleX, scaleY   float64 // image pixels per source pixel
	offsetX, offsetY float64 // image pixels that were cut off at the left and at the top
}

// x returns where the column x of the source is in the image.
func (o origin) x(x float64) float64 { return x*o.scaleX - o.offsetX }

// y returns where the row y of the source is in the image.
func (o origin) y(y float64) float64 { return y*o.scaleY - o.offsetY }
