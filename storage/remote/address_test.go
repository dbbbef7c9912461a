package remote

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/safelight/safelight/fault"
)

func TestDialable(t *testing.T) {
	no := "0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 127.255.255.254 168.63.129.16 " +
		"169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 " +
		"198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 " +
		":: ::1 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 " +
		"64:ff9b::808:808 64:ff9b:1::1 100::1 2001::1 2001:0:4136:e378::1 2001:2::1 2001:10::1 2001:20::1 " +
		"2001:db8::1 2002:7f00:1::1 2002:808:808::1 " +
		"3fff::1 3fff:fff::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1 febf::1 fec0::1 ff02::1 ff0e::1 " +
		"2606:4700::1111%eth0 ::ffff:8.8.8.8%eth0"
	for _, s := range strings.Fields(no) {
		if dialable(netip.MustParseAddr(s), nil) {
			t.Errorf("%s passes", s)
		}
	}
	for _, s := range strings.Fields("1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 172.32.0.0 192.0.1.1 " +
		"198.17.255.255 223.255.255.255 ::ffff:8.8.8.8 2001:200::1 2001:4860:4860::8888 2606:4700::1111 " +
		"2a00:1450::1 3ffe::1") {
		if !dialable(netip.MustParseAddr(s), nil) {
			t.Errorf("%s does not pass", s)
		}
	}
	allowed := []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fe80::/10")}
	for s, want := range map[string]bool{"10.1.2.3": true, "::ffff:10.1.2.3": true, "10.2.0.1": false, "fe80::1": true,
		"fe80::1%lo": false} {
		if dialable(netip.MustParseAddr(s), allowed) != want {
			t.Errorf("%s allowed: expected %t", s, want)
		}
	}
}

func TestGuard(t *testing.T) {
	check := Guard(nil)
	for _, c := range []struct{ network, address string }{
		{"tcp4", "127.0.0.1:80"}, {"tcp6", "[::1]:80"}, {"tcp6", "[fe80::1%lo]:80"}, {"tcp4", "localhost:80"},
		{"tcp4", ""}, {"unix", "/run/x"}, {"udp4", "8.8.8.8:53"},
	} {
		if check(c.network, c.address, nil) == nil {
			t.Errorf("%s %s passes", c.network, c.address)
		}
	}
	if err := check("tcp4", "8.8.8.8:80", nil); err != nil {
		t.Error(err)
	}
}

// hostile are hosts that mean an address of this network in one way or another.
var hostile = []string{
	"127.0.0.1", "127.0.0.2", "127.255.255.254", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254",
	"100.64.0.1", "100.100.100.200", "192.0.0.192", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
	"168.63.129.16",
	"[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[0000::0001]", "[::127.0.0.1]", "[::7f00:1]", "[fe80::1]", "[fc00::1]",
	"[fd00:ec2::254]",
	"[fec0::1]", "[ff02::1]", "[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]",
	"[2001:0:7f00:1::]", "[2001:db8::1]", "[3fff::1]", "[100::1]", "[2001:20::1]",
	// Spellings.
	"[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::FFFF:10.0.0.1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[fe80::1%25lo]",
	"[::1%25lo]",
	"2130706433", "017700000001", "0x7f000001", "0X7F000001", "127.1", "127.0.1", "0177.0.0.1", "0x7f.0.0.1", "0x7f.1",
	"127.0.0.01", "127.0.0.0x1", "00000127.0.0.1", "127.0.0.1.", "localhost.", "[::1].", "0", "0x", "1.2.3.4.5",
	"256.0.0.1", "4294967296",
	"127.0.0.1..", ".127.0.0.1", "127..1", "１２７.0.0.1", "①②⑦.0.0.1", "127。0。0。1", "%31%32%37.0.0.1", "127%2e0.0.1",
	"%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1", "[127.0.0.1]", "[127.1]", "[", "[]", "::1", "[::1", "127.0.0.1%00",
	"127.0.0.1%00.example.com",
	"127.0.0.1\\.example.com", "127.0.0.1 ", "127.0.0.1\t", "127.0.0.1\r\n", "user@127.0.0.1", "user:pw@127.0.0.1",
	"@127.0.0.1",
	"example.com@127.0.0.1", "example.com\\@127.0.0.1", "localhost",
}

// TestRefusedHosts asks for the test's own server in every way there is, none of which may reach it.
func TestRefusedHosts(t *testing.T) {
	s, s6 := serve(t, "127.0.0.1", picture("secret")), serve(t, "::1", picture("secret"))
	f := fetcher(t, Config{Hosts: []string{"*"}, AllowPrivate: []netip.Prefix{}}, s, s6)
	schemes := []string{"http", "https"}
	for _, host := range hostile {
		for _, scheme := range schemes {
			for _, port := range []string{"", ":" + s.port(), ":" + s6.port()} {
				u := scheme + "://" + host + port + "/x.jpg"
				_, err := f.Fetch(t.Context(), u)
				if code := fault.CodeOf(err); code != fault.Invalid && code != fault.Forbidden {
					t.Errorf("%q: got %v, expected fault.Invalid or fault.Forbidden", u, err)
				}
			}
		}
	}
	for _, u := range []string{"", "/x.jpg", "//127.0.0.1/", "http:", "http:/x", "http://", "http:127.0.0.1",
		"http:///x", "http://:80/",
		"file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1:70/", "data:,x", "unix:///run/x",
		"HTTP+unix://x/", "javascript:0",
		"http://127.0.0.1:0/", "http://127.0.0.1:65536/", "http://127.0.0.1:-1/", "http://127.0.0.1:80:80/",
		"http://127.0.0.1:0080/",
		"http://a.test/" + strings.Repeat("x", maxURL)} {
		refused(t, f, u, fault.Invalid)
	}
	if n := s.connections.Load() + s6.connections.Load(); n != 0 {
		t.Errorf("%d connections, expected none", n)
	}
}

// TestRefusedNames checks that a listed name is judged by what it resolves to at that moment, and that the answer is
// one and the same whether something listens there or not.
func TestRefusedNames(t *testing.T) {
	s := serve(t, "127.0.0.1", picture("secret"))
	to := ""
	f := fetcher(t, Config{AllowPrivate: []netip.Prefix{}, hooks: hooks{resolve: func(string) string { return to }}}, s)
	for _, to = range []string{
		"127.0.0.1:" + s.port(), "127.0.0.1:1", "[::1]:1", "[::ffff:127.0.0.1]:" + s.port(), "0.0.0.0:" + s.port(),
		"[::]:" + s.port(),
		"10.0.0.1:80", "169.254.169.254:80", "[fe80::1%lo]:" + s.port(), "[64:ff9b::7f00:1]:80",
		"localhost:" + s.port(),
	} {
		u := "http://rebind.example:" + s.port() + "/" + url.PathEscape(to)
		if got := refused(t, f, u, fault.Forbidden); got != "the address of rebind.example is not public" {
			t.Errorf("%s: %q", to, got)
		}
	}
	if n := s.connections.Load(); n != 0 {
		t.Errorf("%d connections, expected none", n)
	}
}

// TestRebinding resolves the same name to an allowed address first and to a forbidden one afterwards.
func TestRebinding(t *testing.T) {
	good := serve(t, "127.0.0.1", picture("good"))
	bad := serve(t, "127.0.0.2", picture("secret"))
	to := good.Listener.Addr().String()
	f := fetcher(
		t,
		Config{Hosts: []string{"rebind.example"}, AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
			hooks: hooks{resolve: func(string) string { return to }}},
	)
	get(t, f, "http://rebind.example/")
	f.transport.CloseIdleConnections()
	to = bad.Listener.Addr().String()
	refused(t, f, "http://rebind.example/", fault.Forbidden)
	if n := bad.connections.Load(); n != 0 {
		t.Errorf("%d connections, expected none", n)
	}
}
