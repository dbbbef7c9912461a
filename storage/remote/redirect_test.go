package remote

import (
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
)

// redirector answers ?to=URL with a redirect there, after ?hops=n more to itself.
func redirector(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	http.SetCookie(w, &http.Cookie{Name: "session", Value: "secret"})
	if r.Header.Get("Cookie")+r.Header.Get("Authorization")+r.Header.Get("Referer") != "" {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	if hops := q.Get("hops"); hops != "" {
		q.Set("hops", hops[1:])
		if hops == "x" {
			q.Del("hops")
		}
		w.Header().Set("Location", "?"+q.Encode())
		w.WriteHeader(http.StatusFound)
		return
	}
	if !q.Has("to") {
		picture("end")(w, r)
		return
	}
	if q.Get("to") == "LONG" {
		q.Set("to", "/"+strings.Repeat("x", maxURL))
	}
	// http.Redirect would clean what the test wants to send.
	w.Header().Set("Location", q.Get("to"))
	w.WriteHeader(http.StatusTemporaryRedirect)
}

func TestRedirects(t *testing.T) {
	s := serve(t, "127.0.0.1", redirector)
	other := serve(t, "127.0.0.1", redirector)
	f := fetcher(t, Config{}, s, other)
	for _, c := range []struct{ query, end string }{
		{"", s.URL + "/"},
		{"hops=x&to=" + url.QueryEscape(other.URL+"/p#frag"), other.URL + "/p"},
		{"to=/deep/../x", s.URL + "/x"},
		{"to=%2F%2F127.0.0.2:" + s.port() + "%2F", ""},
		{"hops=xxxxx", s.URL + "/?"},
		{"to=?", s.URL + "/?"},
	} {
		o, err := f.Fetch(t.Context(), s.URL+"?"+c.query)
		if c.end == "" {
			if fault.CodeOf(err) != fault.Unavailable {
				t.Errorf("%s: got %v", c.query, err)
			}
			continue
		}
		if err != nil || strings.TrimSuffix(o.URL, "?") != strings.TrimSuffix(c.end, "?") || string(o.Data) != "end" {
			t.Errorf("%s: got %+v, %v, expected %s", c.query, o, err, c.end)
		}
	}
	before := s.requests.Load()
	refused(t, f, s.URL+"?hops=xxxxxx", fault.Unavailable)
	if n := s.requests.Load() - before; n != 1+maxRedirects {
		t.Errorf("%d requests, expected %d", n, 1+maxRedirects)
	}
}

// TestRefusedRedirects leads from an allowed server to every hostile host, directly and over
// two more hops; the server behind them may not be reached.
func TestRefusedRedirects(t *testing.T) {
	s := serve(t, "127.0.0.1", redirector)
	inside, inside6 := serve(t, "127.0.0.2", picture("secret")), serve(t, "::1", picture("secret"))
	f := fetcher(
		t, Config{Hosts: []string{"*"}, AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}},
		s, inside, inside6,
	)
	var places []string
	for _, host := range hostile {
		if host == "localhost" {
			continue // it may resolve to what is allowed here
		}
		host = strings.ReplaceAll(host, "127.0.0.1", "127.0.0.2")
		if strings.ContainsAny(host, "\r\n\t") || strings.HasSuffix(host, " ") {
			continue // the header could not carry it
		}
		for _, port := range []string{inside.port(), inside6.port()} {
			places = append(places, "http://"+host+":"+port+"/", "//"+host+":"+port+"/")
		}
	}
	places = append(
		places, "file:///etc/passwd", "ftp://127.0.0.1/", "gopher://x/", "data:,x", "https:127.0.0.1",
		"http://", "http://u:p@127.0.0.1:"+s.port()+"/", "http://127.0.0.1:1/", "http://127.0.0.1:22/",
		"http://a.test:6379/", "http://%zz/", "LONG",
	)
	for i, place := range places {
		for _, hops := range []string{"", "hops=xx&"} {
			_, err := f.Fetch(t.Context(), fmt.Sprintf("%s/%d?%sto=%s", s.URL, i, hops, url.QueryEscape(place)))
			if fault.CodeOf(err) != fault.Forbidden {
				t.Errorf("%q: got %v, expected fault.Forbidden", place, err)
			} else if m := fault.Of(err).Message; strings.Contains(m, "127.0.0.2") || strings.Contains(m, "::1") {
				t.Errorf("%q: %q names where it leads", place, m)
			}
		}
	}
	if n := inside.connections.Load() + inside6.connections.Load(); n != 0 {
		t.Errorf("%d connections, expected none", n)
	}
}

func TestDowngrade(t *testing.T) {
	plain := serve(t, "127.0.0.1", picture("plain"))
	s := serve(t, "127.0.0.1", redirector)
	secure := serveTLS(t, redirector)
	roots := x509.NewCertPool()
	roots.AddCert(secure.Certificate())
	f := fetcher(t, Config{hooks: hooks{roots: roots}}, plain, secure, s)
	refused(t, f, secure.URL+"?to="+url.QueryEscape(plain.URL), fault.Forbidden)
	if n := plain.connections.Load(); n != 0 {
		t.Errorf("%d connections, expected none", n)
	}
	if o := get(t, f, s.URL+"?to="+url.QueryEscape(secure.URL)); string(o.Data) != "end" {
		t.Errorf("upgrade: got %q", o.Data)
	}
	strict := fetcher(t, Config{}, secure)
	refused(t, strict, secure.URL, fault.Unavailable)
}

func serveTLS(t *testing.T, h http.HandlerFunc) *site {
	t.Helper()
	s := &site{Server: httptest.NewUnstartedServer(h)}
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that the test wants to fail
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}
