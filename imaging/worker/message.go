//go:build linux

package worker

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// A message is one packet: the length of its JSON in four bytes, the JSON, and data. What is too large for a packet is in a
// memory file whose descriptor is sent along, the last of the packet's.
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
	kindCancel  = "cancel"
	kindRelease = "release"
)

// request goes to the worker.
type request struct {
	ID         uint64
	Kind       string
	Setup      *EngineConfig      `json:",omitempty"`
	Operations imaging.Operations // without Filters
	Filters    []byte             `json:",omitempty"` // JSON text would change what is not UTF-8
	Source     part               `json:",omitzero"`
	Layers     []part             `json:",omitempty"`
	Limits     imaging.Limits     `json:",omitzero"`
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
}

// response comes back. One of its results is set, or Fault.
type response struct {
	ID     uint64
	Fault  *wireFault      `json:",omitempty"`
	Result *wireResult     `json:",omitempty"`
	Info   *wireInfo       `json:",omitempty"`
	Header *imaging.Header `json:",omitempty"`
	Hello  *hello          `json:",omitempty"`
	CPU    time.Duration   // of the worker since its start
	Memory imaging.Memory
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

type wireResult struct {
	Format        imaging.Format
	Width, Height int
	Pages         int
	Warnings      []imaging.Warning
	Timing        imaging.Timing
}

type wireInfo struct {
	Info     json.RawMessage
	Warnings []imaging.Warning
}

// wire sends and receives messages over a socket of packets. One goroutine may receive; several may send.
type wire struct {
	conn   *net.UnixConn
	mu     sync.Mutex
	out    []byte
	in     []byte
	rights []byte
}

func newWire(f *os.File) (*wire, error) {
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	conn, ok := c.(*net.UnixConn)
	if !ok {
		c.Close()
		return nil, errors.New("the descriptor is not a socket of packets")
	}
	return &wire{conn: conn, in: make([]byte, maxInline+4), rights: make([]byte, unix.CmsgSpace(4*(maxFiles+1)))}, nil
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
	_, _, err = w.conn.WriteMsgUnix(w.out, rights, nil)
	return err
}

// receive fills v and returns the data and the descriptors, which are the caller's to close. Data in memory files may have limit bytes.
func (w *wire) receive(v any, limit int64) (data []byte, files []*os.File, err error) {
	n, r, flags, _, err := w.conn.ReadMsgUnix(w.in, w.rights)
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
	if err := json.Unmarshal(body[:size], v); err != nil {
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
			files = append(files, os.NewFile(uintptr(fd), "received"))
		}
	}
	return files, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
