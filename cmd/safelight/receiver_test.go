package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// receiver is where the events of webhooks arrive.
type receiver struct {
	mu  sync.Mutex
	all []receivedEvent
}

type receivedEvent struct {
	header http.Header
	body   []byte
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, receivedEvent{request.Header, body})
	w.WriteHeader(http.StatusNoContent)
}

func (r *receiver) events() []receivedEvent {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all
}

func receiveScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: receive")
	}
	r := &receiver{}
	ts.Value(stageKey{}).(*stage).receiver = r
	server := httptest.NewServer(r)
	ts.Defer(server.Close)
	ts.Setenv("RECEIVER", server.URL)
}

func receivedScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: received N")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	verifier, err := standardwebhooks.NewWebhook(ts.Getenv("SECRET"))
	ts.Check(err)
	r := ts.Value(stageKey{}).(*stage).receiver
	for end := time.Now().Add(waitTimeout); len(r.events()) < n; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("%d events arrived, expected %d", len(r.events()), n)
		}
	}
	for _, e := range r.events() {
		if err := verifier.Verify(e.body, e.header); err != nil {
			ts.Fatalf("%s: %v", e.body, err)
		}
		fmt.Fprintf(ts.Stdout(), "%s\n", e.body)
	}
}

// keepScript sets a variable to what a group of an expression matches in the last answer.
func keepScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: keep NAME EXPRESSION")
	}
	found := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if len(found) != 2 {
		ts.Fatalf("the last answer does not match %s", args[1])
	}
	ts.Setenv(args[0], found[1])
}
