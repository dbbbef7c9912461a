// Package mailtest is a mail server for tests. It stores what it receives and can misbehave.
package mailtest

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"math/big"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Message is a message that the server received.
type Message struct {
	From, To string // from the envelope
	Data     string // including the header; lines end in \r\n
	TLS      bool   // received over an encrypted connection
	User     string // base64 of the login; empty: no login
}

// Server is a mail server on this machine.
type Server struct {
	Host string
	Port int
	// Roots contain the certificate of the server.
	Roots *x509.CertPool

	// How the server behaves. These fields must be set before the first connection.
	NoTLS   bool   // does not offer STARTTLS
	Hangs   bool   // accepts connections but does not respond
	Denies  string // reply to each recipient, such as "550 5.1.1 no such user"; empty: accepts them
	Rejects bool   // rejects every login
	Echoes  bool   // rejects every login, and repeats what was sent
	Floods  bool   // sends an endless greeting

	config *tls.Config
	mu     sync.Mutex
	got    []Message
	deny   string
	sent   atomic.Int64
}

// Flooded returns how many bytes of an endless greeting the client has read.
func (s *Server) Flooded() int64 { return s.sent.Load() }

// New starts a server on a free port. It stops when the test ends.
func New(t *testing.T, change func(*Server)) *Server {
	t.Helper()
	s := &Server{Host: "127.0.0.1"}
	change(s)
	s.deny = s.Denies
	s.certificate(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Port = l.Addr().(*net.TCPAddr).Port
	var wg sync.WaitGroup
	done := make(chan struct{})
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer conn.Close()
				go func() { <-done; conn.Close() }()
				s.serve(conn)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		close(done)
		wg.Wait()
	})
	return s
}

// Deny sets the reply to each recipient. An empty reply accepts them.
func (s *Server) Deny(reply string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deny = reply
}

// Messages returns the messages that the server received.
func (s *Server) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Message(nil), s.got...)
}

func (s *Server) certificate(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "mailtest"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	s.Roots = x509.NewCertPool()
	s.Roots.AddCert(parsed)
	s.config = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
}

// serve implements the part of SMTP that the tests need.
func (s *Server) serve(conn net.Conn) {
	if s.Hangs {
		_, _ = conn.Read(make([]byte, 1))
		return
	}
	if s.Floods {
		_, _ = io.WriteString(conn, "220-")
		for line := bytes.Repeat([]byte("x"), 1<<16); ; {
			n, err := conn.Write(line)
			s.sent.Add(int64(n))
			if err != nil {
				return
			}
		}
	}
	var m Message
	r := bufio.NewReader(conn)
	say := func(format string, args ...any) { fmt.Fprintf(conn, format+"\r\n", args...) }
	say("220 mailtest ESMTP")
	for {
		text, err := r.ReadString('\n')
		if err != nil {
			return
		}
		text = strings.TrimRight(text, "\r\n")
		verb, rest, _ := strings.Cut(text, " ")
		switch strings.ToUpper(verb) {
		case "EHLO", "HELO":
			say("250-mailtest")
			if !s.NoTLS && !m.TLS {
				say("250-STARTTLS")
			}
			say("250-AUTH PLAIN")
			say("250 8BITMIME")
		case "STARTTLS":
			say("220 go ahead")
			over := tls.Server(conn, s.config)
			if over.Handshake() != nil {
				return
			}
			conn, r, m.TLS = over, bufio.NewReader(over), true
		case "AUTH":
			if s.Echoes {
				say("535 5.7.8 cannot log in with %s", rest)
				continue
			}
			if s.Rejects {
				say("535 5.7.8 the password is wrong")
				continue
			}
			_, m.User, _ = strings.Cut(rest, " ")
			say("235 welcome")
		case "MAIL":
			m.From = rest
			say("250 ok")
		case "RCPT":
			s.mu.Lock()
			deny := s.deny
			s.mu.Unlock()
			if deny != "" {
				say("%s", deny)
				continue
			}
			m.To = rest
			say("250 ok")
		case "DATA":
			say("354 go ahead")
			var data strings.Builder
			for {
				row, err := r.ReadString('\n')
				if err != nil {
					return
				}
				if row == ".\r\n" {
					break
				}
				data.WriteString(strings.TrimPrefix(row, "."))
			}
			m.Data = data.String()
			s.mu.Lock()
			s.got = append(s.got, m)
			s.mu.Unlock()
			say("250 2.0.0 queued")
		case "NOOP", "RSET":
			say("250 ok")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("502 unknown")
		}
	}
}
