// Package mail sends e-mail: invitations, links that reset a password or confirm an address, and share links.
// Messages are written to an outbox in the database, in the transaction of the change that they are about. So
// no request waits for a mail server, and no message is lost. The package is the only writer of the table of
// messages.
package mail

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"log/slog"
	netmail "net/mail"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"golang.org/x/net/idna"
	"golang.org/x/sync/semaphore"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	entmail "github.com/safelight/safelight/ent/mail"
	"github.com/safelight/safelight/fault"
)

// The limits of messages.
const (
	MaxNote    = 2000 // characters of a user's note in a message
	maxAddress = 254  // bytes
	maxLocal   = 64   // bytes of an address before the @
	maxPending = 10_000
	maxDropped = 10_000

	purposeContent = "mail" // of the key that seals messages, which all servers have
)

// Kind is the kind of a message.
type Kind = entmail.Kind

// The kinds of messages.
const (
	KindReset      = entmail.KindReset
	KindAddress    = entmail.KindAddress
	KindChanged    = entmail.KindChanged
	KindPassword   = entmail.KindPassword
	KindInvitation = entmail.KindInvitation
	KindShare      = entmail.KindShare
)

// State is the delivery state of a message.
type State = entmail.State

// Config is the configuration of e-mail.
type Config struct {
	Server   Server
	Password string           // of the user of Server; empty: no password
	From     *netmail.Address // sender of all messages
	BaseURL  string           // public URL of the application, without a trailing slash; prefix of links
	Now      func() time.Time // nil is time.Now

	// Timeout is the maximum duration of each step of an SMTP session; 0 is 15 s.
	Timeout time.Duration
	Roots   *x509.CertPool // for tests; nil: the certificates of the system

	retry      func(attempts int) time.Duration // nil: backoff
	maxDropped int                              // 0: maxDropped
}

// Mailer sends messages. A nil Mailer means that the server sends no e-mail. Create it with New. It is safe
// for concurrent use.
type Mailer struct {
	// Reset returns the content of the message that resets the password of the account with an address, or
	// nil if there is no such account. It must be set before Run.
	Reset func(ctx context.Context, address string) (*Content, error)

	config Config
	db     *database.DB
	audit  *audit.Log
	keys   *auth.Keyring
	log    *slog.Logger
	slots  *semaphore.Weighted
}

// New returns the mailer of a migrated database.
func New(c Config, db *database.DB, events *audit.Log, keys *auth.Keyring, log *slog.Logger) *Mailer {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Timeout == 0 {
		c.Timeout = 15 * time.Second
	}
	if c.retry == nil {
		c.retry = backoff
	}
	if c.maxDropped == 0 {
		c.maxDropped = maxDropped
	}
	return &Mailer{
		config: c, db: db, audit: events, keys: keys, log: log,
		slots: semaphore.NewWeighted(maxConcurrent),
	}
}

// On reports whether the server sends e-mail.
func (m *Mailer) On() bool { return m != nil }

// ErrOff returns the error if the server sends no e-mail, fault.Conflict.
func ErrOff() error {
	return fault.New(fault.Conflict, "the server sends no e-mail, expected the settings smtp and mail-from")
}

// URL returns the URL of a path of the application, such as /s/KEY.
func (m *Mailer) URL(path string) string { return m.config.BaseURL + path }

// Message is a message to send.
type Message struct {
	Kind     Kind
	To       string     // an address that CheckAddress accepts
	Language Language   // unknown languages are replaced by English
	Sender   *uuid.UUID // account that caused the message; nil: somebody who is not logged in
	Network  string     // network from which a reset was requested
	EndsAt   time.Time  // until when delivery is attempted; zero: for 24 hours
	Content  Content
}

// Content contains the variable parts of a message.
type Content struct {
	Link  string `json:"link,omitempty"`
	From  string `json:"from,omitempty"`  // display name of the sender
	Name  string `json:"name,omitempty"`  // name of the shared content or of the account
	Note  string `json:"note,omitempty"`  // note of the sender, with line breaks
	Until string `json:"until,omitempty"` // when the link expires, RFC 3339
}

// sealed is the encrypted content of a message in the outbox.
type sealed struct {
	Language Language `json:"language"`
	Content
}

// addressForm is the address format of RFC 5321 without quotes, comments and IP addresses.
var addressForm = func() *regexp.Regexp {
	const word, label = "[A-Za-z0-9!#$%&'*+/=?^_{|}~-]+", "[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
	return regexp.MustCompile(`^` + word + `(\.` + word + `)*@` + label + `(\.` + label + `)*$`)
}()

// CheckAddress returns an e-mail address without surrounding spaces and with its domain in ASCII:
// xn--bcher-kva.example for bücher.example. It returns fault.Invalid on field for anything else.
func CheckAddress(text, field string) (string, error) {
	given := text
	text = strings.TrimSpace(text)
	if local, domain, ok := strings.Cut(text, "@"); ok && len(text) <= maxAddress &&
		strings.ContainsFunc(domain, notASCII) {
		if ascii, err := idna.Lookup.ToASCII(domain); err == nil {
			text = local + "@" + ascii
		}
	}
	// "=?" marks encoded text in a header.
	if len(text) > maxAddress || strings.IndexByte(text, '@') > maxLocal || strings.Contains(text, "=?") ||
		!addressForm.MatchString(text) {
		return "", fault.OnField(fault.Invalid, field, "%.100q is not an e-mail address, expected name@example.com",
			given)
	}
	return text, nil
}

func notASCII(r rune) bool { return r > unicode.MaxASCII }

// Key normalizes an address, so that addresses of the same mailbox are equal.
func Key(address string) string { return strings.ToLower(address) }

// CheckNote returns a note with normalized line breaks, and without characters that change the direction of
// text. It returns fault.Invalid if the note is too long or contains control characters.
func CheckNote(note string) (string, error) {
	note = strings.NewReplacer("\r\n", "\n", "\u2028", "\n", "\u2029", "\n").Replace(note)
	note = strings.TrimSpace(withoutBidi(note))
	n := utf8.RuneCountInString(note)
	bad := func(r rune) bool { return r != '\n' && r != '\t' && unicode.IsControl(r) }
	if n > MaxNote || !utf8.ValidString(note) || strings.ContainsFunc(note, bad) {
		return "", fault.OnField(
			fault.Invalid, "note", "the note has %d characters, expected at most %d of plain text", n, MaxNote,
		)
	}
	return note, nil
}

// line returns text on one line, with its characters displayed in order.
func line(text string) string {
	space := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	return strings.Join(strings.FieldsFunc(withoutBidi(text), space), " ")
}

// withoutBidi returns text without the characters that change the direction of text, because these could make
// a name or a note appear to say something else.
func withoutBidi(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, text)
}

// perRecipient limits how many messages all accounts together send to one address, for kinds with a freely
// chosen recipient.
var (
	perRecipient = Limit{20, 24 * time.Hour}
	toAnyone     = []Kind{KindAddress, KindInvitation, KindShare}
)

// Add writes a message to the outbox, in the transaction of tx. It returns fault.Conflict if the server sends
// no e-mail, and fault.RateLimited if too many messages are waiting or were sent to the address.
func (m *Mailer) Add(ctx context.Context, tx *ent.Client, message Message) error {
	if m == nil {
		return ErrOff()
	}
	waiting, err := tx.Mail.Query().Where(entmail.StateEQ(entmail.StatePending)).Count(ctx)
	if err != nil {
		return err
	}
	if waiting >= maxPending {
		return limited(time.Hour, "%d messages wait to be sent, try again later", waiting)
	}
	if slices.Contains(toAnyone, message.Kind) {
		n, err := tx.Mail.Query().
			Where(
				entmail.CreatedAtGT(m.config.Now().Add(-perRecipient.In).UTC()),
				entmail.RecipientEqualFold(message.To), entmail.KindIn(toAnyone...),
			).
			Count(ctx)
		if err != nil {
			return err
		}
		if n >= perRecipient.Max {
			return limited(
				time.Hour, "%s got %d messages in the last %s, expected fewer", message.To, n, perRecipient.In,
			)
		}
	}
	content, err := m.seal(message)
	if err != nil {
		return err
	}
	now := m.config.Now().UTC()
	if message.EndsAt.IsZero() {
		message.EndsAt = now.Add(retryFor)
	}
	return tx.Mail.Create().
		SetKind(message.Kind).
		SetRecipient(message.To).
		SetNillableSenderID(message.Sender).
		SetNetwork(message.Network).
		SetContent(content).
		SetCreatedAt(now).
		SetNextAt(now).
		SetEndsAt(message.EndsAt.UTC()).
		Exec(ctx)
}

func (m *Mailer) seal(message Message) (string, error) {
	body, err := json.Marshal(sealed{message.Language.known(), message.Content})
	if err != nil {
		return "", err
	}
	return m.keys.SealShared(purposeContent, string(body))
}

func (m *Mailer) unseal(row *ent.Mail) (s sealed, err error) {
	body, err := m.keys.UnsealShared(purposeContent, row.Content)
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal([]byte(body), &s)
}

// Limit is a maximum number of messages in a period.
type Limit struct {
	Max int
	In  time.Duration
}

// Room returns fault.RateLimited if n more messages of a kind would exceed the limit of an account.
func (m *Mailer) Room(ctx context.Context, tx *ent.Client, sender uuid.UUID, kind Kind, n int, l Limit) error {
	if m == nil {
		return ErrOff()
	}
	if err := m.db.LockNames(ctx, tx, "mail of "+sender.String()); err != nil {
		return err
	}
	sent, err := tx.Mail.Query().
		Where(entmail.SenderID(sender), entmail.KindEQ(kind), entmail.CreatedAtGT(m.config.Now().Add(-l.In).UTC())).
		Count(ctx)
	if err == nil && sent+n > l.Max {
		err = limited(l.In, "the account has sent %d of these messages in the last %s, expected at most %d", sent, l.In,
			l.Max)
	}
	return err
}

// limited returns fault.RateLimited with a delay after which the caller may retry.
func limited(after time.Duration, format string, args ...any) error {
	f := fault.New(fault.RateLimited, format, args...)
	f.RetryAfter = after
	return f
}

// Limits of requests to reset a password. The limit of an address is applied silently, so that it does not
// reveal anything about the address.
var (
	resetsOfAddress = Limit{3, time.Hour}
	resetsOfNetwork = Limit{20, time.Hour}
)

// resetLifetime is how long sending of a requested reset is attempted.
const resetLifetime = 30 * time.Minute

// RequestReset writes a request to reset the password of the account with an address. The account is only
// looked up when the message is sent, so that neither the response nor its timing reveals whether it exists.
// It returns fault.RateLimited after too many requests from the network of the caller.
func (m *Mailer) RequestReset(ctx context.Context, address string, language Language) error {
	if m == nil {
		return ErrOff()
	}
	address, err := CheckAddress(address, "email")
	if err != nil {
		return err
	}
	network, now := auth.NetworkOf(auth.AddressFrom(ctx)), m.config.Now().UTC()
	return m.db.Transact(ctx, func(tx *ent.Tx) error {
		if err := m.db.LockNames(ctx, tx.Client(), "mail resets"); err != nil {
			return err
		}
		n, err := tx.Mail.Query().
			Where(
				entmail.Network(network), entmail.KindEQ(KindReset), entmail.CreatedAtGT(now.Add(-resetsOfNetwork.In)),
			).
			Count(ctx)
		if err != nil {
			return err
		}
		if n >= resetsOfNetwork.Max {
			return limited(resetsOfNetwork.In, "too many requests to reset a password, try again later")
		}
		n, err = tx.Mail.Query().
			Where(
				entmail.Recipient(Key(address)), entmail.KindEQ(KindReset),
				entmail.CreatedAtGT(now.Add(-resetsOfAddress.In)),
			).
			Count(ctx)
		if err != nil || n >= resetsOfAddress.Max {
			return err
		}
		return m.Add(ctx, tx.Client(), Message{
			Kind: KindReset, To: Key(address), Language: language, Network: network, EndsAt: now.Add(resetLifetime),
		})
	})
}
