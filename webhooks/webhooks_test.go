package webhooks_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/webhookdelivery"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/uploads"
	"github.com/safelight/safelight/webhooks"
	"github.com/safelight/safelight/webhooks/outbox"
)

var must = gallerytest.Must

// local are the networks of the receivers in tests.
var local = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// got is a message that a receiver received.
type got struct {
	id       string
	kind     string
	sequence int
	data     map[string]any
	header   http.Header
	body     []byte
}

// receiver is a server for messages. answer returns the status; nil: 204.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	all    []got
	answer func(got) int
}

func receive(t *testing.T, answer func(got) int) *receiver {
	t.Helper()
	r := &receiver{answer: answer}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	var m struct {
		Type     string
		Sequence int
		Data     map[string]any
	}
	if err == nil {
		err = json.Unmarshal(body, &m)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	g := got{request.Header.Get("webhook-id"), m.Type, m.Sequence, m.Data, request.Header, body}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, g)
	code := http.StatusNoContent
	if r.answer != nil {
		code = r.answer(g)
	}
	if code >= 300 && code < 400 {
		w.Header().Set("Location", g.header.Get("Test-Location"))
	}
	w.WriteHeader(code)
}

// messages returns the received messages as "type path".
func (r *receiver) messages() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]string, len(r.all))
	for i, g := range r.all {
		list[i] = g.kind
		if p, ok := g.data["path"].(string); ok {
			list[i] += " " + p
		}
	}
	return list
}

func (r *receiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.all)
}

type stage struct{ *gallerytest.Stage }

func newStage(t *testing.T, pool *sql.DB, name string, c gallerytest.Config) *stage {
	t.Helper()
	if c.Webhooks.AllowPrivate == nil {
		c.Webhooks.AllowPrivate = local
	}
	c.Gallery.Trash = true
	return &stage{gallerytest.New(t, pool, name, c)}
}

// hook registers a webhook and returns it with its secret.
func (s *stage) hook(url string, in webhooks.Input) (*ent.Webhook, string) {
	s.Helper()
	name := "hook"
	in.Name, in.URL = &name, &url
	w, secret, err := s.Webhooks.Create(s.Context(), in)
	s.Must(err)
	return w, secret
}

// run delivers events until the test ends.
func (s *stage) run() {
	ctx, stop := context.WithCancel(s.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Webhooks.Run(ctx)
	}()
	s.Cleanup(func() {
		stop()
		<-done
	})
}

// until waits for a result of Run. The timeout of go test stops the test if it never occurs.
func (s *stage) until(what string, holds func() bool) {
	s.Helper()
	s.Logf("waiting until %s", what)
	for !holds() {
		time.Sleep(10 * time.Millisecond)
	}
}

func (s *stage) deliveries(w *ent.Webhook, state webhookdelivery.State) []*ent.WebhookDelivery {
	s.Helper()
	p, err := s.Webhooks.Deliveries(s.Context(), w.ID, state, 100, "")
	s.Must(err)
	return p.Items
}

func (s *stage) file(path, content string) {
	s.Helper()
	_, err := s.Uploads.AddFile(s.Context(), uploads.AddFileInput{
		Path: path, Content: strings.NewReader(content), OnConflict: gallery.ConflictError,
	})
	s.Must(err)
}

// TestEvents makes every kind of change and verifies the messages like a receiver.
func TestEvents(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		s := newStage(t, pool, name, gallerytest.Config{})
		r := receive(t, nil)
		_, secret := s.hook(r.URL+"/in?key=1", webhooks.Input{})
		admin := s.As(s.Person("ada", auth.RoleAdmin))

		s.file("a/one.png", gallerytest.PNG)
		tags := []string{"x"}
		_, err := s.UpdateFile(admin, gallery.UpdateFileInput{Path: "a/one.png", Tags: &tags})
		s.Must(err)
		s.Must(s.CreateFolder(admin, "b"))
		s.Must(s.MoveFile(admin, "a/one.png", "b/two.png"))
		s.Must(s.CopyFile(admin, "b/two.png", "b/three.png"))
		trashed, err := s.TrashFile(admin, "b/two.png")
		s.Must(err)
		_, err = s.RestoreFile(admin, trashed.ID, gallery.ConflictError)
		s.Must(err)
		trashed, err = s.TrashFile(admin, "b")
		s.Must(err)
		s.Must(s.PurgeFile(admin, trashed.ID))
		s.Must(s.RemoveFile(admin, "a"))
		_, err = s.TrashFile(admin, "none.png")
		gallerytest.Want(t, err, fault.NotFound, "trashing what does not exist")
		user := s.Person("bob", auth.RoleUser)
		s.Must(s.DeactivateAccount(admin, &user.User.ID))
		s.Must(s.DeleteUser(admin, user.User.ID))

		want := []string{
			"account.created", "file.created a/one.png", "upload.finished a/one.png", "file.changed a/one.png",
			"file.created b", "file.moved b/two.png", "file.created b/three.png", "file.trashed b/two.png",
			"file.restored b/two.png", "file.trashed b", "file.purged b", "file.deleted a", "account.created",
			"account.deactivated", "account.deleted",
		}
		s.run()
		s.until("all arrived", func() bool { return r.count() >= len(want) })
		slices.SortFunc(r.all, func(a, b got) int { return a.sequence - b.sequence })
		if all := r.messages(); !slices.Equal(all, want) {
			t.Fatalf("got\n%s\nexpected\n%s", strings.Join(all, "\n"), strings.Join(want, "\n"))
		}
		verifier, err := standardwebhooks.NewWebhook(secret)
		s.Must(err)
		for _, g := range r.all {
			if err := verifier.Verify(g.body, g.header); err != nil {
				t.Errorf("%s: %v", g.kind, err)
			}
			if g.header.Get("Content-Type") != "application/json" || g.data["actor"] == nil && g.kind == "file.moved" {
				t.Errorf("%v %s", g.header, g.body)
			}
		}
		moved, folder := r.all[5].data, r.all[9].data
		if moved["previousPath"] != "a/one.png" || moved["isDirectory"] != false || folder["isDirectory"] != true {
			t.Errorf("moved %v, folder %v", moved, folder)
		}
		if after, _ := r.all[12].data["after"].(map[string]any); after["username"] != "bob" {
			t.Errorf("account: %v", r.all[12].data)
		}
		r.all[0].body[0] = ' '
		if verifier.Verify(r.all[0].body, r.all[0].header) == nil {
			t.Error("a changed body is accepted: the test cannot fail")
		}
	})
}

// TestSelection checks that a webhook only receives the events that it selects.
func TestSelection(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		s := newStage(t, pool, name, gallerytest.Config{})
		all, folder, moves, off := receive(t, nil), receive(t, nil), receive(t, nil), receive(t, nil)
		in, no := "in", false
		s.hook(all.URL, webhooks.Input{})
		s.hook(folder.URL, webhooks.Input{Folder: &in})
		s.hook(moves.URL, webhooks.Input{Events: []outbox.Type{outbox.FileMoved}})
		s.hook(off.URL, webhooks.Input{IsActive: &no})
		s.file("in/a.png", gallerytest.PNG)
		s.file("inside/b.png", gallerytest.PNG)
		s.Must(s.MoveFile(s.Context(), "in/a.png", "out/a.png"))
		s.Must(s.MoveFile(s.Context(), "out/a.png", "c.png"))
		s.Person("bob", auth.RoleUser)
		s.run()
		s.until("all arrived", func() bool {
			return all.count() == 7 && folder.count() == 3 && moves.count() == 2
		})
		got := folder.messages()
		if !slices.Equal(got, []string{"file.created in/a.png", "upload.finished in/a.png", "file.moved out/a.png"}) {
			t.Errorf("of the folder: %v", got)
		}
		if off.count() != 0 {
			t.Errorf("the inactive webhook got %v", off.messages())
		}
	})
}

// TestRollback checks that a transaction that is rolled back leaves no event.
func TestRollback(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		s := newStage(t, pool, name, gallerytest.Config{})
		w, _ := s.hook("http://127.0.0.1:1/", webhooks.Input{})
		for _, failure := range []error{errors.New("failed"), nil} {
			err := database.New(pool, name).Transact(s.Context(), func(tx *ent.Tx) error {
				e := audit.Event{Action: audit.ActionUserCreate, Target: "user:" + uuid.NewString()}
				return errors.Join(s.Audit.Record(s.Context(), tx, e), failure)
			})
			if (err == nil) != (failure == nil) {
				t.Fatal(err)
			}
		}
		if list := s.deliveries(w, ""); len(list) != 1 {
			t.Errorf("%d events, expected that of the second transaction", len(list))
		}
	})
}

// TestHealedChange makes half of a change, as a crash leaves it. Whoever completes the change must report it
// once.
func TestHealedChange(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		s := newStage(t, pool, name, gallerytest.Config{})
		s.file("a.png", gallerytest.PNG)
		s.file("b.png", gallerytest.PNG)
		s.file("c.png", gallerytest.PNG)
		w, _ := s.hook("http://127.0.0.1:1/", webhooks.Input{})
		for _, row := range []string{"'move', 'a.png', 'd.png'", "'delete', 'b.png', ''", "'delete', 'c.png', ''"} {
			_, err := pool.Exec("INSERT INTO intents (owner, seen, change, source, target) VALUES ('dead', 0, " + row +
				")")
			s.Must(err)
		}
		s.Must(s.Store.Move(s.Context(), "a.png", "d.png"))
		s.Must(s.Store.Delete(s.Context(), "b.png")) // but not c.png, because the server was killed before
		for range 2 {
			s.Must(s.Heal(s.Context(), s.Clock.Now()))
		}
		var got []string
		for _, d := range s.deliveries(w, "") {
			got = append(got, d.Event+" "+d.Source)
		}
		slices.Sort(got)
		if !slices.Equal(got, []string{"file.deleted file:b.png", "file.moved file:a.png"}) {
			t.Errorf("reported %v", got)
		}
	})
}

// TestOrderWithFailures rejects the first event of one file for a while. Later events of this file must wait,
// others must not.
func TestOrderWithFailures(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		var c gallerytest.Config
		c.Webhooks.RetryAfter(0)
		s := newStage(t, pool, name, c)
		refusals := 0
		r := receive(t, nil)
		r.answer = func(g got) int {
			if g.data["path"] == "a.png" && g.kind == "file.created" && (refusals < 3 || len(r.all) < 6) {
				refusals++
				return http.StatusServiceUnavailable
			}
			return http.StatusOK
		}
		w, _ := s.hook(r.URL, webhooks.Input{})
		s.file("a.png", gallerytest.PNG)
		s.file("b.png", gallerytest.PNG)
		s.Must(s.MoveFile(s.Context(), "a.png", "c.png"))
		s.Must(s.RemoveFile(s.Context(), "c.png"))
		s.run()
		s.until("all arrived", func() bool { return len(s.deliveries(w, webhookdelivery.StateDelivered)) == 6 })
		last := slices.Index(r.messages(), "upload.finished a.png")
		for i, g := range r.all {
			if g.kind == "file.created" && g.data["path"] == "a.png" && i > last {
				t.Errorf("a later event overtook: %v", r.messages())
			}
		}
		moved, deleted := slices.Index(r.messages(), "file.moved c.png"),
			slices.Index(r.messages(), "file.deleted c.png")
		if moved < last || deleted < moved || refusals < 3 {
			t.Errorf("after %d refusals: %v", refusals, r.messages())
		}
		first := s.deliveries(w, "")[5]
		if first.Attempts != refusals+1 || first.StatusCode != 200 || first.Problem != "" {
			t.Errorf("first: %+v", first)
		}
		ids := map[string]bool{}
		for _, g := range r.all {
			ids[g.id] = true
		}
		if len(ids) != 6 {
			t.Errorf("%d ids, expected 6", len(ids))
		}
	})
}

// TestDeadLetters checks that an event fails after the time for retries, and can be sent again on request.
func TestDeadLetters(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		var c gallerytest.Config
		c.Webhooks.RetryFor = time.Hour
		c.Webhooks.RetryAfter(2 * time.Hour)
		s := newStage(t, pool, name, c)
		code := http.StatusInternalServerError
		r := receive(t, nil)
		r.answer = func(got) int { return code }
		w, _ := s.hook(r.URL, webhooks.Input{Events: []outbox.Type{outbox.FileCreated, outbox.FileDeleted}})
		s.file("a.png", gallerytest.PNG)
		s.Must(s.RemoveFile(s.Context(), "a.png"))
		s.run()
		s.until("both failed", func() bool { return len(s.deliveries(w, webhookdelivery.StateFailed)) == 2 })
		first := s.deliveries(w, "")[1]
		if first.StatusCode != 500 || first.Problem != string(webhooks.ProblemStatus) || first.Attempts != 1 {
			t.Errorf("first: %+v", first)
		}
		r.mu.Lock()
		code = http.StatusOK
		r.mu.Unlock()
		again, err := s.Webhooks.Retry(s.Context(), first.ID)
		s.Must(err)
		if again.State != webhookdelivery.StatePending || again.Message != first.Message {
			t.Errorf("again: %+v", again)
		}
		s.until("it arrived", func() bool { return len(s.deliveries(w, webhookdelivery.StateDelivered)) == 1 })
		if r.all[0].id != r.all[2].id || len(s.deliveries(w, webhookdelivery.StateFailed)) != 1 {
			t.Errorf("%v", r.messages())
		}
		_, err = s.Webhooks.Retry(s.Context(), 1<<30)
		gallerytest.Want(t, err, fault.NotFound, "a delivery that does not exist")
	})
}

// TestGuard checks that no message is sent to a non-public address, through any name or redirect.
func TestGuard(t *testing.T) {
	pool := databasetest.SQLite(t)
	var c gallerytest.Config
	c.Webhooks.AllowPrivate = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	s := newStage(t, pool, "sqlite3", c)
	secret := receive(t, nil)
	port := secret.URL[strings.LastIndexByte(secret.URL, ':'):]
	redirecting := httptest.NewServer(http.RedirectHandler(secret.URL, http.StatusTemporaryRedirect))
	t.Cleanup(redirecting.Close)
	unknown := httptest.NewTLSServer(secret) // its certificate is from an unknown authority
	t.Cleanup(unknown.Close)
	for url, want := range map[string]webhooks.Problem{
		"http://127.0.0.2" + port:          webhooks.ProblemNotPublic,
		"http://[::ffff:127.0.0.2]" + port: webhooks.ProblemNotPublic,
		"http://169.254.169.254/latest":    webhooks.ProblemNotPublic,
		"http://[fd00:ec2::254]/":          webhooks.ProblemNotPublic,
		"http://0.0.0.0" + port:            webhooks.ProblemNotPublic,
		redirecting.URL:                    webhooks.ProblemStatus,
		unknown.URL:                        webhooks.ProblemCertificate,
		"http://127.0.0.1:1/":              webhooks.ProblemUnreachable,
		"http://no-such-name.invalid/":     webhooks.ProblemUnreachable,
	} {
		w, _ := s.hook(url, webhooks.Input{})
		d, err := s.Webhooks.Test(s.Context(), w.ID)
		s.Must(err)
		if d.Problem != string(want) || d.State != webhookdelivery.StateFailed {
			t.Errorf("%s: %s %d, expected %s", url, d.Problem, d.StatusCode, want)
		}
	}
	if n := secret.count(); n != 0 {
		t.Errorf("%d messages arrived, expected none", n)
	}
	w, _ := s.hook(secret.URL, webhooks.Input{})
	d, err := s.Webhooks.Test(s.Context(), w.ID)
	s.Must(err)
	if d.State != webhookdelivery.StateDelivered || d.StatusCode != http.StatusNoContent || secret.count() != 1 {
		t.Errorf("the test: %+v", d)
	}
}

// TestRefusedInput checks that invalid webhooks are rejected.
func TestRefusedInput(t *testing.T) {
	s := newStage(t, databasetest.SQLite(t), "sqlite3", gallerytest.Config{})
	for _, url := range []string{
		"", "example.com", "ftp://example.com/", "file:///etc/passwd", "https://", "https:///x",
		"https://u:p@example.com/",
		"https://example.com/#x", "https://example.com/\r\nX: y", "https://example.com/" + strings.Repeat("x", 2000),
	} {
		name := "x"
		_, _, err := s.Webhooks.Create(s.Context(), webhooks.Input{Name: &name, URL: &url})
		if f := fault.Of(err); f.Code != fault.Invalid || f.Field != "url" {
			t.Errorf("%q: %v", url, err)
		}
	}
	url := "https://example.com/"
	for _, name := range []string{"", " ", "a\nb", strings.Repeat("x", 101)} {
		_, _, err := s.Webhooks.Create(s.Context(), webhooks.Input{Name: &name, URL: &url})
		gallerytest.Want(t, err, fault.Invalid, name)
	}
	for range 50 {
		s.hook(url, webhooks.Input{})
	}
	name := "x"
	_, _, err := s.Webhooks.Create(s.Context(), webhooks.Input{Name: &name, URL: &url})
	gallerytest.Want(t, err, fault.Conflict, "one more than allowed")
}

// TestRotation checks that messages are signed with both secrets for a day.
func TestRotation(t *testing.T) {
	s := newStage(t, databasetest.SQLite(t), "sqlite3", gallerytest.Config{})
	s.Clock.Time = time.Now() // receivers compare the time
	r := receive(t, nil)
	w, old := s.hook(r.URL, webhooks.Input{})
	w, fresh, err := s.Webhooks.RotateSecret(s.Context(), w.ID)
	s.Must(err)
	verify := func(secret string) error {
		d, err := s.Webhooks.Test(s.Context(), w.ID)
		s.Must(err)
		if d.State != webhookdelivery.StateDelivered {
			t.Fatalf("the test: %+v", d)
		}
		v, err := standardwebhooks.NewWebhook(secret)
		s.Must(err)
		g := r.all[len(r.all)-1]
		return v.VerifyIgnoringTimestamp(g.body, g.header)
	}
	if err := errors.Join(verify(old), verify(fresh)); err != nil || old == fresh {
		t.Errorf("after the rotation: %v", err)
	}
	s.Clock.Time = s.Clock.Time.Add(25 * time.Hour)
	if verify(old) == nil || verify(fresh) != nil {
		t.Error("a day later the old secret is still used, or the new one is not")
	}
}

// TestSlowReceivers has seven webhooks that do not respond. Events of another one must still arrive, and each
// webhook must only use its share of the attempts.
func TestSlowReceivers(t *testing.T) {
	var c gallerytest.Config
	c.Webhooks.Timeout = time.Hour
	s := newStage(t, databasetest.SQLite(t), "sqlite3", c)
	var waiting atomic.Int32
	ended := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		waiting.Add(1)
		<-ended
	}))
	t.Cleanup(slow.Close)
	for range 7 {
		s.hook(slow.URL, webhooks.Input{})
	}
	for i := range 10 {
		s.file(fmt.Sprintf("%d.png", i), gallerytest.PNG)
	}
	s.run()
	t.Cleanup(func() { close(ended) })
	s.until("each slow one has its attempts", func() bool { return waiting.Load() >= 7*8 })
	r := receive(t, nil)
	s.hook(r.URL, webhooks.Input{})
	s.file("last.png", gallerytest.PNG)
	s.until("the other one got its events", func() bool { return r.count() == 2 })
	if n := waiting.Load(); n > 7*8 {
		t.Errorf("%d attempts of seven slow webhooks at a time, expected 56", n)
	}
}

// TestRetryOrder repeats an event between an older and a newer one of its file. The order must be preserved.
func TestRetryOrder(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		s := newStage(t, pool, name, gallerytest.Config{})
		w, _ := s.hook("https://example.com/", webhooks.Input{})
		client := s.Webhooks.Client()
		now := s.Clock.Now()
		add := func(state webhookdelivery.State, wait time.Duration) int {
			d, err := client.WebhookDelivery.Create().
				SetWebhookID(w.ID).SetMessage("m").SetEvent("file.changed").SetSource("file:a.png").SetState(state).
				SetData("{}").SetCreatedAt(now).SetQueuedAt(now).SetNextAt(now.Add(wait)).Save(t.Context())
			s.Must(err)
			return d.ID
		}
		older := add(webhookdelivery.StatePending, time.Minute)
		failed := add(webhookdelivery.StateFailed, 0)
		newer := add(webhookdelivery.StatePending, 0)
		_, err := s.Webhooks.Retry(s.Context(), failed)
		s.Must(err)
		for _, next := range []int{older, failed, newer} {
			if due, err := s.Webhooks.Due(t.Context(), w.ID); err != nil || next == older && len(due) != 0 {
				t.Errorf("%d due, %v, while the oldest waits", len(due), err)
			}
			s.Clock.Time = s.Clock.Time.Add(time.Minute)
			due, err := s.Webhooks.Due(t.Context(), w.ID)
			if err != nil || len(due) != 1 || due[0].ID != next {
				t.Fatalf("%v, %v are due, expected %d", due, err, next)
			}
			s.Must(client.WebhookDelivery.UpdateOneID(next).SetState(webhookdelivery.StateDelivered).Exec(t.Context()))
		}
	})
}

// TestCheckSecrets checks that the error names the webhooks whose secrets were encrypted with another key
// file.
func TestCheckSecrets(t *testing.T) {
	s := newStage(t, databasetest.SQLite(t), "sqlite3", gallerytest.Config{})
	db := database.New(s.Pool, "sqlite3")
	s.Must(webhooks.CheckSecrets(t.Context(), db, s.Keys))
	w, _ := s.hook("https://example.com/", webhooks.Input{})
	s.Must(webhooks.CheckSecrets(t.Context(), db, s.Keys))
	other, err := auth.OpenKeyring(auth.KeyringConfig{
		File: filepath.Join(t.TempDir(), "keys.json"), Issuer: "i", Audience: "a", Lifetime: time.Hour,
	})
	s.Must(err)
	if err := webhooks.CheckSecrets(t.Context(), db, other); err == nil || !strings.Contains(err.Error(), "1 of 1") ||
		!strings.Contains(err.Error(), w.Name) {
		t.Errorf("with other keys: %v", err)
	}
	no := false
	_, err = s.Webhooks.Update(t.Context(), w.ID, webhooks.Input{IsActive: &no})
	s.Must(err)
	s.Must(webhooks.CheckSecrets(t.Context(), db, other))
}

// TestGone checks that a webhook whose receiver responds with 410 is deactivated, and that an admin can
// activate it again.
func TestGone(t *testing.T) {
	s := newStage(t, databasetest.SQLite(t), "sqlite3", gallerytest.Config{})
	r := receive(t, func(got) int { return http.StatusGone })
	w, _ := s.hook(r.URL, webhooks.Input{})
	s.file("a.png", gallerytest.PNG)
	s.run()
	s.until("the webhook is gone", func() bool {
		w, err := s.Webhooks.Webhook(s.Context(), w.ID)
		s.Must(err)
		return w.IsGone && !w.IsActive
	})
	s.file("b.png", gallerytest.PNG)
	if n := len(s.deliveries(w, "")); n != 2 {
		t.Errorf("%d events, expected those of the first file", n)
	}
	yes := true
	w, err := s.Webhooks.Update(s.Context(), w.ID, webhooks.Input{IsActive: &yes})
	if err != nil || w.IsGone || !w.IsActive {
		t.Errorf("again: %+v, %v", w, err)
	}
}

// TestInOrder checks which events may be sent concurrently.
func TestInOrder(t *testing.T) {
	now := time.Now()
	var rows []*ent.WebhookDelivery
	add := func(source, target string, next time.Time) {
		rows = append(rows, &ent.WebhookDelivery{ID: len(rows) + 1, Source: source, Target: target, NextAt: next})
	}
	add("file:a/b", "", now)                // 1
	add("file:a/b", "", now)                // waits for 1
	add("file:a", "file:.trash/a", now)     // has the same path as 1
	add("file:a2", "", now)                 // 4
	add("file:.trash/a/x", "", now)         // below the target of 3
	add("user:1", "", now.Add(time.Second)) // too early
	add("user:1", "", now)                  // waits for 6
	add("user:2", "", now)                  // 8
	add("file:c", "file:a2/d", now)         // below 4
	add("file:c", "", now)                  // waits for 9
	var got []int
	for _, d := range webhooks.InOrder(rows, now, 10) {
		got = append(got, d.ID)
	}
	if !slices.Equal(got, []int{1, 4, 8}) {
		t.Errorf("got %v, expected 1, 4, 8", got)
	}
	if n := len(webhooks.InOrder(rows, now, 2)); n != 2 {
		t.Errorf("%d, expected 2", n)
	}
}

// TestDueBehindRetries checks that an event is sent although more than a thousand earlier ones wait for a
// retry.
func TestDueBehindRetries(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, pool *sql.DB, name string) {
		s := newStage(t, pool, name, gallerytest.Config{})
		w, _ := s.hook("https://example.com/", webhooks.Input{})
		client := s.Webhooks.Client()
		now := s.Clock.Now()
		rows := make([]*ent.WebhookDeliveryCreate, 1_100)
		for i := range rows {
			rows[i] = client.WebhookDelivery.Create().
				SetWebhookID(w.ID).SetMessage("m").SetEvent("file.created").SetSource("file:" + uuid.NewString()).
				SetData("{}").SetCreatedAt(now).SetQueuedAt(now).SetNextAt(now.Add(time.Hour))
		}
		rows[len(rows)-1].SetNextAt(now.Add(-time.Second))
		var last int
		for part := range slices.Chunk(rows, 100) {
			stored, err := client.WebhookDelivery.CreateBulk(part...).Save(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			last = stored[len(stored)-1].ID
		}
		due, err := s.Webhooks.Due(t.Context(), w.ID)
		if err != nil || len(due) != 1 || due[0].ID != last {
			t.Errorf("%d due, %v, expected the last one", len(due), err)
		}
	})
}

// TestBackoff checks that delays grow up to 6 h, and that a receiver may request longer ones.
func TestBackoff(t *testing.T) {
	for attempts, want := range []time.Duration{5 * time.Second, 20 * time.Second, 80 * time.Second} {
		if d := webhooks.Backoff(attempts, ""); d < want*3/4 || d > want*5/4 {
			t.Errorf("after %d: %s, expected about %s", attempts, d, want)
		}
	}
	for _, attempts := range []int{8, 50, 1 << 40} {
		if d := webhooks.Backoff(attempts, ""); d < 4*time.Hour || d > 8*time.Hour {
			t.Errorf("after %d: %s, expected about 6 h", attempts, d)
		}
	}
	if d := webhooks.Backoff(0, "600"); d != 10*time.Minute {
		t.Errorf("asked for 600 s: %s", d)
	}
	if d := webhooks.Backoff(0, "99999999999"); d > 6*time.Hour {
		t.Errorf("asked for an age: %s", d)
	}
}
