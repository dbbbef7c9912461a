package mail

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// Server is a mail server that accepts messages by SMTP.
type Server struct {
	Host string
	Port int
	User string // empty: no authentication
	TLS  TLS
}

// TLS is the encryption of connections to a mail server.
type TLS int

// The zero value, StartTLS, rejects a server that does not support encryption.
const (
	StartTLS TLS = iota // upgrades a plain connection to TLS before anything else is sent
	Implicit            // uses TLS from the start
	NoTLS               // never uses TLS
)

// ParseServer reads the URL of a mail server: smtp://USER@HOST:PORT (StartTLS, but plain to this machine),
// smtps://USER@HOST:PORT (Implicit), or smtp://…?tls=off. The ports default to 587 and 465.
func ParseServer(text string) (s Server, err error) {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.Fragment != "" || u.Opaque != "" {
		return s, errors.New("not the URL of a mail server")
	}
	if _, has := u.User.Password(); has {
		return s, errors.New("the URL has a password")
	}
	s = Server{Host: u.Hostname(), User: u.User.Username()}
	switch u.Scheme {
	case "smtp":
		s.Port = 587
		if s.IsLocal() {
			s.TLS = NoTLS
		}
	case "smtps":
		s.Port, s.TLS = 465, Implicit
	default:
		return s, errors.New("the scheme is neither smtp nor smtps")
	}
	if u.Port() != "" {
		if s.Port, err = strconv.Atoi(u.Port()); err != nil || s.Port < 1 || s.Port > 65535 {
			return s, errors.New("the port is invalid")
		}
	}
	for key, values := range u.Query() {
		switch {
		case key != "tls" || len(values) != 1 || u.Scheme != "smtp":
			return s, errors.New("the query is unknown")
		case values[0] == "off":
			s.TLS = NoTLS
		case values[0] == "on":
			s.TLS = StartTLS
		default:
			return s, errors.New("tls is neither on nor off")
		}
	}
	if strings.ContainsFunc(s.User, func(r rune) bool { return r < ' ' || r == 0x7F }) {
		return s, errors.New("the username has control characters")
	}
	return s, nil
}

// IsLocal reports whether the server runs on this computer.
func (s Server) IsLocal() bool {
	ip, err := netip.ParseAddr(s.Host)
	return s.Host == "localhost" || err == nil && ip.IsLoopback()
}

// Address returns the host and port.
func (s Server) Address() string { return net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) }
