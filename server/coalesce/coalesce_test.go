package coalesce

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/cost"
	"github.com/safelight/safelight/server/admission"
)

// decoder is an engine whose decodes take a while.
type decoder struct {
	imaging.Engine
	takes time.Duration
	fails error

	mu     sync.Mutex
	passes [][]imaging.Load
	held   int // pixels that are not freed
	ended  []error
}

func (d *decoder) Decode(
	ctx context.Context, _ imaging.Source, loads []imaging.Load, _ imaging.Limits,
) (list []imaging.Pixels, err error) {
	d.mu.Lock()
	d.passes = append(d.passes, loads)
	d.mu.Unlock()
	select {
	case <-time.After(d.takes):
	case <-ctx.Done():
		err = fault.New(fault.Canceled, "canceled")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil {
		err = d.fails
	}
	if d.ended = append(d.ended, err); err != nil {
		return nil, err
	}
	for _, l := range loads {
		d.held++
		list = append(list, imaging.Pixels{Load: l, Data: []byte{1},
			Free: sync.OnceFunc(func() { d.mu.Lock(); d.held--; d.mu.Unlock() })})
	}
	return list, nil
}

// bench is a Coalescer over a decoder, and what its results were made of.
type bench struct {
	*testing.T
	*Coalescer
	work    *admission.Controller
	decoder *decoder
	wait    sync.WaitGroup

	mu     sync.Mutex
	done   []string          // in the order in which they were made
	alone  map[string]int    // how often a result was begun without pixels
	errors map[string]error  // of those that were not made
	loads  map[string]string // what went wrong with pixels
}

func newBench(t *testing.T, c admission.Config) *bench {
	c.Queue = 100
	b := &bench{T: t, work: admission.New(c), decoder: &decoder{takes: 50 * time.Millisecond}, alone: map[string]int{},
		errors: map[string]error{}, loads: map[string]string{}}
	b.Coalescer = New(b.work, b.decoder)
	return b
}

var photo = imaging.Header{Format: imaging.JPEG, Width: 4000, Height: 3000, Pages: 1, Bands: 3, Bytes: 3 << 20}

// plan plans a path of the header.
func plan(t *testing.T, h imaging.Header, path string) imaging.Plan {
	t.Helper()
	r, err := imaging.Parse("unsafe/" + path + "/x")
	if err != nil {
		t.Fatal(err)
	}
	p, err := imaging.NewPlan(h, r.Operations, imaging.DefaultLimits(),
		imaging.PlanOptions{Writable: []imaging.Format{imaging.JPEG, imaging.PNG, imaging.AVIF}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// want asks for a result of the source, that takes so long once it is decoded, and lets it come as far as it comes.
func (b *bench) want(ctx context.Context, h imaging.Header, source, path string, rest time.Duration) {
	b.Helper()
	p := plan(b.T, h, path)
	name := source + " " + path
	b.wait.Go(func() {
		err := b.Do(ctx, Request{Source: imaging.Source{Version: source}, Plan: p, Cost: cost.Of(p), Client: "a"},
			func(ctx context.Context, pixels *imaging.Pixels) error {
				takes := rest
				b.mu.Lock()
				switch {
				case pixels == nil:
					b.alone[name]++
					takes += b.decoder.takes
				case pixels.Load != p.Load || pixels.Data == nil:
					b.loads[name] = fmt.Sprintf("%+v", pixels.Load)
				}
				b.mu.Unlock()
				select {
				case <-time.After(takes):
				case <-ctx.Done():
					return fault.New(fault.Canceled, "canceled")
				}
				b.mu.Lock()
				defer b.mu.Unlock()
				b.done = append(b.done, name)
				return nil
			})
		if err != nil {
			b.mu.Lock()
			b.errors[name] = err
			b.mu.Unlock()
		}
	})
	synctest.Wait()
}

// occupy takes a slot.
func (b *bench) occupy() (release func()) {
	release, err := b.work.Enter(b.Context(), admission.Work{Client: "a"})
	if err != nil {
		b.Fatal(err)
	}
	return release
}

// end waits for all results, and holds that nothing is left of them.
func (b *bench) end() {
	b.Helper()
	b.wait.Wait()
	synctest.Wait()
	if s := b.work.Stats(); s.Memory != 0 || s.Running != 0 || s.Waiting != 0 {
		b.Errorf("%+v is left", s)
	}
	if len(b.sources) != 0 || b.decoder.held != 0 {
		b.Errorf("%d sources and %d pictures are left", len(b.sources), b.decoder.held)
	}
	if len(b.loads) > 0 {
		b.Errorf("made of other pixels: %v", b.loads)
	}
}

// passes fails unless the source was decoded so often for several results.
func (b *bench) passes(want ...int) {
	b.Helper()
	var got []int
	for _, loads := range b.decoder.passes {
		got = append(got, len(loads))
	}
	if !slices.Equal(got, want) {
		b.Errorf("passes over the source for %v scales, want %v", got, want)
	}
}

var page = []string{"160x", "320x", "480x", "640x", "960x", "1280x"}

// TestPlanesAlone: a decoder scales a WebP still without alpha for each result, so that none waits for a decode that it
// refuses.
func TestPlanesAlone(t *testing.T) {
	for name, c := range map[string]struct {
		header imaging.Header
		alone  int
	}{
		"still": {imaging.Header{Format: imaging.WebP, Width: 4000, Height: 3000, Pages: 1, Bands: 3,
			Bytes: 3 << 20}, 6},
		"with alpha": {imaging.Header{Format: imaging.WebP, Width: 4000, Height: 3000, Pages: 1, Bands: 4, Alpha: true,
			Bytes: 3 << 20}, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, admission.Config{Slots: 1})
			release := b.occupy()
			for n := range 6 {
				b.want(t.Context(), c.header, "a", fmt.Sprintf("%dx", 300+n), time.Millisecond)
			}
			release()
			b.end()
			if len(b.alone) != c.alone || len(b.done) != 6 || (len(b.decoder.passes) == 0) != (c.alone == 6) {
				t.Errorf("%s: %d of %d made alone, %d passes; expected %d alone", name, len(b.alone), len(b.done),
					len(b.decoder.passes), c.alone)
			}
		})
	}
}

// TestPage: what waits for one source is decoded once, at three scales, and each result is made of its own.
func TestPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, admission.Config{Slots: 1})
		release := b.occupy()
		for _, path := range page {
			b.want(t.Context(), photo, "a", path, 10*time.Millisecond)
		}
		release()
		b.end()
		b.passes(3)
		if s := b.Stats(); s != (Stats{Decodes: 1, Results: 6}) || len(b.done) != 6 || len(b.alone) != 0 ||
			len(b.errors) != 0 {
			t.Errorf("%+v, made %v, alone %v, errors %v", s, b.done, b.alone, b.errors)
		}
	})
}

// TestDecodedFirst: results whose source is decoded are made before another source is decoded, so that the pixels of
// few sources are kept at once.
func TestDecodedFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, admission.Config{Slots: 1})
		release := b.occupy()
		for _, path := range page {
			for _, source := range []string{"a", "b", "c"} {
				b.want(t.Context(), photo, source, path, 10*time.Millisecond)
				time.Sleep(time.Microsecond)
			}
		}
		release()
		b.end()
		b.passes(3, 3, 3)
		var order string
		for _, name := range b.done {
			order += name[:1]
		}
		if order != "aaaaaabbbbbbcccccc" {
			t.Errorf("results were made of the sources %s, expected all of a, then all of b, then all of c", order)
		}
	})
}

// TestPredictedWaitOfAPage: a decode that results share counts once in the predicted wait, so that a page is not
// rejected as six decodes would be.
func TestPredictedWaitOfAPage(t *testing.T) {
	for name, c := range map[string]struct {
		source   func(n int) string
		rejected bool
	}{
		"one picture":  {func(int) string { return "a" }, false},
		"six pictures": {func(n int) string { return fmt.Sprint(n) }, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			whole := cost.Of(plan(t, photo, page[len(page)-1])).CPU
			b := newBench(t, admission.Config{Slots: 1, MaxWait: 3 * whole})
			release := b.occupy()
			for n, path := range page {
				b.want(t.Context(), photo, c.source(n), path, 10*time.Millisecond)
			}
			release()
			b.end()
			if isRejected := len(b.errors) > 0; isRejected != c.rejected {
				t.Errorf("%s: errors %v, expected some: %v", name, b.errors, c.rejected)
			}
		})
	}
}

// TestNobodyWaitsForCompany: a result alone is made at once, and as if there was no sharing.
func TestNobodyWaitsForCompany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, admission.Config{Slots: 1})
		start := time.Now()
		b.want(t.Context(), photo, "a", "300x", 10*time.Millisecond)
		b.end()
		if b.passes(); time.Since(start) != 60*time.Millisecond || b.alone["a 300x"] != 1 {
			t.Errorf("took %s, alone %v", time.Since(start), b.alone)
		}
	})
}

// TestJoining holds until when a result that has begun is joined by another one of its source.
func TestJoining(t *testing.T) {
	png := imaging.Header{Format: imaging.PNG, Width: 4000, Height: 3000, Pages: 1, Bands: 3, Bytes: 20 << 20}
	progressive := photo
	progressive.Whole = true
	heic := png
	heic.Format = imaging.HEIF
	for name, c := range map[string]struct {
		header imaging.Header
		first  string
		after  time.Duration
		second string
		passes []int
	}{
		"early, another scale":             {photo, "160x", time.Millisecond, "1280x", []int{2}},
		"early, the same scale":            {photo, "160x", time.Millisecond, "320x", []int{1}},
		"late":                             {photo, "160x", 40 * time.Millisecond, "320x", nil},
		"early, a PNG":                     {png, "160x", time.Millisecond, "1280x", []int{1}},
		"early, a progressive JPEG":        {progressive, "160x", time.Millisecond, "320x", []int{1}},
		"a progressive JPEG, other scales": {progressive, "160x", time.Millisecond, "1280x", nil},
		"a decoder that does not stop":     {heic, "160x", time.Millisecond, "320x", nil},
		"the top of a picture":             {photo, "0x0:4000x200/160x", time.Millisecond, "0x0:4000x200/150x", nil},
		"preview()": {photo, "160x/filters:preview()", time.Millisecond,
			"150x/filters:preview()", nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, admission.Config{Slots: 4})
			b.want(t.Context(), c.header, "a", c.first, 10*time.Millisecond)
			time.Sleep(c.after)
			b.want(t.Context(), c.header, "a", c.second, 10*time.Millisecond)
			b.end()
			var got []int
			for _, loads := range b.decoder.passes {
				got = append(got, len(loads))
			}
			if !slices.Equal(got, c.passes) || len(b.done) != 2 {
				t.Errorf("%s: passes for %v scales, want %v; made %v", name, got, c.passes, b.done)
			}
		})
	}
}

// TestJoiningADecode: what arrives while a group decodes joins it, for another scale too as long as little is lost, and
// after it as long as the pixels are there.
func TestJoiningADecode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, admission.Config{Slots: 4})
		b.want(t.Context(), photo, "a", "160x", 100*time.Millisecond)
		b.want(t.Context(), photo, "a", "320x", 100*time.Millisecond)
		b.want(t.Context(), photo, "a", "640x", 100*time.Millisecond) // begins again
		time.Sleep(30 * time.Millisecond)
		b.want(t.Context(), photo, "a", "150x", 100*time.Millisecond)  // as 160x
		b.want(t.Context(), photo, "a", "1280x", 100*time.Millisecond) // too late
		time.Sleep(60 * time.Millisecond)
		b.want(t.Context(), photo, "a", "140x", 10*time.Millisecond) // its pixels are there
		b.end()
		b.passes(1, 2)
		if s := b.Stats(); s != (Stats{Decodes: 1, Results: 4, Again: 2}) || b.alone["a 1280x"] != 1 ||
			b.alone["a 140x"] != 0 || len(b.done) != 6 {
			t.Errorf("%+v, alone %v, made %v", s, b.alone, b.done)
		}
	})
}

// TestLeaving: who goes does not take the decode from the others, and the last one ends it.
func TestLeaving(t *testing.T) {
	for name, c := range map[string]struct {
		leave []int // of three members; the first decodes
		want  int   // results
		ends  fault.Code
	}{"the one that decodes": {[]int{0}, 2, ""}, "another one": {[]int{1}, 2, ""}, "two": {[]int{0, 2}, 1, ""},
		"all": {[]int{0, 1, 2}, 0, fault.Canceled}} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, admission.Config{Slots: 1})
			release := b.occupy()
			var cancels []context.CancelFunc
			for _, path := range []string{"160x", "640x", "1280x"} {
				ctx, cancel := context.WithCancel(t.Context())
				cancels = append(cancels, cancel)
				b.want(ctx, photo, "a", path, 10*time.Millisecond)
			}
			release()
			time.Sleep(20 * time.Millisecond)
			for _, n := range c.leave {
				cancels[n]()
			}
			b.end()
			if b.passes(3); len(b.done) != c.want || len(b.errors) != 3-c.want ||
				fault.CodeOf(b.decoder.ended[0]) != c.ends {
				t.Errorf("%s: made %v, errors %v, the decode ended with %v", name, b.done, b.errors, b.decoder.ended)
			}
			for _, cancel := range cancels {
				cancel()
			}
		})
	}
}

// TestFailing: a decode that fails fails all its results, once; one that cannot be shared leaves each to itself.
func TestFailing(t *testing.T) {
	crash := fault.New(fault.CorruptImage, "crashed the decoder")
	for _, c := range []struct {
		fails  error
		errors int
	}{{crash, 6}, {fmt.Errorf("%w: damaged", imaging.ErrAlone), 0}} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, admission.Config{Slots: 2})
			b.decoder.fails = c.fails
			one, two := b.occupy(), b.occupy()
			for _, path := range page {
				b.want(t.Context(), photo, "a", path, 10*time.Millisecond)
			}
			one()
			two()
			b.end()
			b.passes(3)
			if len(b.errors) != c.errors || len(b.done) != 6-c.errors || len(b.alone) != 6-c.errors {
				t.Errorf("%v: errors %v, made %v", c.fails, b.errors, b.done)
			}
			for name, err := range b.errors {
				if !errors.Is(err, crash) {
					t.Errorf("%s: %v", name, err)
				}
			}
			if b.Stats() != (Stats{}) {
				t.Errorf("counted as %+v", b.Stats())
			}
		})
	}
}

// TestOrder: a slow encoder does not hold up the others of its group, and the group does not pass those that came
// before its members.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, admission.Config{Slots: 2, MaxWait: time.Minute})
		one, two := b.occupy(), b.occupy()
		b.want(t.Context(), photo, "a", "1280x/filters:format(avif)", 3*time.Second)
		b.want(t.Context(), photo, "a", "160x", 10*time.Millisecond)
		b.want(t.Context(), photo, "b", "170x", 10*time.Millisecond)
		time.Sleep(time.Millisecond) // arrives later than the others
		b.want(t.Context(), photo, "a", "640x", 10*time.Millisecond)
		one()
		two()
		b.end()
		if want := []string{"b 170x", "a 160x", "a 640x", "a 1280x/filters:format(avif)"}; !slices.Equal(b.done,
			want) && !slices.Equal(b.done, []string{want[1], want[0], want[2], want[3]}) {
			t.Errorf("made in the order %q", b.done)
		}
		b.passes(3)
	})
}

// TestPlaceInTheQueue: what follows a decode has the place of its arrival, before what came while its source was
// decoded.
func TestPlaceInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, admission.Config{Slots: 1, MaxWait: 2 * time.Second})
		release := b.occupy()
		b.want(t.Context(), photo, "a", "2000x/filters:format(avif)", 10*time.Millisecond)
		b.want(t.Context(), photo, "a", "1900x/filters:format(avif)", 10*time.Millisecond)
		release()
		time.Sleep(20 * time.Millisecond)
		b.want(t.Context(), photo, "b", "2000x/filters:format(avif)", 10*time.Millisecond)
		b.end()
		if want := []string{"a 2000x/filters:format(avif)", "a 1900x/filters:format(avif)",
			"b 2000x/filters:format(avif)"}; !slices.Equal(b.done, want) {
			t.Errorf("made in the order %q, errors %v", b.done, b.errors)
		}
	})
}

// TestMemoryOfAGroup: what was decoded counts once, while results of it are wanted; what does not fit is left to
// others.
func TestMemoryOfAGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, admission.Config{Slots: 1, MaxMemory: 400 << 20})
		release := b.occupy()
		for _, path := range []string{"160x", "320x"} {
			b.want(t.Context(), photo, "a", path, 10*time.Millisecond)
		}
		release()
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
		decoded := 500*375*3 + cost.SharedRows(photo)
		if got, want := b.work.Stats().Memory, cost.Of(plan(t, photo, "160x")).Memory+decoded; got != want {
			t.Errorf("%d bytes while decoding, want %d", got, want)
		}
		time.Sleep(55 * time.Millisecond) // the second is being made
		synctest.Wait()
		if got, want := b.work.Stats().Memory, cost.OfDecoded(plan(t, photo, "320x")).Memory+decoded; got != want {
			t.Errorf("%d bytes afterwards, want %d", got, want)
		}
		b.end()
		b.passes(1)
	})
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, admission.Config{Slots: 1, MaxMemory: 100 << 20}) // of which a quarter may be kept
		release := b.occupy()
		for _, path := range []string{"3000x", "160x", "2900x", "170x"} { // the whole picture has 36 MB
			b.want(t.Context(), photo, "a", path, 10*time.Millisecond)
		}
		release()
		b.end()
		if b.passes(1); b.alone["a 3000x"] != 1 || b.alone["a 160x"] != 0 || len(b.done) != 4 {
			t.Errorf("alone %v, made %v", b.alone, b.done)
		}
	})
}

// TestLargeGroups holds the bound of a group.
func TestLargeGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, admission.Config{Slots: 1})
		release := b.occupy()
		for n := range maxMembers + 3 {
			b.want(t.Context(), photo, "a", fmt.Sprintf("%dx", 160+n), time.Second)
		}
		release()
		b.end()
		if b.passes(1, 1); len(b.done) != maxMembers+3 {
			t.Errorf("%d made", len(b.done))
		}
	})
}

// TestPanic: a result that panics leaves nothing behind, and the others are made.
func TestPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, admission.Config{Slots: 1})
		p := plan(t, photo, "160x")
		b.wait.Go(func() {
			defer func() { _ = recover() }()
			_ = b.Do(t.Context(), Request{Source: imaging.Source{Version: "a"}, Plan: p, Cost: cost.Of(p), Client: "a"},
				func(ctx context.Context, _ *imaging.Pixels) error {
					<-ctx.Done() // others have joined
					panic("as a test")
				})
		})
		synctest.Wait()
		b.want(t.Context(), photo, "a", "320x", 10*time.Millisecond)
		b.end()
		if len(b.done) != 1 {
			t.Errorf("made %v, %v", b.done, b.errors)
		}
	})
}
