package remote

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/safelight/safelight/fault"
)

var loopback = netip.MustParsePrefix("127.0.0.0/8")

// site is a server that counts what reaches it, down to the connections.
type site struct {
	*httptest.Server
	requests, connections atomic.Int64
}

// serve starts a site on an address of this machine, and ends it with the test.
func serve(t *testing.T, address string, h http.HandlerFunc) *site {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		t.Skipf("cannot listen on %s: %v", address, err)
	}
	s := &site{}
	s.Server = &httptest.Server{Listener: l, Config: &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.requests.Add(1)
			h(w, r)
		}),
		ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				s.connections.Add(1)
			}
		},
	}}
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func (s *site) port() string {
	u, err := url.Parse(s.URL)
	if err != nil {
		panic(err)
	}
	return u.Port()
}

func picture(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
}

// fetcher makes a Fetcher that reaches loopback on any port of s unless c says otherwise.
func fetcher(t *testing.T, c Config, sites ...*site) *Fetcher {
	t.Helper()
	for _, s := range sites {
		c.Hosts = append(c.Hosts, "*:"+s.port())
	}
	if c.AllowPrivate == nil {
		c.AllowPrivate = []netip.Prefix{loopback}
	}
	f, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.transport.CloseIdleConnections)
	return f
}

func get(t *testing.T, f *Fetcher, u string) *Object {
	t.Helper()
	o, err := f.Fetch(t.Context(), u)
	if err != nil {
		t.Fatalf("%s: %v", u, err)
	}
	return o
}

// refused expects an error with that code whose message names no address of this machine's
// network that the URL did not name itself.
func refused(t *testing.T, f *Fetcher, u string, want fault.Code) string {
	t.Helper()
	o, err := f.Fetch(t.Context(), u)
	if fault.CodeOf(err) != want {
		t.Errorf("%s: got %v, %v, expected %s", u, o, err, want)
		return ""
	}
	message := fault.Of(err).Message
	if strings.Contains(message, "127.0.0.") && !strings.Contains(u, "127.0.0.") {
		t.Errorf("%s: %q names an internal address", u, message)
	}
	return message
}

func TestFetch(t *testing.T) {
	s := serve(t, "127.0.0.1", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Last-Modified", "Wed, 01 Jan 2025 00:00:00 GMT")
		_, _ = w.Write(
			[]byte(r.URL.Path + "?" + r.URL.RawQuery + " " + r.Header.Get("Accept-Encoding") + " " + r.UserAgent()),
		)
	})
	f := fetcher(t, Config{}, s)
	o := get(t, f, s.URL+"/a%2Fb?x=1 2#top")
	if got, want := string(o.Data), "/a/b?x=1%202 identity Safelight"; got != want {
		t.Errorf("got %q, expected %q", got, want)
	}
	if o.URL != s.URL+"/a%2Fb?x=1%202" || o.ModTime.Year() != 2025 || o.ETag == "" {
		t.Errorf("got %+v", o)
	}
	if again := get(t, f, s.URL+"/c"); again.ETag == o.ETag {
		t.Error("different bytes have the same ETag")
	}
}

func TestFetchStates(t *testing.T) {
	s := serve(t, "127.0.0.1", picture(""))
	f := fetcher(t, Config{}, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Fetch(ctx, s.URL); fault.CodeOf(err) != fault.Canceled {
		t.Errorf("canceled: %v", err)
	}
	off := fetcher(t, Config{})
	refused(t, off, s.URL, fault.Forbidden)
	if n := s.connections.Load(); n != 0 {
		t.Errorf("%d connections, expected none", n)
	}
}

func TestNoProxy(t *testing.T) {
	proxy := serve(t, "127.0.0.1", picture("proxied"))
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	s := serve(t, "127.0.0.1", picture("direct"))
	f := fetcher(t, Config{hooks: hooks{resolve: func(string) string { return s.Listener.Addr().String() }}}, s)
	if o := get(t, f, "http://pictures.example:"+s.port()); string(o.Data) != "direct" {
		t.Errorf("got %q", o.Data)
	}
	if proxy.connections.Load() != 0 || f.transport.Proxy != nil {
		t.Error("the proxy of the environment was used")
	}
}

func TestConfig(t *testing.T) {
	for name, c := range map[string]Config{
		"timeout": {Timeout: -1},
		"bytes":   {MaxBytes: -1},
		"agent":   {UserAgent: "a\r\nCookie: b"},
		"prefix":  {AllowPrivate: []netip.Prefix{{}}},
		"mapped":  {AllowPrivate: []netip.Prefix{netip.MustParsePrefix("::ffff:127.0.0.0/104")}},
	} {
		if _, err := New(c); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: got %v, expected fault.Invalid", name, err)
		}
	}
}
