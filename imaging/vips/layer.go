package vips

// #include "sl_layer.h"
import "C"

import (
	"errors"
	"slices"

	"github.com/safelight/safelight/imaging"
)

// layerInput is the picture of one or more layers, opened before anything is decoded.
type layerInput struct {
	src imaging.Source
	in  *input // nil once a layer has taken it
	imaging.Header
}

// openLayers opens the pictures that the layers of ops name, including nested ones. If only headers are needed, it
// ignores those that cannot be read.
func (j *job) openLayers(sources map[string]imaging.Source, ops imaging.Operations, headersOnly bool) error {
	images, err := imaging.Layers(ops, j.limits)
	if err != nil {
		return err
	}
	for _, image := range slices.DeleteFunc(images, imaging.IsCanvas) {
		src, ok := sources[image]
		if !ok {
			continue // the plan will report which layer lacks its picture
		}
		open := j.openWhole
		if headersOnly {
			open = j.openHeader
		}
		name := j.name
		j.name = nameOf(src)
		in, err := open(src, 1)
		j.name = name
		if err != nil {
			if headersOnly && j.ended() == nil {
				continue
			}
			return err
		}
		if j.layers == nil {
			j.layers = map[string]*layerInput{}
		}
		j.layers[image] = &layerInput{src, in, in.header}
	}
	return nil
}

// closeLayers closes the pictures that no layer has taken.
func (j *job) closeLayers() {
	for _, l := range j.layers {
		l.in.close()
	}
}

// headers returns the headers of the layers' pictures for the plan.
func (j *job) headers() map[string]imaging.Header {
	if len(j.layers) == 0 {
		return nil
	}
	all := make(map[string]imaging.Header, len(j.layers))
	for image, l := range j.layers {
		all[image] = l.Header
	}
	return all
}

// filterLayer draws the picture of image() or watermark() and lays it over the job's.
func filterLayer(j *job, s imaging.Step) error {
	over, err := j.child(*s.Layer)
	if err != nil {
		return err
	}
	defer over.close()
	if s.Layer.Plan.Pending != "" { // a trim: its warnings are known now
		j.warnings = append(j.warnings, over.plan.Warnings...)
	}
	j.warnings = append(j.warnings, over.warnings...)
	l := *s.Layer
	if err := j.frameLayer(over, s.Call, &l); err != nil {
		return err
	}
	return j.lay(over.image, l)
}

// child draws a layer's picture, in memory.
func (j *job) child(l imaging.LayerPlan) (*job, error) {
	if l.Plan == nil {
		return nil, errors.New("the layer has no plan")
	}
	child := &job{
		ctx:     j.ctx,
		engine:  j.engine,
		name:    l.Image,
		limits:  l.Plan.Request.Limits,
		stop:    j.stop,
		broken:  j.broken,
		damaged: j.damaged,
		layers:  j.layers,
		plan:    *l.Plan,
	}
	if err := child.drawLayer(l); err != nil {
		child.close()
		return nil, err
	}
	return child, nil
}

// drawLayer runs the child's steps: those of the pipeline, without those for files.
func (j *job) drawLayer(l imaging.LayerPlan) error {
	if c, ok := j.plan.Call("dpi"); ok {
		j.dpi = c.Float("n")
	}
	if j.plan.Request.Header.Canvas {
		colour, err := imaging.ParseCanvas(l.Image)
		if err != nil {
			return err
		}
		j.name, j.canvas = "canvas", &colour
	} else if err := j.takeLayer(l.Image); err != nil {
		return err
	}
	if err := j.load(); err != nil {
		return err
	}
	if err := j.draw([]step{stepPlace, stepFilters}); err != nil {
		return err
	}
	size := l.Scaled(imaging.Size{Width: j.image.width(), Height: j.image.pageHeight()})
	if err := j.resize(size.Width, size.Height); err != nil {
		return err
	}
	j.inMem = false // the filters after the last copy are not in it
	return j.materialise()
}

// takeLayer makes the layer's picture the job's input. It is read again if another layer has already taken it.
func (j *job) takeLayer(image string) (err error) {
	l := j.layers[image]
	j.name = nameOf(l.src)
	if j.input, l.in = l.in, nil; j.input == nil {
		j.input, err = j.openWhole(l.src, 1)
	}
	if err == nil {
		j.icc = j.input.icc
	}
	return err
}
