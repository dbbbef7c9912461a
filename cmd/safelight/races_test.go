package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// roundsVariable says how often TestRaces makes each pair of changes; make test-races sets it.
const roundsVariable = "SAFELIGHT_TEST_ROUNDS"

// raceSite is two servers on one database and one storage.
type raceSite struct {
	*testing.T
	servers [2]*realServer
	tokens  [2]string
	store   storage.Store
	picture []byte // what is uploaded
}

// attempt is a change of files in a folder through one of the servers. It returns the code of the answer; empty: it was
// made.
type attempt func(r *raceSite, server int, folder string) fault.Code

// races are pairs of changes of which one is made, whatever the storage, because both want one name, or one file.
var races = []struct {
	name     string
	have     string // the files of the folder; each holds its name
	attempts [2]attempt
	loser    fault.Code
	// after are the contents when the first was made, and when the second was, sorted; U is the upload
	after [2]string
}{
	{
		"move x to z, move y to z",
		"x.png y.png",
		[2]attempt{move("x.png", "z.png"), move("y.png", "z.png")},
		fault.Conflict,
		[2]string{"x.png y.png", "x.png y.png"},
	},
	{
		"upload z, move v to z",
		"v.png",
		[2]attempt{upload("z.png"), move("v.png", "z.png")},
		fault.Conflict,
		[2]string{"U v.png", "v.png"},
	},
	{
		"upload z, copy x to z",
		"x.png",
		[2]attempt{upload("z.png"), copied("x.png", "z.png")},
		fault.Conflict,
		[2]string{"U x.png", "x.png x.png"},
	},
	{
		"move folders a and b to z",
		"a/1.png a/2.png a/3.png b/4.png b/5.png b/6.png",
		[2]attempt{move("a", "z"), move("b", "z")},
		fault.Conflict,
		[2]string{
			"a/1.png a/2.png a/3.png b/4.png b/5.png b/6.png",
			"a/1.png a/2.png a/3.png b/4.png b/5.png b/6.png",
		},
	},
	{
		"move w to two names",
		"w.png",
		[2]attempt{move("w.png", "1.png"), move("w.png", "2.png")},
		fault.NotFound,
		[2]string{"w.png", "w.png"},
	},
}

func move(from, to string) attempt   { return relocated(moveMutation, from, to) }
func copied(from, to string) attempt { return relocated(copyMutation, from, to) }

func relocated(mutation, from, to string) attempt {
	return func(r *raceSite, server int, folder string) fault.Code {
		body, _ := json.Marshal(
			map[string]any{"query": mutation, "variables": relocation(folder+"/"+from, folder+"/"+to)},
		)
		return r.code(r.servers[server].post("/api/graphql", string(body), r.tokens[server]))
	}
}

func upload(to string) attempt {
	return func(r *raceSite, server int, folder string) fault.Code {
		return r.code(r.servers[server].upload(r.tokens[server], folder+"/"+to, r.picture))
	}
}

// code returns the code of an answer of GraphQL: of the operation, of its payload, or of its only item.
func (r *raceSite) code(a reply) fault.Code {
	if m := answerCode.FindSubmatch(a.body); a.err == nil && m != nil {
		return fault.Code(m[1])
	}
	if a.err != nil || !bytes.HasPrefix(a.body, []byte(`{"data":`)) {
		return fault.Code(fmt.Sprintf("%v %s", a.err, a.body))
	}
	return ""
}

// TestRaces makes two changes at the same moment, one through each of two servers: one is made, the other is refused,
// no file is lost, and there is no second copy. In the end both servers list what the storage holds.
func TestRaces(t *testing.T) {
	needsPostgres(t)
	rounds := 20
	if testing.Short() {
		rounds = 10
	}
	if text := os.Getenv(roundsVariable); text != "" {
		var err error
		if rounds, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	for name, place := range map[string]func(*testing.T) string{
		"folder": func(t *testing.T) string { return "file://" + t.TempDir() },
		"s3":     emptyS3,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRaceSite(t, place(t))
			for i := range races {
				for round := range rounds {
					r.race(i, fmt.Sprintf("%d/%03d", i, round))
				}
				r.lists(fmt.Sprint(i))
			}
		})
	}
}

func newRaceSite(t *testing.T, place string) *raceSite {
	r := &raceSite{T: t}
	r.servers[0], r.servers[1], _ = twoServers(t, place)
	for i, s := range r.servers {
		r.tokens[i] = s.login()
	}
	var b bytes.Buffer
	picture := image.NewGray(image.Rect(0, 0, 20, 20))
	picture.SetGray(1, 1, color.Gray{200})
	err := png.Encode(&b, picture)
	r.picture = b.Bytes()
	if err == nil {
		r.store, err = storage.Open(t.Context(), place)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.store.Close() })
	return r
}

// race makes one pair of changes in an empty folder.
func (r *raceSite) race(number int, folder string) {
	c := races[number]
	for _, name := range strings.Fields(c.have) {
		if _, err := r.store.Create(r.Context(), storage.Key(folder+"/"+name), strings.NewReader(name),
			storage.CreateOptions{}); err != nil {
			r.Fatal(err)
		}
	}
	start := make(chan struct{})
	var codes [2]fault.Code
	var wg sync.WaitGroup
	for i, change := range c.attempts {
		wg.Go(func() {
			<-start
			codes[i] = change(r, i, folder)
		})
	}
	close(start)
	wg.Wait()
	winner := slices.Index(codes[:], "")
	// a lock that a busy machine holds for too long is CONFLICT too
	if winner < 0 || codes[1-winner] != c.loser && codes[1-winner] != fault.Conflict {
		r.Errorf("%s: %q, expected one to be made and one %s", c.name, codes, c.loser)
		return
	}
	if got := r.contents(folder); got != c.after[winner] {
		r.Errorf("%s: number %d was made, and the files hold %q, expected %q", c.name, winner, got, c.after[winner])
	}
}

// contents returns what the files in a folder and below it hold.
func (r *raceSite) contents(folder string) string {
	var all []string
	for _, k := range r.files(folder) {
		o, err := r.store.Open(r.Context(), storage.Key(k))
		if err != nil {
			r.Fatal(err)
		}
		data, err := io.ReadAll(o)
		o.Close()
		if err != nil {
			r.Fatal(err)
		}
		if bytes.Equal(data, r.picture) {
			data = []byte("U")
		}
		all = append(all, string(data))
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// files returns the paths of the files that the storage has below a folder.
func (r *raceSite) files(folder string) (paths []string) {
	for e, err := range r.store.List(r.Context(), storage.Key(folder), storage.ListOptions{}) {
		switch {
		case err != nil:
			r.Fatal(err)
		case e.IsFolder:
			paths = append(paths, r.files(string(e.Key))...)
		default:
			paths = append(paths, string(e.Key))
		}
	}
	return paths
}

// lists waits until both servers list what the storage holds, in each folder below one.
func (r *raceSite) lists(below string) {
	have := map[string][]string{}
	for _, file := range r.files(below) {
		have[path.Dir(file)] = append(have[path.Dir(file)], file)
	}
	for folder, files := range have {
		slices.Sort(files)
		for i, s := range r.servers {
			s.until(fmt.Sprintf("server %d lists %v", i, files), func() bool {
				var listed []string
				for _, e := range s.ask(r.tokens[i],
					fmt.Sprintf(`{ files(folder: %q) { edges { node { path } } } }`, folder), "files", "edges").([]any) {
					listed = append(listed, e.(map[string]any)["node"].(map[string]any)["path"].(string))
				}
				slices.Sort(listed)
				return slices.Equal(listed, files)
			})
		}
	}
}
