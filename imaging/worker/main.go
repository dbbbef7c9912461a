//go:build linux

package worker

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/sandbox"
)

// Command is the hidden subcommand that runs Main.
const Command = "worker"

// EngineConfig is what a worker's engine is made with.
type EngineConfig struct {
	Efforts      map[imaging.Format]int // of encoders; 0 is the format's own
	PreviewBytes int64                  // of this worker

	Planned func(imaging.Cost) `json:"-"` // to be called with the estimate of each job, before its pixels are read
}

// Open makes the engine of a worker.
type Open func(EngineConfig, *slog.Logger) (Engine, error)

// service answers the requests of the server that started the process.
type service struct {
	wire   *wire
	engine Engine
	state  sandbox.State
	fonts  []*os.File // stay open, because fonts are read until the process ends

	mu     sync.Mutex
	id     uint64 // of the job under way
	cancel context.CancelFunc
	ended  uint64 // the last job that was to stop, which may not have arrived yet: the sockets are read apart
}

// Main serves the process that started this one, over the descriptors 3 and 4, until that hangs up. It returns the
// process's exit code.
func Main(open Open) int {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if _, err := unix.GetsockoptInt(3, unix.SOL_SOCKET, unix.SO_TYPE); err != nil {
		fmt.Fprintln(os.Stderr, "safelight: a worker is started by the server only")
		return 2
	}
	s := &service{wire: newWire(3), state: sandbox.Current()}
	go s.listen(4)
	for {
		var r request
		_, files, err := s.wire.receive(&r, 0)
		if err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, unix.ECONNRESET) {
				return 0
			}
			log.Error("reading a request", "error", err)
			return 1
		}
		if err := s.handle(open, log, r, files); err != nil {
			log.Error("working", "error", err)
			return 1
		}
	}
}

// listen stops jobs by their numbers, and ends the process with its server, whatever a job does.
func (s *service) listen(fd int) {
	b := make([]byte, 8)
	for {
		var n int
		err := again(func() (err error) {
			n, err = unix.Read(fd, b)
			return err
		})
		if err != nil || n < len(b) {
			os.Exit(0)
		}
		s.stop(binary.LittleEndian.Uint64(b))
	}
}

// stop ends the job of that number, or has it end as it begins.
func (s *service) stop(id uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = id
	if s.id == id && s.cancel != nil {
		s.cancel()
	}
}

// begin registers the current job, so that it can be stopped.
func (s *service) begin(id uint64, cancel context.CancelFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.id, s.cancel = id, cancel
	if s.ended == id {
		cancel()
	}
}

func (s *service) handle(open Open, log *slog.Logger, r request, files []*os.File) (err error) {
	defer func() { closeAll(files) }()
	switch r.Kind {
	case kindSetup:
		r.Setup.Planned = s.planned
		if s.engine, err = open(*r.Setup, log); err != nil {
			return err
		}
		return s.answer(response{ID: r.ID, Hello: &hello{s.engine.Version(), s.state.Missing}}, nil)
	case kindFonts:
		a := response{ID: r.ID}
		if err := s.loadFonts(r.Fonts, files); err != nil {
			a.Fault = toWire(err)
		}
		s.fonts, files = append(s.fonts, files...), nil
		return s.answer(a, nil)
	case kindRelease:
		s.engine.ReleaseMemory()
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s.begin(r.ID, cancel)
	a, data, err := s.work(ctx, r, files)
	if err != nil {
		a, data = response{Fault: toWire(err)}, nil
	}
	a.ID = r.ID
	return s.answer(a, data)
}

// planned tells the server how much memory and CPU time the job under way is estimated to take, if that is more than
// every job may.
func (s *service) planned(c imaging.Cost) {
	if c.Memory < noticeMemory && c.CPU < noticeCPU {
		return
	}
	s.mu.Lock()
	id := s.id
	s.mu.Unlock()
	// the response fails then, too
	_ = s.wire.send(response{ID: id, Planned: max(c.Memory, 1), PlannedCPU: c.CPU}, nil, nil)
}

// answer sends the response with the statistics of the process.
func (s *service) answer(a response, data []byte) error {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) == nil {
		a.CPU = time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	a.Memory = s.engine.Memory()
	defer closeAll(a.files)
	fds := make([]int, len(a.files))
	for n, f := range a.files {
		fds[n] = int(f.Fd())
	}
	return s.wire.send(a, data, fds)
}

func (s *service) work(ctx context.Context, r request, files []*os.File) (a response, data []byte, err error) {
	src, release, err := r.open(files)
	if err != nil {
		return a, nil, err
	}
	defer release()
	switch r.Kind {
	case kindSurvey:
		header, err := s.engine.Survey(ctx, src, r.Limits)
		a.Header = &header
		return a, nil, err
	case kindInfo:
		a.Info, err = s.engine.Info(
			ctx, src, imaging.InfoRequest{Operations: r.operations(), Sample: r.Sample}, r.Limits,
		)
		if err == nil {
			a.Warnings = a.Info.Warnings
		}
		return a, nil, err
	case kindProcess:
		a.Result, err = s.engine.Process(ctx, src, r.operations(), r.Limits)
		if err != nil {
			return a, nil, err
		}
		return a, a.Result.Data, nil
	case kindDecode:
		err = s.decode(ctx, src, r, &a)
		return a, nil, err
	}
	return a, nil, fmt.Errorf("a request is of the kind %q", r.Kind)
}

// open returns the request's sources, whose files may be closed once release has been called.
func (r *request) open(files []*os.File) (src imaging.Source, release func(), err error) {
	var frees []func()
	release = func() {
		for _, free := range frees {
			free()
		}
	}
	one := func(p part) (imaging.Source, error) {
		s := imaging.Source{Name: p.Name, Version: p.Version, Size: p.Size, Canvas: p.Canvas}
		if p.File == 0 {
			return s, nil
		}
		if p.File > len(files) || p.Pixels != nil && (p.Pixels.File < 1 || p.Pixels.File > len(files)) {
			return s, errors.New("a source's descriptor is missing")
		}
		if p.Pixels != nil {
			pixels, err := p.Pixels.mapped(files[p.Pixels.File-1])
			if err != nil {
				return s, err
			}
			frees = append(frees, pixels.Free)
			s.Pixels = &pixels
		}
		f := files[p.File-1]
		size, err := sizeOf(f)
		if err != nil {
			return s, err
		}
		if !p.Memory || size == 0 {
			s.Reader = io.NewSectionReader(f, 0, size)
			return s, nil
		}
		data, free, err := mapped(f)
		if err != nil {
			return s, err
		}
		frees = append(frees, free)
		s.Reader = imaging.NewMemoryFile(data)
		return s, nil
	}
	if src, err = one(r.Source); err != nil {
		return src, release, err
	}
	for _, p := range r.Layers {
		if src.Layers == nil {
			src.Layers = make(map[string]imaging.Source, len(r.Layers))
		}
		if src.Layers[string(p.Layer)], err = one(p); err != nil {
			return src, release, err
		}
	}
	return src, release, nil
}

func toWire(err error) *wireFault {
	f := fault.Of(err)
	w := &wireFault{Code: f.Code, Field: f.Field, Message: f.Message, RetryAfter: f.RetryAfter}
	if f.Err != nil {
		w.Cause = f.Err.Error()
	}
	return w
}
