// Package vips is the imaging.Engine over libvips. It is the only package that knows libvips, through a thin layer of C
// of its own, and bimg, which starts the library (docs/contributing/decisions/0003).
//
// A picture goes through the files by their prefix:
//
//	engine.go, process.go, job.go   one job: open, plan (imaging.NewPlan), load, then the steps of the plan
//	decode*                         sources, headers, loading, by imaging/pixels or libvips; SVG and BMP
//	preview.go                      the decoded picture that preview() keeps
//	transform*                      color, turning, cutting, scaling; down by imaging/pixels (transform_scale.go)
//	filter_*                        the filters, grouped by whether they look at a point, an area or the shape
//	layer_*                         pictures and texts over the picture
//	encode*                         metadata, encoder options, quality(auto), max_bytes; by imaging/pixels or libvips
//	meta_*                          /meta: Info, the filters that look at pixels, EXIF, IPTC, profile names
//	image*                          a VipsImage with an owner, and stacks of frames
//
// A filter is its row in imaging/table.go and its function in a filter_* file; a format is one row of
// imaging/format.go.
package vips

// #include "sl_library.h"
// #include "sl_decode.h"
import "C"

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/h2non/bimg"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// revision must change with every change of ours that affects pixels or bytes.
const revision = 20

// Config holds the engine's settings.
type Config struct {
	Log *slog.Logger // log for panics; nil: slog's default
	// Efforts are the encoder efforts by format: AVIF from 1 (fast) to 9, WebP 1 to 6, and PNG the zlib level 1 to 9.
	// 0: the format's default.
	Efforts map[imaging.Format]int
	// Refused are formats that never reach a decoder of this engine. They result in fault.Unavailable, because callers
	// should have passed them to another engine.
	Refused []imaging.Format
	// Planned is called with the estimate of each job before its pixels are read; may be nil.
	Planned func(imaging.Cost)
	// PreviewBytes is the max size of the decoded sources that are kept for preview(); 0: none are kept.
	PreviewBytes int64
}

// maxEfforts are the max efforts that operators may choose.
var maxEfforts = map[imaging.Format]int{imaging.AVIF: 9, imaging.WebP: 6, imaging.PNG: 9}

// Engine is an imaging.Engine over libvips. All engines of a process share the library, which uses the settings of the
// last engine.
type Engine struct {
	log      *slog.Logger
	writable []imaging.Format
	efforts  map[imaging.Format]int // efforts that the operator has chosen
	buffers  buffers
	planned  func(imaging.Cost) // may be nil
	refused  []imaging.Format
	filters  map[string]filter // by the names in imaging's table

	mu     sync.RWMutex // every job holds a read lock
	closed bool

	previews *previews // nil: no previews are kept
	families []string  // of loaded fonts
}

var (
	_ imaging.Engine         = (*Engine)(nil)
	_ imaging.MemoryReporter = (*Engine)(nil)
)

// New starts libvips if necessary, and detects which formats it writes.
func New(c Config) (*Engine, error) {
	for f, n := range c.Efforts {
		if n < 0 || n > maxEfforts[f] {
			return nil, fault.OnField(
				fault.Invalid, "effort", "The effort of %s is %d; 0 to %d was expected", f, n, maxEfforts[f],
			)
		}
	}
	chooseFonts()
	bimg.Initialize()
	// The same result is never computed twice, so the operation cache would only use memory.
	bimg.VipsCacheSetMax(0)
	bimg.VipsCacheSetMaxMem(0)
	C.sl_setup()
	e := &Engine{
		log:     c.Log,
		planned: c.Planned,
		refused: c.Refused,
		filters: allFilters(),
		efforts: maps.Clone(c.Efforts),
	}
	if c.PreviewBytes > 0 {
		e.previews = newPreviews(c.PreviewBytes)
	}
	if e.log == nil {
		e.log = slog.Default()
	}
	if !orcGuarded() {
		e.log.Warn(
			"libvips' vector code is off, because its library Orc cannot be made safe for threads: resizing takes 2 " +
				"to 4 times the CPU",
		)
	}
	e.writable = writableFormats()
	if len(e.writable) == 0 {
		return nil, fault.New(fault.Internal, "libvips %s cannot write any picture format", bimg.VipsVersion)
	}
	return e, nil
}

// orcGuarded reports whether jobs can use Orc concurrently; see library_orc.c.
func orcGuarded() bool { return C.sl_orc_guarded() != 0 }

// Formats returns what this build writes.
func (e *Engine) Formats() []imaging.Format { return append([]imaging.Format(nil), e.writable...) }

// Efforts returns the efforts that the operator has chosen, by format; 0: the format's default.
func (e *Engine) Efforts() map[imaging.Format]int { return maps.Clone(e.efforts) }

// Version contains the versions of libvips and of the pipeline, and the operator's efforts.
func (e *Engine) Version() string {
	version := fmt.Sprintf(
		"libvips/%s safelight/%d efforts %d %d", bimg.VipsVersion, revision, e.efforts[imaging.AVIF],
		e.efforts[imaging.WebP],
	)
	if n := e.efforts[imaging.PNG]; n > 0 { // results that were cached without it stay valid
		version += fmt.Sprintf(" %d", n)
	}
	return version
}

// Library returns the version of the loaded libvips, and the file that it was loaded from; empty if it is not known.
func Library() (version, file string) {
	return C.GoString(C.sl_version()), C.GoString(C.sl_library_file())
}

// Memory returns libvips' figures for all engines together.
func (e *Engine) Memory() imaging.Memory {
	m := bimg.VipsMemory()
	return imaging.Memory{
		Bytes:       m.Memory,
		Highwater:   m.MemoryHighwater,
		Allocations: m.Allocations,
		Files:       int64(C.sl_open_files()),
	}
}

// Close waits for the running jobs, and rejects later ones with fault.Unavailable. The library stays loaded until the
// process ends, because it cannot be started twice.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	if e.previews != nil {
		e.previews.clear()
	}
	return nil
}

// run executes one job on a thread of its own, and frees what libvips keeps for that thread. It sets the job's
// context, limits and stop flag; the caller sets its source.
func (e *Engine) run(ctx context.Context, name string, limits imaging.Limits, do func(*job) error) (err error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.closed {
		return fault.New(fault.Unavailable, "The engine is closed")
	}
	if limits.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limits.Timeout)
		defer cancel()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer C.sl_end_thread()
	stop, release := stopFlag(ctx)
	defer release()
	broken := (*C.int)(C.calloc(1, C.sizeof_int))
	defer C.free(unsafe.Pointer(broken))
	j := &job{
		ctx: ctx, engine: e, name: name, limits: limits, stop: stop, broken: broken, damaged: new(atomic.Bool),
	}
	defer j.closeLayers()
	defer j.close()
	defer func() {
		if p := recover(); p != nil {
			e.log.Error("panic in the engine", "name", name, "panic", p, "stack", string(debug.Stack()))
			err = fault.New(fault.Internal, "Internal error")
		}
	}()
	if err := j.ended(); err != nil {
		return err
	}
	return j.checked(do(j))
}

// stopFlag returns a number that becomes 1 when ctx ends, and which libvips can poll. release frees it once libvips no
// longer polls it.
func stopFlag(ctx context.Context) (flag *C.int, release func()) {
	flag = (*C.int)(C.calloc(1, C.sizeof_int))
	set := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		defer close(set)
		atomic.StoreInt32((*int32)(unsafe.Pointer(flag)), 1)
	})
	return flag, func() {
		if !cancel() {
			<-set
		}
		C.free(unsafe.Pointer(flag))
	}
}

// writableFormats tries every saver of the table on a small picture: a saver may exist without the encoder that it
// needs.
func writableFormats() []imaging.Format {
	sample, err := solid(16, 16, white)
	if err != nil {
		return nil
	}
	defer sample.close()
	var list []imaging.Format
	for _, t := range imaging.Formats() {
		if t.Saver == "" {
			continue
		}
		if data, err := sample.saveUntil(nil, t.Format, saveOptions(plainEncode(t.Format))); err == nil &&
			len(data) > 0 {
			list = append(list, t.Format)
		}
	}
	return list
}
