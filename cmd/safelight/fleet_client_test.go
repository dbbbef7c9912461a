package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io"
	"maps"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/safelight/safelight/fault"
)

// outcome is what a client knows of a change that it asked for.
type outcome int

const (
	wasMade    outcome = iota // acknowledged
	wasRefused                // an answer says that nothing was changed
	notKnown                  // no answer, or one that leaves it open
)

// fleetFile is what a client has stored.
type fleetFile struct {
	sum   string // fingerprint
	shade uint8  // of the first pixel
}

// fleetDoubt is a change with an unknown outcome: the files match exactly one of the states.
type fleetDoubt struct {
	doing  string
	states []map[string]fleetFile
}

// fleetClient works in its own folder, sends one request at a time, and knows what the folder must contain.
type fleetClient struct {
	site   *fleetSite
	folder string
	sure   map[string]fleetFile
	doubts []fleetDoubt
	serial int
	counts [3]int // of outcomes
	reads  int
}

var (
	answerCode = regexp.MustCompile(`"code":"([A-Z_]+)"`)
	// the kinds of errors that docs/guides/scaling.md allows while something is down, and what they say
	fleetCodes = map[fault.Code]outcome{
		fault.Conflict:    wasRefused,
		fault.RateLimited: wasRefused,
		fault.Overloaded:  wasRefused,
		fault.Unavailable: notKnown,
		fault.Timeout:     notKnown,
		fault.Canceled:    notKnown,
	}
)

// judge says what an answer means.
func (c *fleetClient) judge(doing string, r reply) outcome {
	switch {
	case r.err != nil, r.status == http.StatusBadGateway:
		c.site.tally("no answer")
		return notKnown
	case r.status == http.StatusServiceUnavailable && r.header.Get("X-Server") == "":
		c.site.tally("no server is ready")
		return wasRefused
	}
	if m := answerCode.FindSubmatch(r.body); m != nil {
		c.site.tally(string(m[1]))
		o, documented := fleetCodes[fault.Code(m[1])]
		if !documented {
			c.site.Errorf("server %s: %s: %d %s", r.header.Get("X-Server"), doing, r.status, r.body)
			return notKnown
		}
		return o
	}
	if r.status != http.StatusOK {
		c.site.Errorf("server %s: %s: %d %s", r.header.Get("X-Server"), doing, r.status, r.body)
		return notKnown
	}
	return wasMade
}

// change makes a change that takes all files of from to those of to; from stays what it is if keep.
func (c *fleetClient) change(doing string, from, to map[string]fleetFile, keep bool, request func() reply) outcome {
	o := c.judge(doing, request())
	c.counts[o]++
	switch {
	case o == wasRefused:
		return o
	case !keep:
		for path := range from {
			delete(c.sure, path)
		}
	}
	if o == wasMade {
		c.site.changed.Add(1)
		maps.Copy(c.sure, to)
		return o
	}
	if keep {
		from = nil
	}
	c.doubts = append(c.doubts, fleetDoubt{doing, []map[string]fleetFile{from, to}})
	return o
}

func (c *fleetClient) post(query string, variables map[string]any) reply {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return reply{err: err}
	}
	return c.send("application/json", body)
}

func (c *fleetClient) send(kind string, body []byte) reply {
	r, err := http.NewRequestWithContext(
		c.site.Context(), http.MethodPost, c.site.balancer.URL+"/api/graphql", bytes.NewReader(body),
	)
	if err != nil {
		return reply{err: err}
	}
	r.Header = http.Header{"Content-Type": {kind}, "Authorization": {"Bearer " + c.site.token}}
	return c.do(r)
}

func (c *fleetClient) do(r *http.Request) reply {
	answer, err := c.site.client.Do(r)
	if err != nil {
		return reply{err: err}
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return reply{status: answer.StatusCode, header: answer.Header, body: body, err: err}
}

// add uploads a new picture in one request.
func (c *fleetClient) add(path, policy string) (fleetFile, func() reply) {
	shade := uint8(rand.IntN(256))
	data := picture(c.site.T, 20+rand.IntN(300), 20+rand.IntN(200), shade)
	return fleetFile{fingerprint(data), shade}, func() reply {
		var b bytes.Buffer
		form := multipart.NewWriter(&b)
		operations, err := json.Marshal(map[string]any{
			"query":     `mutation ($i: AddFileInput!) { addFile(input: $i) { file { path } userErrors { code message } } }`,
			"variables": map[string]any{"i": map[string]any{"path": path, "onConflict": policy, "content": nil}},
		})
		err = errors.Join(
			err, form.WriteField("operations", string(operations)),
			form.WriteField("map", `{"0": ["variables.i.content"]}`),
		)
		if err == nil {
			var part io.Writer
			if part, err = form.CreateFormFile("0", "a.png"); err == nil {
				_, err = part.Write(data)
			}
		}
		if err = errors.Join(err, form.Close()); err != nil {
			return reply{err: err}
		}
		return c.send(form.FormDataContentType(), b.Bytes())
	}
}

func (c *fleetClient) create(path string) outcome {
	f, request := c.add(path, "ERROR")
	return c.change("add "+path, nil, map[string]fleetFile{path: f}, true, request)
}

// files returns the known files at a path or below it, and where they are after a move to another.
func (c *fleetClient) files(path, to string) (from, moved map[string]fleetFile) {
	from, moved = map[string]fleetFile{}, map[string]fleetFile{}
	for p, f := range c.sure {
		if rest, ok := strings.CutPrefix(p, path); ok && (rest == "" || rest[0] == '/') {
			from[p], moved[to+rest] = f, f
		}
	}
	return from, moved
}

func (c *fleetClient) relocate(mutation, from, to string) outcome {
	files, moved := c.files(from, to)
	keep := mutation == copyMutation
	doing := "move "
	if keep {
		doing = "copy "
	}
	return c.change(doing+from+" "+to, files, moved, keep, func() reply {
		return c.post(mutation, relocation(from, to))
	})
}

func (c *fleetClient) remove(path string) outcome {
	files, _ := c.files(path, path)
	return c.change("delete "+path, files, nil, false, func() reply {
		return c.post(deleteMutation, map[string]any{"paths": []string{path}})
	})
}

// read asks for a picture of a file: that of its last content.
func (c *fleetClient) read(path string) {
	want := c.sure[path]
	r, err := http.NewRequestWithContext(
		c.site.Context(), http.MethodGet,
		c.site.balancer.URL+c.site.servers[0].signed("filters:format(png)/"+path), nil,
	)
	if err != nil {
		c.site.Error(err)
		return
	}
	answer := c.do(r)
	switch {
	case answer.err != nil,
		slices.Contains([]int{http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
			http.StatusTooManyRequests}, answer.status):
		return
	case answer.status != http.StatusOK:
		c.site.Errorf("server %s: reading %s: %d %s", answer.header.Get("X-Server"), path, answer.status, answer.body)
		return
	}
	m, err := png.Decode(bytes.NewReader(answer.body))
	if err != nil {
		c.site.Errorf("reading %s: %v", path, err)
		return
	}
	c.reads++
	if got, _, _, _ := m.At(m.Bounds().Min.X, m.Bounds().Min.Y).RGBA(); uint8(got>>8) != want.shade {
		c.site.Errorf(
			"server %s: %s is of shade %d, expected %d: an older picture", answer.header.Get("X-Server"),
			path, got>>8, want.shade,
		)
	}
}

// any returns a file that is in no folder below the client's; empty if there are few.
func (c *fleetClient) any() string {
	n := 0
	found := ""
	for path := range c.sure {
		if strings.Count(path, "/") == 1 {
			n++
			found = path
		}
	}
	if n < 5 {
		return ""
	}
	return found
}

func (c *fleetClient) step() outcome {
	c.serial++
	fresh, old := fmt.Sprintf("%s/%d.png", c.folder, c.serial), c.any()
	if old == "" {
		return c.create(fresh)
	}
	switch rand.IntN(14) {
	case 0:
		return c.create(fresh)
	case 1:
		f, request := c.add(old, "REPLACE")
		return c.change(
			"replace "+old, map[string]fleetFile{old: c.sure[old]}, map[string]fleetFile{old: f}, false,
			request,
		)
	case 2, 3:
		return c.relocate(moveMutation, old, fresh)
	case 4:
		return c.relocate(copyMutation, old, fresh)
	case 5:
		return c.remove(old)
	case 6:
		c.folders()
	case 7:
		c.claim()
	case 8, 9:
		c.duel()
	default:
		c.read(old)
	}
	return wasMade
}

// folders makes a folder of files, copies and moves it, and deletes it.
func (c *fleetClient) folders() {
	one := fmt.Sprintf("%s/d%d", c.folder, c.serial)
	for i := range 3 {
		if c.create(fmt.Sprintf("%s/%d.png", one, i)) != wasMade {
			return
		}
	}
	two, three := one+"-copy", one+"-moved"
	if c.relocate(copyMutation, one, two) == wasMade && c.relocate(moveMutation, two, three) == wasMade &&
		c.remove(one) == wasMade {
		c.remove(three)
	}
}

// claim wants a name that other clients want.
func (c *fleetClient) claim() {
	path := fmt.Sprintf("shared/%d.png", c.serial/8)
	f, request := c.add(path, "ERROR")
	o := c.judge("claim "+path, request())
	c.counts[o]++
	c.site.claimed(path, f, o)
}

// duelRounds is how often a file of a duel is moved.
const duelRounds = 5

// duel moves a file to two names at once, by two requests that the balancer gives to two servers, again and again: each
// time it gets one of them. No storage but a file system decides that by itself: the lock of paths does.
func (c *fleetClient) duel() {
	at := fmt.Sprintf("%s/duel%d/0.png", c.folder, c.serial)
	if c.create(at) != wasMade {
		return
	}
	for round := range duelRounds {
		var names [2]string
		var replies [2]reply
		var wg sync.WaitGroup
		for i := range names {
			names[i] = fmt.Sprintf("%s/duel%d/%d%c.png", c.folder, c.serial, round+1, 'a'+i)
			wg.Go(func() {
				replies[i] = c.post(moveMutation, relocation(at, names[i]))
			})
		}
		wg.Wait()
		if at = c.settled(at, names, [2]outcome{c.fought(at, replies[0]), c.fought(at, replies[1])}); at == "" {
			return
		}
	}
}

// fought is judge for a move whose file another move may have taken.
func (c *fleetClient) fought(path string, r reply) outcome {
	if m := answerCode.FindSubmatch(r.body); r.err == nil && m != nil && fault.Code(m[1]) == fault.NotFound {
		c.counts[wasRefused]++
		return wasRefused
	}
	o := c.judge("move "+path+" to two names", r)
	c.counts[o]++
	return o
}

// settled notes where a file is after it was moved to two names, and returns its path; empty if that is unknown.
func (c *fleetClient) settled(from string, names [2]string, outcomes [2]outcome) string {
	f := c.sure[from]
	i := slices.Index(outcomes[:], wasMade)
	switch {
	case outcomes == [2]outcome{wasMade, wasMade}:
		c.site.Errorf("%s was moved to %s and to %s, and both were acknowledged", from, names[0], names[1])
		return ""
	case outcomes == [2]outcome{wasRefused, wasRefused}:
		return from
	case i < 0:
		delete(c.sure, from)
		c.doubts = append(c.doubts, fleetDoubt{
			"move " + from + " to two names",
			[]map[string]fleetFile{{from: f}, {names[0]: f}, {names[1]: f}},
		})
		return ""
	}
	c.site.changed.Add(1)
	delete(c.sure, from)
	c.sure[names[i]] = f
	return names[i]
}

// work makes changes until stop is closed; after one that failed it waits, as a client does.
func (c *fleetClient) work(stop <-chan struct{}) {
	for !c.site.Failed() {
		pause := time.Duration(0)
		if c.step() != wasMade {
			pause = 200 * time.Millisecond
		}
		select {
		case <-stop:
			return
		case <-c.site.Context().Done():
			return
		case <-time.After(pause):
		}
	}
}
