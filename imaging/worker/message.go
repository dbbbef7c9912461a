//go:build linux

package worker

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// A message is one packet: the length of its JSON in four bytes, the JSON, and data. What is too large for a packet is
// in a memory file whose descriptor is sent along, the last of the packet's.
const (
	maxInline = 64 << 10
	maxFiles  = 200 // descriptors with one packet
	inMemory  = 1 << 31
)

// The kinds of requests.
const (
	kindSetup   = "setup"
	kindProcess = "process"
	kindInfo    = "info"
	kindSurvey  = "survey"
	kindDecode  = "decode"
	kindRelease = "release"
	kindFonts   = "fonts"
)

// request goes to the worker.
type request struct {
	ID         uint64
	Kind       string
	Setup      *EngineConfig      `json:",omitempty"`
	Operations imaging.Operations `json:",omitzero"`  // without Filters
	Filters    []byte             `json:",omitempty"` // JSON text would change what is not UTF-8
	Source     part               `json:",omitzero"`
	Layers     []part             `json:",omitempty"`
	Fonts      []part             `json:",omitempty"` // to load, named by their families
	Limits     imaging.Limits     `json:",omitzero"`
	Loads      []imaging.Load     `json:",omitempty"` // of a decode
	Sample     bool               `json:",omitempty"` // of a description
}

func (r *request) operations() imaging.Operations {
	o := r.Operations
	o.Filters = imaging.Filters(r.Filters)
	return o
}

// part is a picture of a request. File numbers the descriptor that its bytes are in, from 1; 0 when there is none.
type part struct {
	Layer   []byte          `json:",omitempty"` // that it is, by the image of the layer's path
	Name    string          `json:",omitempty"`
	Version string          `json:",omitempty"`
	Size    int64           `json:",omitempty"`
	File    int             `json:",omitempty"`
	Memory  bool            `json:",omitempty"` // the file is a sealed memory file
	Canvas  *imaging.Colour `json:",omitempty"`
	Pixels  *wirePixels     `json:",omitempty"` // of the picture, decoded before
}

// wirePixels is imaging.Pixels, whose data is in the sealed memory file that File numbers, from 1.
type wirePixels struct {
	imaging.Pixels
	File int
}

// response comes back. One of its results is set, or Fault.
type response struct {
	ID     uint64
	Fault  *wireFault      `json:",omitempty"`
	Result *imaging.Result `json:",omitempty"` // its data is the data of the packet
	Info   *imaging.Info   `json:",omitempty"` // see info
	Header *imaging.Header `json:",omitempty"`
	Hello  *hello          `json:",omitempty"`
	Pixels []wirePixels    `json:",omitempty"` // of a decode

	Warnings []imaging.Warning `json:",omitzero"` // of Info, whose own JSON has none
	// bytes of memory that the job is estimated to take: the response itself follows
	Planned    int64         `json:",omitempty"`
	PlannedCPU time.Duration `json:",omitempty"` // CPU time that it is estimated to take
	CPU        time.Duration // of the worker since its start
	Memory     imaging.Memory

	files []*os.File // of Pixels
}

// hello is the worker's first response.
type hello struct {
	Version string
	Missing []string // protections that the kernel refused
}

type wireFault struct {
	Code           fault.Code
	Field, Message string
	Cause          string
	RetryAfter     time.Duration
}

// wire sends and receives messages over a socket of packets. One goroutine may receive; several may send.
//
// In a worker, the only busy thread waits in the system call, because a job is cheaper the fewer threads take part
// in it. The server waits in the poller of Go's runtime. If its threads waited in system calls, the runtime would check
// every millisecond whether to give their processors away.
type wire struct {
	fd     int
	file   *os.File        // owns fd; nil in a worker
	poller syscall.RawConn // waits until fd is ready; nil in a worker
	mu     sync.Mutex
	out    []byte
	in     []byte
	rights []byte
}

func newWire(fd int) *wire {
	return &wire{fd: fd, in: make([]byte, maxInline+4), rights: make([]byte, unix.CmsgSpace(4*(maxFiles+1)))}
}

// polledWire returns a wire over a socket that passes to it.
func polledWire(fd int) (*wire, error) {
	w := newWire(fd)
	err := unix.SetNonblock(fd, true)
	if w.file = os.NewFile(uintptr(fd), "worker"); err == nil {
		w.poller, err = w.file.SyscallConn()
	}
	return w, err
}

// close ends the connection. Nobody may be receiving.
func (w *wire) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fd >= 0 {
		_ = w.file.Close()
		w.fd = -1
	}
}

// waited calls until the call does not fail because the socket is not ready.
func (w *wire) waited(isWrite bool, call func() error) (err error) {
	if w.poller == nil {
		return again(call)
	}
	wait := w.poller.Read
	if isWrite {
		wait = w.poller.Write
	}
	failed := wait(func(uintptr) bool {
		err = again(call)
		return err != unix.EAGAIN
	})
	return cmp.Or(failed, err)
}

// send sends v and data; the descriptors stay the caller's.
func (w *wire) send(v any, data []byte, files []int) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	head := uint32(len(text))
	w.out = append(w.out[:0], 0, 0, 0, 0)
	if 4+len(text)+len(data) > maxInline {
		memory, err := memoryFile(text, data)
		if err != nil {
			return err
		}
		defer memory.Close()
		head |= inMemory
		files = append(files[:len(files):len(files)], int(memory.Fd()))
	} else {
		w.out = append(append(w.out, text...), data...)
	}
	binary.LittleEndian.PutUint32(w.out, head)
	var rights []byte
	if len(files) > 0 {
		rights = unix.UnixRights(files...)
	}
	return w.waited(true, func() error { return unix.Sendmsg(w.fd, w.out, rights, nil, unix.MSG_NOSIGNAL) })
}

// again repeats a system call that a signal interrupts.
func again(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}

// receive fills v and returns the data and the descriptors, which are the caller's to close. Data in memory files may
// have limit bytes.
func (w *wire) receive(v any, limit int64) (data []byte, files []*os.File, err error) {
	var n, r, flags int
	err = w.waited(false, func() (err error) {
		n, r, flags, _, err = unix.Recvmsg(w.fd, w.in, w.rights, unix.MSG_CMSG_CLOEXEC)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if files, err = filesOf(w.rights[:r]); err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			closeAll(files)
			files = nil
		}
	}()
	if n < 4 || flags&(unix.MSG_TRUNC|unix.MSG_CTRUNC) != 0 {
		if n == 0 {
			return nil, files, io.EOF
		}
		return nil, files, errors.New("a packet is cut")
	}
	head, body, owned := binary.LittleEndian.Uint32(w.in), w.in[4:n], false
	if head&inMemory != 0 {
		if len(files) == 0 {
			return nil, files, errors.New("the memory of a packet is missing")
		}
		last := len(files) - 1
		body, err = readMemory(files[last], limit)
		files[last].Close()
		if files = files[:last]; err != nil {
			return nil, files, err
		}
		owned = true
	}
	size := int64(head &^ inMemory)
	if size > int64(len(body)) {
		return nil, files, errors.New("a packet is too short")
	}
	text := json.NewDecoder(bytes.NewReader(body[:size]))
	text.UseNumber()
	if err := text.Decode(v); err != nil {
		return nil, files, fmt.Errorf("reading a packet: %w", err)
	}
	if data = body[size:]; !owned {
		data = append([]byte(nil), data...)
	}
	return data, files, nil
}

// filesOf returns the descriptors of a packet.
func filesOf(rights []byte) (files []*os.File, err error) {
	if len(rights) == 0 {
		return nil, nil
	}
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		numbers, err := unix.ParseUnixRights(&m)
		if err != nil {
			continue
		}
		for _, fd := range numbers {
			files = append(files, os.NewFile(uintptr(fd), "picture"))
		}
	}
	return files, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
