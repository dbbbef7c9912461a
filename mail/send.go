package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/textproto"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
	gomail "github.com/wneessen/go-mail"

	"github.com/safelight/safelight/ent"
)

const (
	firstRetry = time.Minute
	maxRetry   = time.Hour
	retryFor   = 24 * time.Hour

	maxSession = 2 * time.Minute // maximum duration of an SMTP session, however slowly the server responds
	maxReplies = 1 << 20         // bytes that are read in a session
	maxAnswer  = 300             // characters of a response that are kept
)

// backoff returns the delay after a number of attempts: 1 min, 2 min, 4 min and so on up to an hour, each
// extended by up to a fifth.
func backoff(attempts int) time.Duration {
	wait := min(firstRetry<<min(attempts, 10), maxRetry)
	return wait + rand.N(wait/5)
}

// Problem is the reason why a message could not be sent.
type Problem string

// The problems, as the API names them.
const (
	ProblemUnreachable Problem = "UNREACHABLE" // there is no connection to the mail server, or it broke
	ProblemTimeout     Problem = "TIMEOUT"     // the mail server did not answer in time
	ProblemNoTLS       Problem = "NO_TLS"      // it does not offer STARTTLS
	ProblemCertificate Problem = "CERTIFICATE" // its certificate is not valid
	ProblemLogin       Problem = "LOGIN"       // it does not accept user and password
	ProblemRefused     Problem = "REFUSED"     // it does not accept the message
	ProblemExpired     Problem = "EXPIRED"     // the link in the message has ended
	ProblemUnreadable  Problem = "UNREADABLE"  // the message was sealed with another key file
)

// failure describes a failed attempt.
type failure struct {
	Problem Problem
	Answer  string // response of the mail server, or the error
	final   bool   // another attempt would fail, too
}

// send sends a message. It returns nil if the server accepted the message.
func (m *Mailer) send(ctx context.Context, to string, t text, id string) *failure {
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	from := m.config.From
	if err := errors.Join(msg.FromFormat(from.Name, from.Address), msg.To(to)); err != nil {
		return &failure{ProblemRefused, m.answer(err), true}
	}
	msg.Subject(t.Subject)
	msg.SetDateWithValue(m.config.Now())
	msg.SetMessageIDWithValue(id)
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetBodyString(gomail.TypeTextPlain, t.Plain)
	msg.AddAlternativeString(gomail.TypeTextHTML, t.HTML)
	return m.session(ctx, msg)
}

// messageID returns the Message-ID of an outbox row. It is the same for all attempts, so that mail programs
// recognize a message that arrives twice.
func (m *Mailer) messageID(id uuid.UUID) string {
	_, host, _ := strings.Cut(m.config.From.Address, "@")
	return id.String() + "@" + host
}

// Check connects to the mail server and logs in, without sending anything.
func (m *Mailer) Check(ctx context.Context) error {
	if f := m.session(ctx, nil); f != nil {
		return fmt.Errorf("%s: %s", explain[f.Problem], f.Answer)
	}
	return nil
}

// explain describes problems in English, for the command doctor.
var explain = map[Problem]string{
	ProblemUnreachable: "the mail server cannot be reached",
	ProblemTimeout:     "the mail server does not answer in time",
	ProblemNoTLS:       "the mail server does not offer STARTTLS",
	ProblemCertificate: "the certificate of the mail server is not valid",
	ProblemLogin:       "the mail server does not accept user and password",
	ProblemRefused:     "the mail server refuses",
}

// session connects, logs in and sends msg. If msg is nil, it sends nothing.
func (m *Mailer) session(ctx context.Context, msg *gomail.Msg) *failure {
	ctx, cancel := context.WithTimeout(ctx, maxSession)
	defer cancel()
	whole := ctx
	var raw net.Conn
	defer func() {
		if raw != nil {
			_ = raw.Close() // the library does not close the connection if the session could not be started
		}
	}()
	s := m.config.Server
	secure := &tls.Config{ServerName: s.Host, MinVersion: tls.VersionTLS12, RootCAs: m.config.Roots}
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{Timeout: m.config.Timeout}).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		conn = &bounded{conn, maxReplies}
		raw = conn
		context.AfterFunc(whole, func() { _ = conn.SetDeadline(time.Now()) }) // the library only limits each step
		if s.TLS != Implicit {
			return conn, nil
		}
		over := tls.Client(conn, secure)
		return over, over.HandshakeContext(ctx)
	}
	policy := gomail.TLSMandatory
	switch s.TLS {
	case Implicit:
		policy = gomail.TLSOpportunistic // the connection is encrypted already, which this policy detects
	case NoTLS:
		policy = gomail.NoTLS
	}
	options := []gomail.Option{
		gomail.WithPort(s.Port), gomail.WithTimeout(m.config.Timeout), gomail.WithTLSPolicy(policy),
		gomail.WithTLSConfig(secure), gomail.WithDialContextFunc(dial), gomail.WithHELO(m.helo()),
	}
	if s.User != "" {
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(s.User),
			gomail.WithPassword(m.config.Password))
	}
	client, err := gomail.NewClient(s.Host, options...)
	if err != nil {
		return &failure{ProblemUnreachable, m.answer(err), false}
	}
	if err := client.DialWithContext(ctx); err != nil {
		return m.classify(ctx, err)
	}
	if msg != nil {
		if err := client.Send(msg); err != nil {
			return m.classify(ctx, err)
		}
	}
	_ = client.Close() // ignore errors, because the message was accepted
	return nil
}

// bounded limits how many bytes are read from a connection, so that a mail server cannot exhaust memory with
// an endless reply.
type bounded struct {
	net.Conn
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, errors.New("the mail server sends too much")
	}
	n, err := b.Conn.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// helo returns the name that the client sends with EHLO: the host of the application.
func (m *Mailer) helo() string {
	if u, err := url.Parse(m.config.BaseURL); err == nil && u.Hostname() != "" {
		return u.Hostname()
	}
	return "localhost"
}

// classify converts an error of a session to a failure.
func (m *Mailer) classify(ctx context.Context, err error) *failure {
	f := &failure{ProblemUnreachable, m.answer(err), false}
	var (
		refusal  *textproto.Error
		sending  *gomail.SendError
		timeout  net.Error
		unknown  x509.UnknownAuthorityError
		hostname x509.HostnameError
		invalid  x509.CertificateInvalidError
		cert     *tls.CertificateVerificationError
	)
	switch {
	case ctx.Err() != nil, errors.As(err, &timeout) && timeout.Timeout():
		f.Problem = ProblemTimeout
	case errors.As(err, &cert), errors.As(err, &unknown), errors.As(err, &hostname), errors.As(err, &invalid):
		f.Problem = ProblemCertificate
	case strings.Contains(err.Error(), "does not support STARTTLS"):
		f.Problem = ProblemNoTLS
	case errors.As(err, &sending) && sending.ErrorCode() != 0:
		f.Problem, f.final = ProblemRefused, !sending.IsTemp()
	case errors.As(err, &refusal) && slices.Contains([]int{530, 534, 535, 538}, refusal.Code),
		errors.Is(err, gomail.ErrNoSupportedAuthDiscovered):
		f.Problem = ProblemLogin
	case errors.As(err, &refusal):
		f.Problem = ProblemRefused
	}
	return f
}

// reply matches the reply of a mail server within the error of the library.
var reply = regexp.MustCompile(`([45]\d\d) (".*")`)

// answer returns the text of an error as one short line. It removes the password, because much of the text
// comes from the mail server, which may repeat what it received.
func (m *Mailer) answer(err error) string {
	said := err.Error()
	if match := reply.FindStringSubmatch(said); match != nil {
		if words, err := strconv.Unquote(match[2]); err == nil {
			said = match[1] + " " + words
		}
	}
	text := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(said, " "))
	if password := m.config.Password; password != "" {
		forms := []string{password, password, "\x00" + m.config.Server.User + "\x00" + password} // LOGIN and PLAIN
		for i, form := range forms {
			if i > 0 {
				form = base64.StdEncoding.EncodeToString([]byte(form))
			}
			text = strings.ReplaceAll(text, form, "***")
		}
	}
	runes := []rune(strings.Join(strings.Fields(text), " "))
	return string(runes[:min(len(runes), maxAnswer)])
}

// Failure describes why a test message could not be sent.
type Failure struct {
	Problem Problem
	Answer  string
}

// text decrypts and composes the message of an outbox row. drop means that nothing must be sent.
func (m *Mailer) text(ctx context.Context, row *ent.Mail) (t text, drop bool, f *failure) {
	s, err := m.unseal(row)
	if err != nil {
		return t, false, &failure{ProblemUnreadable, m.answer(err), true}
	}
	if row.Kind == KindReset {
		content, err := m.Reset(ctx, row.Recipient)
		if err != nil {
			return t, false, &failure{ProblemUnreachable, "the database cannot be used", false}
		}
		if content == nil {
			return t, true, nil
		}
		s.Content = *content
	}
	t, err = compose(string(row.Kind), s.Language, s.Content)
	if err != nil {
		return t, false, &failure{ProblemUnreadable, m.answer(err), true}
	}
	return t, false, nil
}
