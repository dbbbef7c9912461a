package gallery_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"entgo.io/ent/dialect"
	"github.com/anishathalye/porcupine"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/storage"
	"github.com/safelight/safelight/uploads"
)

// historyVariable is the environment variable with the number of operations that TestHistory records for each
// storage.
const historyVariable = "SAFELIGHT_TEST_HISTORY"

const (
	historyNames   = 3  // files that the clients of a folder use
	historyClients = 4  // clients per folder
	historySteps   = 10 // steps per client in a folder
)

// operation is a request of a client: create, replace, move, delete or read. A move in a bucket counts as two
// operations, copy and drop, between which the file can be read at both names.
type operation struct {
	folder   int
	what     string
	from, to int   // indexes of the names; only a move uses to
	content  int64 // content of the new file; the number of a move
}

// answer is the result of an operation.
type answer struct {
	code    fault.Code
	busy    bool  // rejected because of another change: nothing was done, in any state of the files
	content int64 // content that was read
}

// files is the state of a folder.
type files struct {
	holds  [historyNames]int64 // content of each name; 0 if the file does not exist
	moving [historyNames]int64 // number of the move that has copied this name and not deleted it yet; 0 if there is none
}

// after returns the state after an operation, and whether the answer is correct for the previous state.
func (f files) after(o operation, a answer) (files, bool) {
	if a.busy {
		return f, true
	}
	exists := f.holds[o.from] != 0
	isFree := f.moving[o.from] == 0 // for a change, which waits for the end of a move
	switch o.what {
	case "create":
		if a.code != "" {
			return f, a.code == fault.Conflict && exists
		}
		f.holds[o.from] = o.content
		return f, !exists && isFree
	case "replace":
		f.holds[o.from] = o.content
		return f, a.code == "" && isFree
	case "move", "copy":
		if a.code != "" {
			return f, a.code == fault.NotFound && !exists || a.code == fault.Conflict && f.holds[o.to] != 0
		}
		ok := exists && f.holds[o.to] == 0 && isFree && f.moving[o.to] == 0
		f.holds[o.to] = f.holds[o.from]
		if o.what == "move" {
			f.holds[o.from] = 0
		} else {
			f.moving[o.from], f.moving[o.to] = o.content, o.content
		}
		return f, ok
	case "drop":
		ok := f.moving[o.from] == o.content
		f.holds[o.from], f.moving[o.from], f.moving[o.to] = 0, 0, 0
		return f, ok
	case "delete":
		if a.code != "" {
			return f, a.code == fault.NotFound && !exists
		}
		f.holds[o.from] = 0
		return f, exists && isFree
	}
	return f, a.code == "" && f.holds[o.from] == a.content && exists || a.code == fault.NotFound && !exists
}

var historyModel = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		folders := map[int][]porcupine.Operation{}
		for _, o := range history {
			n := o.Input.(operation).folder
			folders[n] = append(folders[n], o)
		}
		var all [][]porcupine.Operation
		for _, f := range folders {
			all = append(all, f)
		}
		return all
	},
	Init: func() any { return files{} },
	Step: func(state, input, output any) (bool, any) {
		next, ok := state.(files).after(input.(operation), output.(answer))
		return ok, next
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v: %+v", input, output) },
}

// TestHistoryModel checks that the linearizability check can fail.
func TestHistoryModel(t *testing.T) {
	create := operation{what: "create", content: 1}
	read := operation{what: "read"}
	moved := func(halves ...string) (history []porcupine.Operation) {
		history = append(history, porcupine.Operation{Input: create, Call: 1, Output: answer{}, Return: 2})
		for _, half := range halves {
			move := operation{what: half, to: 1, content: 2}
			history = append(history, porcupine.Operation{Input: move, Call: 3, Output: answer{}, Return: 10})
		}
		return history
	}
	// reads at the new name and then at the old one
	before := porcupine.Operation{
		Input: operation{what: "read", from: 1}, Call: 4, Output: answer{content: 1}, Return: 5}
	after := porcupine.Operation{Input: read, Call: 6, Output: answer{content: 1}, Return: 9}
	late := porcupine.Operation{Input: read, Call: 11, Output: answer{content: 1}, Return: 12}
	for name, c := range map[string]struct {
		history []porcupine.Operation
		want    bool
	}{
		"in order": {[]porcupine.Operation{
			{Input: create, Call: 1, Output: answer{}, Return: 2},
			{Input: read, Call: 3, Output: answer{content: 1}, Return: 4}}, true},
		"lost": {[]porcupine.Operation{
			{Input: create, Call: 1, Output: answer{}, Return: 2},
			{Input: read, Call: 3, Output: answer{code: fault.NotFound}, Return: 4}}, false},
		"at once": {[]porcupine.Operation{
			{Input: create, Call: 1, Output: answer{}, Return: 4},
			{Input: read, Call: 2, Output: answer{code: fault.NotFound}, Return: 3}}, true},
		"created twice": {[]porcupine.Operation{
			{Input: create, Call: 1, Output: answer{}, Return: 3},
			{Input: create, Call: 2, Output: answer{}, Return: 4}}, false},
		"refused too far": {[]porcupine.Operation{
			{Input: create, Call: 1, Output: answer{code: fault.Conflict}, Return: 3}}, false},
		"moved, read at both names": {append(moved("move"), before, after), false},
		"moved in a bucket":         {append(moved("copy", "drop"), before, after), true},
		"moved and still there":     {append(moved("copy", "drop"), before, after, late), false},
		"replaced within a move": {append(moved("copy", "drop"), before, after, porcupine.Operation{
			Input: operation{what: "replace", from: 1, content: 3}, Call: 6, Output: answer{}, Return: 7},
			porcupine.Operation{Input: read, Call: 8, Output: answer{content: 1}, Return: 9}), false},
	} {
		if got := porcupine.CheckOperations(historyModel, c.history); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestHistory lets clients of two servers create, replace, move, delete and read a few files concurrently,
// and checks the history for linearizability: it looks for a sequential order of the operations that explains
// all answers.
func TestHistory(t *testing.T) {
	count := 800
	if testing.Short() {
		count = 400
	}
	if text := os.Getenv(historyVariable); text != "" {
		var err error
		count, err = strconv.Atoi(text)
		must(t, err)
	}
	for _, place := range []string{"files", "s3"} {
		t.Run(place, func(t *testing.T) {
			databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
				s := gallerytest.New(t, db, name, gallerytest.Config{})
				if place == "s3" {
					s.Store = historyBucket(t)
					s.Rules = s.Again()
				}
				servers := []*gallerytest.Rules{s.Rules}
				if name == dialect.Postgres {
					servers = append(servers, s.Again())
				}
				h := &history{T: t, servers: servers, inBucket: place == "s3", began: time.Now()}
				h.record(s.Someone(auth.RoleUser), count)
				t.Logf(
					"%d operations, %d refused because of another change, %d without an answer to judge",
					len(h.all), h.busy, h.dropped,
				)
				if !porcupine.CheckOperations(historyModel, h.all) {
					t.Error("no order of the operations explains the answers")
					h.explain()
				}
			})
		})
	}
}

func historyBucket(t *testing.T) storage.Store {
	t.Helper()
	bucket, query, _ := strings.Cut(os.Getenv(gallerytest.S3Variable), "?")
	if bucket == "" {
		t.Skip(gallerytest.S3Variable + " names no bucket: make test starts a server and sets it")
	}
	store, err := storage.Open(access.All(t.Context()), bucket+"/history-"+rand.Text()+"?"+query)
	must(t, err)
	t.Cleanup(func() { store.Close() })
	return store
}

// history records operations.
type history struct {
	*testing.T
	servers       []*gallerytest.Rules
	inBucket      bool
	began         time.Time
	mu            sync.Mutex
	all           []porcupine.Operation
	busy, dropped int
	serial        int64
}

// record runs count operations, four folders at a time.
func (h *history) record(ctx context.Context, count int) {
	folders := make(chan int)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for folder := range folders {
				var clients sync.WaitGroup
				for i := range historyClients {
					clients.Go(func() {
						for range historySteps {
							h.step(ctx, folder, i)
						}
					})
				}
				clients.Wait()
			}
		})
	}
	for folder := range max(1, count/(historyClients*historySteps)) {
		folders <- folder
	}
	close(folders)
	wg.Wait()
}

// step makes an operation through the server of a client and records it.
func (h *history) step(ctx context.Context, folder, client int) {
	h.mu.Lock()
	h.serial++
	o := operation{folder: folder, content: h.serial, from: mathrand.IntN(historyNames)}
	h.mu.Unlock()
	o.to = (o.from + 1 + mathrand.IntN(historyNames-1)) % historyNames
	o.what = []string{"create", "create", "replace", "move", "move", "delete", "read", "read"}[mathrand.IntN(8)]
	call := time.Since(h.began).Nanoseconds()
	content, err := o.do(ctx, h.servers[client%len(h.servers)])
	back := time.Since(h.began).Nanoseconds()
	a := answer{code: fault.CodeOf(err), content: content}
	a.busy = err != nil && fault.Of(err).RetryAfter > 0 && a.code == fault.Conflict
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case o.what == "read" && a.code == fault.Unavailable: // the file was replaced while it was read, which is reported
		h.dropped++
		return
	case a.busy:
		h.busy++
	}
	if a.code != "" && a.code != fault.Conflict && a.code != fault.NotFound {
		h.Errorf("%+v: %v", o, err)
	}
	all := []operation{o}
	if h.inBucket && o.what == "move" && err == nil {
		all = append(all, o)
		all[0].what, all[1].what = "copy", "drop"
	}
	for _, o := range all {
		h.all = append(h.all, porcupine.Operation{ClientId: client, Input: o, Call: call, Output: a, Return: back})
	}
}

// do runs an operation. content is what was read.
func (o operation) do(ctx context.Context, s *gallerytest.Rules) (content int64, err error) {
	name := func(n int) string { return fmt.Sprintf("h%d/%d.png", o.folder, n) }
	from := name(o.from)
	switch o.what {
	case "create", "replace":
		policy := gallery.ConflictError
		if o.what == "replace" {
			policy = gallery.ConflictReplace
		}
		_, err = s.AddFile(
			ctx,
			uploads.AddFileInput{Path: from, Content: strings.NewReader(body(o.content)), OnConflict: policy},
		)
		return 0, err
	case "move":
		return 0, s.MoveFile(ctx, from, name(o.to))
	case "delete":
		return 0, s.DeleteFile(ctx, from)
	}
	f, err := s.OpenImage(ctx, from)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		return 0, err
	}
	_, err = fmt.Sscanf(strings.TrimPrefix(string(b), png), "<%d>", &content)
	if err == nil && string(b) != body(content) {
		err = fmt.Errorf("%s is no whole file: %d bytes", from, len(b))
	}
	return content, err
}

// explain prints the folders whose history is not linearizable.
func (h *history) explain() {
	for _, part := range historyModel.Partition(h.all) {
		if porcupine.CheckOperations(historyModel, part) {
			continue
		}
		for _, o := range part {
			h.Logf(
				"client %d, %9.3f to %9.3f ms: %s", o.ClientId, float64(o.Call)/1e6, float64(o.Return)/1e6,
				historyModel.DescribeOperation(o.Input, o.Output),
			)
		}
	}
}
