//go:build linux

package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

var (
	_ imaging.Engine         = (*Pool)(nil)
	_ imaging.WorkerReporter = (*Pool)(nil)
	_ imaging.MemoryReporter = (*Pool)(nil)
)

// Pool is an imaging.Engine that hands work to worker processes, except for what mode leaves to this process.
type Pool struct {
	*processes
	mode imaging.Isolation
}

// Isolated returns an engine over the same workers that decodes nothing in this process, whatever the mode: for
// unchecked files. It ends with the pool.
func (p *Pool) Isolated() *Pool { return &Pool{p.processes, imaging.IsolateAll} }

// Engine is what does the work: in the workers, and in the server what needs none.
type Engine interface {
	imaging.Engine
	imaging.Decoder
	imaging.MemoryReporter
	// Parse and Describe are Survey and Info for files that Go code alone can read; ok is false for all others.
	Parse(src imaging.Source) (h imaging.Header, ok bool)
	Describe(src imaging.Source, req imaging.InfoRequest, limits imaging.Limits) (info *imaging.Info, ok bool)
	LoadFonts(families, paths []string) error // files that it keeps reading
	ReleaseMemory()                           // to the system
}

// Process applies ops to the picture of src and encodes the result.
func (p *Pool) Process(
	ctx context.Context,
	src imaging.Source,
	ops imaging.Operations,
	limits imaging.Limits,
) (*imaging.Result, error) {
	if p.isTrusted(src, ops) {
		return p.local.Process(ctx, src, ops, limits)
	}
	a, data, err := p.work(ctx, job{kind: kindProcess, src: src, ops: ops, limits: limits})
	if err != nil {
		return nil, err
	}
	r := a.Result
	if r == nil {
		return nil, nothing(src)
	}
	r.Data = data
	r.ContentType = r.Format.ContentType() // never what a worker says, which may have been taken over
	if r.ContentType == "" {
		r.ContentType = "application/octet-stream"
	}
	r.Route.Worker = true
	return r, nil
}

// Info describes the result of the request's operations. A file that Go alone can describe takes no worker.
func (p *Pool) Info(
	ctx context.Context,
	src imaging.Source,
	req imaging.InfoRequest,
	limits imaging.Limits,
) (*imaging.Info, error) {
	if p.isTrusted(src, req.Operations) {
		return p.local.Info(ctx, src, req, limits)
	}
	if ctx.Err() == nil {
		if info, ok := p.local.Describe(src, req, limits); ok {
			return info, nil
		}
	}
	a, _, err := p.work(ctx, job{kind: kindInfo, src: src, ops: req.Operations, limits: limits, sample: req.Sample})
	if err != nil {
		return nil, err
	}
	if a.Info == nil {
		return nil, nothing(src)
	}
	return a.info()
}

// Survey reads what the header of src says of it. A header that Go alone reads takes no worker.
func (p *Pool) Survey(ctx context.Context, src imaging.Source, limits imaging.Limits) (imaging.Header, error) {
	src = withoutLayers(src)
	if p.isTrusted(src, imaging.Operations{}) {
		return p.local.Survey(ctx, src, limits)
	}
	if src.Canvas != nil {
		return imaging.Header{Bytes: src.Size, Pages: 1}, fault.New(fault.Invalid, "A canvas has no header")
	}
	if ctx.Err() == nil && src.Reader != nil {
		if h, ok := p.local.Parse(src); ok {
			return h, nil
		}
	}
	a, _, err := p.work(ctx, job{kind: kindSurvey, src: src, limits: limits})
	if err == nil && a.Header == nil {
		err = nothing(src)
	}
	if err != nil {
		return imaging.Header{Bytes: src.Size, Pages: 1}, err
	}
	return *a.Header, nil
}

// withoutLayers returns the source without its layers and fonts.
func withoutLayers(src imaging.Source) imaging.Source {
	src.Layers, src.Fonts = nil, nil
	return src
}

func nothing(src imaging.Source) error {
	return fault.New(fault.Internal, "the worker answers nothing about %s", src.Name)
}

// job is what a worker is asked to do.
type job struct {
	kind   string
	src    imaging.Source
	ops    imaging.Operations
	limits imaging.Limits
	loads  []imaging.Load // of a decode
	sample bool           // of a description
}

func (j job) request() *request {
	r := &request{
		Kind: j.kind, Operations: j.ops, Filters: []byte(j.ops.Filters), Limits: j.limits, Loads: j.loads,
		Sample: j.sample,
	}
	r.Operations.Filters = ""
	return r
}

// isPlain says whether nothing but the source decides what happens.
func (j job) isPlain() bool {
	return j.ops == imaging.Operations{} && len(j.src.Layers) == 0
}

// isLight says whether the header is enough.
func (j job) isLight() bool { return j.kind == kindSurvey || j.kind == kindInfo && j.isPlain() }

// previewKey names what a worker may have decoded for the job; empty when previews have no part in it.
func (j job) previewKey() string {
	isPreview := func(f imaging.Filter) bool { return f.Name == "preview" }
	if j.kind != kindProcess || !slices.ContainsFunc(j.ops.Filters.List(), isPreview) {
		return ""
	}
	return j.src.Version
}

// info returns the description as an engine makes it: whole numbers of EXIF are ints, lists of IPTC strings.
func (a response) info() (*imaging.Info, error) {
	for name, v := range a.Info.Exif {
		if n, ok := v.(json.Number); ok {
			i, err := n.Int64()
			if err != nil {
				return nil, fmt.Errorf("reading the EXIF tag %s: %w", name, err)
			}
			a.Info.Exif[name] = int(i)
		}
	}
	for name, v := range a.Info.IPTC {
		if list, ok := v.([]any); ok {
			texts := make([]string, len(list))
			for n, one := range list {
				texts[n], _ = one.(string)
			}
			a.Info.IPTC[name] = texts
		}
	}
	a.Info.Warnings = a.Warnings
	return a.Info, nil
}

// Formats returns what this build writes.
func (p *processes) Formats() []imaging.Format { return p.local.Formats() }

// Version names the engine and the libraries that decide its pixels. Where it runs changes none.
func (p *processes) Version() string { return p.local.Version() }

// Efforts returns the efforts that the operator has chosen.
func (p *processes) Efforts() map[imaging.Format]int { return p.local.Efforts() }
