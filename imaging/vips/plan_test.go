package vips

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/safelight/safelight/imaging"
)

// planned returns the plan of a result before anything is known of its pixels, from the header that the engine reads.
func planned(
	t *testing.T,
	e *Engine,
	src imaging.Source,
	o imaging.Operations,
	l imaging.Limits,
) (p imaging.Plan, err error) {
	t.Helper()
	err = e.run(t.Context(), "test", l, func(j *job) error {
		calls, _, err := o.Filters.Calls(false)
		if err != nil {
			return err
		}
		err = j.plansOnly(src, o, calls)
		p = j.plan
		p.Request.Options.Describe = false
		return err
	})
	if err != nil {
		return p, err
	}
	return imaging.NewPlan(p.Request.Header, o, l, p.Request.Options)
}

// TestGoldensAreAsPlanned holds the sizes, frames and formats of every golden to its plan.
func TestGoldensAreAsPlanned(t *testing.T) {
	studio := newGoldenStudio(t)
	limits := imaging.DefaultLimits()
	limits.AllowPDF = true
	for _, c := range goldenCases() {
		r, err := imaging.Parse("unsafe/" + c.path + "/" + c.source)
		if err != nil {
			t.Fatal(err)
		}
		src, err := studio.source(c.source)
		if err != nil {
			t.Fatal(err)
		}
		p, err := planned(t, studio.engine, src, r.Operations, limits)
		if _, raw := p.Call("raw"); raw || unavailable(studio.engine, c, err) != "" {
			continue
		}
		src, _ = studio.source(c.source)
		result, err2 := studio.engine.Process(t.Context(), src, r.Operations, limits)
		if err != nil || err2 != nil {
			t.Errorf("%s: plan %v, result %v", c.path, err, err2)
			continue
		}
		compareToPlan(t, c.source+" "+c.path, p, result)
	}
}

// compareToPlan holds a result to its plan, as far as that goes without pixels.
func compareToPlan(t *testing.T, what string, p imaging.Plan, r *imaging.Result) {
	t.Helper()
	if p.Pending != "" {
		return
	}
	if got := (imaging.Size{Width: r.Width, Height: r.Height}); got != p.Result.Size() || r.Pages != p.Result.Frames ||
		len(p.Encode) == 1 && r.Format != p.Format() {
		t.Errorf("%s: %s of %d x %v, planned %s, %+v", what, r.Format, r.Pages, got, p.Format(), p.Result)
	}
}

// TestRandomResultsAreAsPlanned processes random paths of small pictures, turned and moving ones too.
func TestRandomResultsAreAsPlanned(t *testing.T) {
	e := open(t)
	random := rand.New(rand.NewPCG(3, 5))
	sources := map[string][]byte{
		"png":  pngOf(t, photograph(61, 47)),
		"jpeg": jpegOf(t, photograph(203, 157)),
		"anim": animation(t, 33, 21, 3),
	}
	for _, format := range []string{"webp", "gif"} {
		r, err := process(e, "filters:format("+format+")", sources["png"], t)
		if err != nil {
			t.Fatal(err)
		}
		sources[format] = r.Data
	}
	names := []string{"png", "jpeg", "anim", "webp", "gif"}
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	n := random.IntN
	for range 400 {
		path := pick("", "", "fit-in/", "full-fit-in/", "stretch/", "3x4:50x30/", "0.2x0.1:0.9x1/")
		path += pick(
			"", fmt.Sprintf("%dx%d/", n(90), n(90)), fmt.Sprintf("-%dx/", 1+n(90)),
			fmt.Sprintf("%dx%d/2x3/", n(40), n(40)),
		)
		path += pick("", "smart/", "left/")
		path += "filters:" + pick(
			"upscale()", "no_upscale()", "orient(90)", "straighten(7.5)", "straighten(-45)", "page(2)",
			"max_frames(2)", "rotate(270)", "stretch()",
		)
		for range n(3) {
			path += ":" + pick(
				"rotate(90)", "proportion(37)", "padding(auto,3,4)", "crop(2,3,20,10)", "fill(blur)", "fill(none)",
				"round_corner(4)", "background_color(red)", "image(anim,center,center)",
				"image(filters:rotate(90)/png,-5,5,0,mask)", "image(filters:straighten(20)/png,0,0)",
				"watermark(jpeg,0,0,10,50)", "image(f-3x20/color:red,repeat,1)", "pixelate(4)", "grayscale()",
			)
		}
		if n(2) == 0 {
			path += ":format(" + pick("webp", "png", "jpeg", "gif") + ")"
		}
		name := pick(names...)
		r, err := imaging.Parse("unsafe/" + path + "/x")
		if err != nil {
			t.Fatal(err)
		}
		source := func() imaging.Source {
			s := sourceOf(sources[name])
			s.Layers = map[string]imaging.Source{}
			for layer, data := range sources {
				s.Layers[layer] = sourceOf(data)
			}
			return s
		}
		p, err := planned(t, e, source(), r.Operations, imaging.DefaultLimits())
		result, err2 := e.Process(t.Context(), source(), r.Operations, imaging.DefaultLimits())
		if err != nil || err2 != nil {
			t.Errorf("%s %s: plan %v, result %v", name, path, err, err2)
			continue
		}
		compareToPlan(t, name+" "+path, p, result)
	}
}
