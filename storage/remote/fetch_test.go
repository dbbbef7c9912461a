package remote

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/fault"
)

func TestStatus(t *testing.T) {
	s := serve(t, "127.0.0.1", func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.URL.Path[1:])
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(n)
	})
	f := fetcher(t, Config{}, s)
	for status, want := range map[string]fault.Code{
		"404": fault.NotFound, "410": fault.NotFound, "201": fault.Unavailable, "204": fault.Unavailable,
		"206": fault.Unavailable,
		"301": fault.Unavailable, "304": fault.Unavailable, "400": fault.Unavailable, "401": fault.Unavailable,
		"403": fault.Unavailable, "429": fault.Unavailable, "500": fault.Unavailable, "503": fault.Unavailable,
	} {
		if m := refused(t, f, s.URL+"/"+status, want); !strings.Contains(m, "127.0.0.1") ||
			!strings.Contains(m, status) {
			t.Errorf("%q names not both host and status", m)
		}
	}
	refused(t, f, s.URL+"/abort", fault.Unavailable)
}

// sized answers ?n= bytes, in the way that the path names.
func sized(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.URL.Query().Get("n"))
	if err != nil {
		panic(err)
	}
	h, body := w.Header(), make([]byte, n)
	switch r.URL.Path {
	case "/length":
		h.Set("Content-Length", strconv.Itoa(n))
	case "/more": // promises more than comes
		h.Set("Content-Length", strconv.Itoa(n+1))
	case "/huge": // promises what no memory could hold
		h.Set("Content-Length", strconv.Itoa(1<<62))
	case "/encoded":
		h.Set("Content-Encoding", "gzip")
	case "/identity":
		h.Set("Content-Encoding", "identity")
	case "/chunked":
		w.(http.Flusher).Flush()
	}
	_, _ = w.Write(body)
}

func TestBodies(t *testing.T) {
	const limit = 3 << 20
	s := serve(t, "127.0.0.1", sized)
	f, unlimited := fetcher(t, Config{MaxBytes: limit}, s), fetcher(t, Config{}, s)
	for _, c := range []struct {
		path string
		n    int
		want fault.Code
		free fault.Code // without a limit
	}{
		{"/length", 0, "", ""},
		{"/length", 5, "", ""},
		{"/length", firstRead, "", ""},
		{"/length", firstRead + 1, "", ""},
		{"/length", limit, "", ""},
		{"/length", limit + 1, fault.TooLarge, ""},
		{"/chunked", 0, "", ""},
		{"/chunked", limit, "", ""},
		{"/chunked", limit + 1, fault.TooLarge, ""},
		{"/chunked", 3 * limit, fault.TooLarge, ""},
		{"/more", 0, fault.Unavailable, fault.Unavailable},
		{"/more", 5, fault.Unavailable, fault.Unavailable},
		{"/more", firstRead, fault.Unavailable, fault.Unavailable},
		{"/more", firstRead + 5, fault.Unavailable, fault.Unavailable},
		{"/huge", 2 * firstRead, fault.TooLarge, fault.Unavailable},
		{"/encoded", 5, fault.Unavailable, fault.Unavailable},
		{"/identity", 5, "", ""},
	} {
		for i, f := range []*Fetcher{f, unlimited} {
			o, err := f.Fetch(t.Context(), s.URL+c.path+"?n="+strconv.Itoa(c.n))
			if want := []fault.Code{c.want, c.free}[i]; fault.CodeOf(err) != want {
				t.Errorf("%s %d: got %v, expected %q", c.path, c.n, err, want)
			}
			if err == nil && len(o.Data) != c.n {
				t.Errorf("%s %d: got %d bytes", c.path, c.n, len(o.Data))
			}
		}
	}
}

// TestSlow waits for limits that are far shorter than what the server takes, which is forever.
func TestSlow(t *testing.T) {
	s := serve(t, "127.0.0.1", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/body" {
			w.Header().Set("Content-Length", "10")
			_, _ = w.Write([]byte("half"))
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
	})
	impatient := fetcher(t, Config{}, s)
	impatient.transport.ResponseHeaderTimeout = time.Millisecond
	refused(t, impatient, s.URL+"/header", fault.Timeout)
	refused(t, fetcher(t, Config{Timeout: 50 * time.Millisecond}, s), s.URL+"/body", fault.Timeout)
}

func TestLongHeader(t *testing.T) {
	s := serve(t, "127.0.0.1", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("x", 4*maxHeader))
	})
	refused(t, fetcher(t, Config{}, s), s.URL, fault.Unavailable)
}

func TestNobodyThere(t *testing.T) {
	s := serve(t, "127.0.0.1", picture(""))
	f := fetcher(t, Config{}, s)
	s.Close()
	refused(t, f, s.URL+"/?token=secret", fault.Unavailable)
	if _, err := f.Fetch(t.Context(), s.URL+"/?token=secret"); strings.Contains(err.Error(), "secret") {
		t.Errorf("%q holds the query", err)
	}
}
