package server_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/server"
)

// TestWhoReadsMetrics: without settings those on this machine and in private networks, never what an unknown proxy
// forwards; with a token whoever has it; with networks those in them.
func TestWhoReadsMetrics(t *testing.T) {
	const token = "the-token-of-the-metrics"
	here, elsewhere := netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("192.0.2.0/24")
	for name, c := range map[string]struct {
		token   string
		allow   []netip.Prefix
		proxies []netip.Prefix
		send    []string
		want    int
	}{
		"this machine":     {want: 200},
		"an unknown proxy": {send: []string{"X-Forwarded-For", "10.1.2.3"}, want: 403},
		"a proxy, private client": {proxies: []netip.Prefix{here}, send: []string{"X-Forwarded-For", "10.1.2.3"},
			want: 200},
		"a proxy, private IPv6 client": {proxies: []netip.Prefix{here}, send: []string{"X-Forwarded-For", "fd00::1"},
			want: 200},
		"a proxy, public client": {proxies: []netip.Prefix{here},
			send: []string{"X-Forwarded-For", "203.0.113.1"}, want: 403},
		"a proxy, forged private hop": {proxies: []netip.Prefix{here},
			send: []string{"X-Forwarded-For", "10.1.2.3, 203.0.113.1"}, want: 403},
		"elsewhere allowed": {allow: []netip.Prefix{elsewhere}, want: 403},
		"elsewhere allowed, from there": {allow: []netip.Prefix{elsewhere}, proxies: []netip.Prefix{here},
			send: []string{"X-Forwarded-For", "192.0.2.7"}, want: 200},
		"here allowed": {allow: []netip.Prefix{here}, want: 200},
		"here allowed, unknown proxy": {allow: []netip.Prefix{here}, send: []string{"X-Forwarded-For", "127.0.0.1"},
			want: 403},
		"token": {token: token, send: []string{"Authorization", "Bearer " + token}, want: 200},
		"token, through a proxy": {token: token, send: []string{"Authorization", "Bearer " + token,
			"X-Forwarded-For", "203.0.113.1"}, want: 200},
		"token missing":           {token: token, want: 401},
		"token wrong":             {token: token, send: []string{"Authorization", "Bearer x" + token}, want: 401},
		"token empty":             {token: token, send: []string{"Authorization", "Bearer "}, want: 401},
		"token of another scheme": {token: token, send: []string{"Authorization", "Basic " + token}, want: 401},
		"token and network": {token: token, allow: []netip.Prefix{here},
			send: []string{"Authorization", "Bearer " + token}, want: 200},
		"token, other network": {token: token, allow: []netip.Prefix{elsewhere},
			send: []string{"Authorization", "Bearer " + token}, want: 403},
		"network, no token": {token: token, allow: []netip.Prefix{here}, want: 401},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, func(config *server.Config, _ *gallerytest.Config) {
				config.MetricsToken, config.MetricsAllow, config.TrustedProxies = c.token, c.allow, c.proxies
			})
			for _, path := range []string{"/metrics", "/METRICS/"} {
				a := s.do("GET", path, "", c.send...)
				if a.status != c.want || strings.Contains(a.body, "safelight_") != (c.want == 200) {
					t.Errorf("%s: %d %.200s, expected %d", path, a.status, a.body, c.want)
				}
				if c.want != 200 && (a.code() == "" || !strings.Contains(a.body, "metrics-") ||
					a.header.Get("Cache-Control") != "no-store") {
					t.Errorf("%s: %v %s, expected an error that names the setting", path, a.header, a.body)
				}
				if challenge := a.header.Get("WWW-Authenticate"); (challenge == "Bearer") != (c.want == 401) {
					t.Errorf("%s: WWW-Authenticate %q", path, challenge)
				}
			}
			if strings.Contains(s.log.String(), token) {
				t.Error("the log has the token")
			}
		})
	}
}

// TestWhoReadsTheSchema: with PublicSchema everyone, else whoever has a valid token.
func TestWhoReadsTheSchema(t *testing.T) {
	for _, public := range []bool{false, true} {
		s := newStage(t, func(c *server.Config, _ *gallerytest.Config) { c.PublicSchema = public })
		for _, path := range []string{"/schema.graphql", "/Schema.GraphQL", "/schema.graphql/"} {
			for _, method := range []string{"GET", "HEAD"} {
				if a := s.do(method, path, ""); (a.status == 200) != public || !public && a.status != 401 ||
					strings.Contains(a.body, "type Query") != (public && method == "GET") {
					t.Errorf("public %v: %s %s: %d", public, method, path, a.status)
				}
			}
			for _, actor := range []string{"guest", "user", "admin"} {
				a := s.do("GET", path, "", "Authorization", "Bearer "+s.tokens[actor])
				if a.status != 200 || !strings.Contains(a.body, "type Query") ||
					strings.Contains(a.header.Get("Cache-Control"), "private") == public {
					t.Errorf("public %v: %s for %s: %d %v", public, path, actor, a.status, a.header)
				}
			}
		}
	}
}
