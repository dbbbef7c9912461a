package relocate

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"

	"github.com/safelight/safelight/storage"
)

// record is a line of the journal: a file that was copied and verified. A record without an ETag is a file
// that was removed again.
type record struct {
	Key     storage.Key `json:"key"`
	Size    int64       `json:"size"`
	ETag    string      `json:"etag"` // in the old storage
	NewETag string      `json:"newEtag"`
	SHA256  string      `json:"sha256,omitempty"`
}

// header is the first line of the journal.
type header struct {
	To string `json:"to"`
}

// journal records what was copied. It is safe for concurrent use.
type journal struct {
	mu     sync.Mutex
	file   *os.File
	copied map[storage.Key]*record
}

// openJournal opens the journal of an interrupted move. Without one, the target must be empty.
func (m *move) openJournal(ctx context.Context) (*journal, error) {
	f, err := os.OpenFile(m.Journal, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the journal: %w", err)
	}
	j := &journal{file: f, copied: map[storage.Key]*record{}}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, errors.New("another move of the files is running")
	}
	to, err := j.read()
	switch {
	case err != nil:
	case to == "":
		if err = m.isEmpty(ctx); err == nil {
			err = j.write(header{m.Place})
		}
		if err != nil {
			err = errors.Join(err, os.Remove(m.Journal))
		}
	case to != m.Place:
		err = fmt.Errorf("a move to %s was begun: complete it, or delete %s and what is in that storage", to, m.Journal)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return j, nil
}

func (m *move) isEmpty(ctx context.Context) error {
	for e, err := range m.To.List(ctx, "", storage.ListOptions{ShowHidden: true}) {
		if err == nil {
			err = fmt.Errorf("the new storage is not empty: it has %s", e.Key)
		}
		return err
	}
	return nil
}

// read reads the lines, and truncates an incomplete line that a crash has left. to is empty for a new
// journal.
func (j *journal) read() (to string, err error) {
	var whole int64
	for lines := bufio.NewReader(j.file); ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", fmt.Errorf("reading the journal: %w", err)
		}
		whole += int64(len(line))
		if to == "" {
			var h header
			if err := json.Unmarshal(line, &h); err != nil || h.To == "" {
				return "", fmt.Errorf("%s is not the journal of a move: move it away", j.file.Name())
			}
			to = h.To
			continue
		}
		r := &record{}
		if err := json.Unmarshal(line, r); err != nil {
			return "", fmt.Errorf("the journal %s is damaged: %w", j.file.Name(), err)
		}
		r.SHA256 = "" // not needed, and saves memory for a million files
		j.copied[r.Key] = r
		if r.ETag == "" {
			delete(j.copied, r.Key)
		}
	}
	if err := j.file.Truncate(whole); err != nil {
		return "", err
	}
	_, err = j.file.Seek(whole, io.SeekStart)
	return to, err
}

func (j *journal) find(k storage.Key) *record {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.copied[k]
}

// has reports whether this version of a source file was copied.
func (j *journal) has(st storage.Stat) bool {
	r := j.find(st.Key)
	return r != nil && r.ETag == st.ETag && r.Size == st.Size
}

// wrote reports whether a target file is unchanged since it was copied.
func (j *journal) wrote(st storage.Stat) bool {
	r := j.find(st.Key)
	return r != nil && r.NewETag == st.ETag && r.Size == st.Size
}

// add records a file that was copied.
func (j *journal) add(r *record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.write(r); err != nil {
		return err
	}
	r.SHA256 = ""
	j.copied[r.Key] = r
	return nil
}

// forget records a file that was removed again.
func (j *journal) forget(k storage.Key) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.copied, k)
	return j.write(record{Key: k})
}

func (j *journal) write(line any) error {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(line); err != nil {
		return err
	}
	if _, err := j.file.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the journal: %w", err)
	}
	return nil
}

func (j *journal) close() { j.file.Close() }

func (j *journal) remove() error { return os.Remove(j.file.Name()) }
