package vips

import (
	"strconv"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

func filterImage(j *job, c imaging.Call) error {
	if j.dry {
		return nil
	}
	layer, err := imaging.ParseLayer(c.Text("path"))
	if err != nil {
		return err
	}
	over, err := j.picture(layer.Image, layer.Within(j.image.width(), j.image.pageHeight()))
	if err != nil {
		return err
	}
	defer over.close()
	return j.lay(over, c)
}

// filterWatermark is filterImage with a size in percent of the parent: the watermark fits inside it.
func filterWatermark(j *job, c imaging.Call) error {
	if j.dry {
		return nil
	}
	layer, err := imaging.ParseLayer(c.Text("image"))
	if err != nil {
		return err
	}
	width, ok1, err := j.ratio(c, "w_ratio", j.image.width())
	if err != nil {
		return err
	}
	height, ok2, err := j.ratio(c, "h_ratio", j.image.pageHeight())
	if err != nil {
		return err
	}
	ops := layer.Within(j.image.width(), j.image.pageHeight())
	sized := ops.Width > 0 || ops.Height > 0
	if (ok1 || ok2) && !sized {
		ops.Fit, ops.Width, ops.Height = imaging.Fit{In: true}, width, height
		ops.Filters = imaging.FiltersOf(imaging.Filter{Name: "upscale"}).Add(ops.Filters.List()...)
	}
	over, err := j.picture(layer.Image, ops)
	if err != nil {
		return err
	}
	defer over.close()
	if (ok1 || ok2) && sized {
		if err := over.fitInside(width, height); err != nil {
			return j.failed(err)
		}
	}
	return j.lay(over, c)
}

// ratio reads a ratio, percent of side, as pixels; ok is false for none.
func (j *job) ratio(c imaging.Call, name string, side int) (pixels int, ok bool, err error) {
	text := c.Text(name)
	if text == "none" || text == "" {
		return 0, false, nil
	}
	percent, err := strconv.ParseFloat(text, 64)
	if err != nil || !(percent > 0 && percent <= 1000) {
		return 0, false, j.misread(c.Name, name, "filter "+c.Name+": argument "+name+" is not followed, expected none or a percentage over 0 and up to 1000")
	}
	return scaled(side, percent/100), true, nil
}

// picture returns a layer's picture with ops done to it, in memory.
func (j *job) picture(name string, ops imaging.Operations) (*job, error) {
	src, err := j.layerSource(name)
	if err != nil {
		return nil, err
	}
	limits := j.limits
	limits.AutoFormat = nil
	child := &job{
		ctx: j.ctx, name: nameOf(src), engine: j.engine, limits: limits, stop: j.stop,
		ops: ops, parent: j, layers: j.layers,
	}
	if err := child.draw(src); err != nil {
		child.close()
		return nil, err
	}
	j.warnings = append(j.warnings, child.warnings...)
	return child, nil
}

// draw runs the child's steps: those of the pipeline, without what is for a file.
func (j *job) draw(src imaging.Source) error {
	if err := j.readCalls(); err != nil {
		return err
	}
	if err := j.engine.open(j, src); err != nil {
		return err
	}
	for _, s := range layerPipeline() {
		if err := s(j); err != nil {
			return j.failed(err)
		}
		if err := j.ended(); err != nil {
			return err
		}
	}
	j.inMem = false // the filters after the last copy are not in it
	return j.materialise()
}

// layerPipeline is the pipeline up to the filters. It is a function, for the filters lead back to it.
func layerPipeline() []step {
	return []step{stepColour, stepOrient, stepTrim, stepCrop, stepResize, stepFlip, stepFilters}
}

func (j *job) layerSource(image string) (imaging.Source, error) {
	if imaging.IsCanvas(image) {
		colour, err := imaging.ParseCanvas(image)
		return imaging.Source{Name: image, Canvas: &colour}, err
	}
	src, ok := j.layers[image]
	if !ok {
		return src, fault.OnField(fault.NotFound, "image", "the layer's picture %s was not found", strconv.Quote(image))
	}
	return src, nil
}

// fitInside scales the job's picture to fit a box of that size, larger or smaller; 0 is no bound.
func (j *job) fitInside(width, height int) error {
	l := layoutOf(j.image.width(), j.image.pageHeight(), imaging.Operations{Width: width, Height: height, Fit: imaging.Fit{In: true}}, growAlways)
	if err := j.checkSize(l.width, l.height); err != nil {
		return err
	}
	if err := j.resize(l.width, l.height); err != nil {
		return err
	}
	j.inMem = false
	return j.materialise()
}
