package vips

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// maxLateCPU is how much a job may still compute after the end of its context, in runs of the yardstick.
const maxLateCPU = 10

// TestCancelledInTheMiddle ends the context of jobs that would go on for long, and tells how much they still compute
// after that. The promise is 200 ms on a machine that is not busy; the bound is an ordinary picture's CPU times
// maxLateCPU.
func TestCancelledInTheMiddle(t *testing.T) {
	e := open(t)
	yardstick := yardstickOf(t, e)
	photo := sync.OnceValue(func() []byte { return jpegOf(t, gradient(7000, 5000, false)) })
	opaque := sync.OnceValue(func() []byte { return pngOf(t, gradient(5000, 4000, true)) })
	webp := func() []byte {
		return processed(e, "filters:format(webp)", jpegOf(t, gradient(5000, 4000, false)), t).Data
	}
	moving := sync.OnceValue(func() []byte { return animation(t, 1000, 800, 60) })
	limits := imaging.DefaultLimits()
	limits.Timeout = 0 // or some are refused for what they are estimated to take
	tiny := func() []byte { return jpegOf(t, gradient(48, 40, false)) }
	for n, c := range []struct {
		name, path string
		data       func() []byte
	}{
		{"tiny, enlarged", "stretch/7000x7000/filters:format(png)", tiny},
		{"tiny, enlarged and blurred", "stretch/7000x7000/filters:blur(500):format(png)", tiny},
		{"jpeg", "filters:blur(40):sharpen(3):format(jpeg)", photo},
		{"jpeg to png", "filters:format(png):compression(9)", photo},
		{"png", "4000x3000/filters:blur(30):format(jpeg)", opaque},
		{"png to png", "filters:rotate(90):format(png):compression(9)", opaque},
		{"webp", "4500x3500/filters:blur(30):hue(20):format(jpeg)", webp}, {"gif", "filters:blur(9):hue(50)", moving},
		{"gif to webp", "filters:format(webp)", moving},
		{"png to webp", "filters:format(webp)", opaque},
	} {
		if leftOut(n) {
			continue
		}
		r, err := imaging.Parse("unsafe/" + c.path + "/x")
		if err != nil {
			t.Fatal(err)
		}
		data := c.data()
		ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
		ended := make(chan time.Duration, 1)
		context.AfterFunc(ctx, func() { ended <- cpuTime(t) })
		_, err = e.Process(ctx, sourceOf(data), r.Operations, limits)
		returned := cpuTime(t)
		if fault.CodeOf(err) != fault.Timeout {
			t.Errorf("%s: %v, expected %s", c.name, err, fault.Timeout)
		} else if late := returned - <-ended; late > maxLateCPU*yardstick {
			t.Errorf("%s: computed %v after the end of its context, an ordinary picture takes %v", c.name, late,
				yardstick)
		} else {
			t.Logf("%s: computed %v after the end of its context, an ordinary picture takes %v", c.name, late,
				yardstick)
		}
		cancel()
	}
}
