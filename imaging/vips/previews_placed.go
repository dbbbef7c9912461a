package vips

import (
	"fmt"
	"slices"
	"strings"

	"github.com/safelight/safelight/imaging"
)

// placement is what the steps before the filters found out.
type placement struct {
	origin    origin
	box       box
	converted bool
	warnings  []imaging.Warning // of those steps
}

// sliders are the filters that change pixels where they are, after all cutting and scaling, and nothing else:
// previews that differ only in them have the same picture before.
var sliders = []string{
	"brightness", "contrast", "saturation", "hue", "rgb", "modulate", "invert", "grayscale", "blur", "sharpen", "pixelate", "round_corner", "quality",
}

// layout names all that is done to the source before the filters.
func (j *job) layout() string {
	ops := j.ops
	ops.Filters = ""
	var b strings.Builder
	fmt.Fprintf(&b, "%s %+v", j.target, ops)
	for _, c := range j.calls {
		if !slices.Contains(sliders, c.Name) {
			b.WriteString(" " + c.Explain())
		}
	}
	return b.String()
}

// recallPlaced makes the job's image from one that was cut and scaled for another preview. The job has the header
// and target of its source.
func (j *job) recallPlaced(source string) (found bool, err error) {
	d, ok := j.engine.previews.get(previewID{source: source, layout: j.layout()})
	if !ok {
		return false, nil
	}
	defer d.image.close()
	j.origin, j.box, j.converted = d.placed.origin, d.placed.box, d.placed.converted
	j.header, j.exif, j.icc = d.header, d.exif, d.icc
	j.warnings = append(j.warnings, d.placed.warnings...)
	j.isPlaced = true
	return true, j.use(d.image)
}

// keepPlaced keeps the job's image, which the steps before the filters made of the source.
func (j *job) keepPlaced() error {
	if err := j.materialise(); err != nil {
		return err
	}
	shared, err := j.image.unwatched()
	if err != nil {
		return j.failed(err)
	}
	j.engine.previews.put(previewID{source: j.previewOf, layout: j.layout()}, &keptSource{
		image: shared, header: j.header, exif: j.exif, icc: j.icc, format: j.format,
		placed: &placement{origin: j.origin, box: j.box, converted: j.converted, warnings: slices.Clone(j.warnings[j.warned:])},
	})
	return nil
}
