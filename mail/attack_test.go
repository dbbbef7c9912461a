package mail_test

import (
	"context"
	"database/sql"
	"encoding/base64"
	"fmt"
	"mime"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database/databasetest"
	entmail "github.com/safelight/safelight/ent/mail"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/shares"
	"github.com/safelight/safelight/mail"
	"github.com/safelight/safelight/mail/mailtest"
)

// TestHostileNames sends names that are designed to look like something else. The header must have the same
// fields as that of any other message, and a mail program must not decode anything in a name.
func TestHostileNames(t *testing.T) {
	s := newStage(t, databasetest.SQLite(t), "sqlite3", same, plain)
	_, ann := s.person("ann", "")
	s.Put("trip/sea.png", gallerytest.PNG)
	for name, shown := range map[string]string{
		"=?utf-8?Q?=0D=0ABcc:_x@example.com?=":       "= ?utf-8?Q?=0D=0ABcc:_x@example.com?=",
		"invoice\u202Efdp.exe\u2066":                 "invoicefdp.exe",
		"two\u2028lines\u2029here":                   "two lines here",
		strings.Repeat("長い名前", 25):                   strings.Repeat("長い名前", 25),
		strings.Repeat("a", 100):                     strings.Repeat("a", 100),
		"Family 👩‍👩‍👧 = Ünïcode?":                    "Family 👩‍👩‍👧 = Ünïcode?",
		"{name} {from} {until} {{.Link}} %s %d </p>": "{name} {from} {until} {{.Link}} %s %d </p>",
	} {
		_, err := s.UpdateProfile(s.As(ann), nil, accounts.UpdateProfileInput{DisplayName: &name})
		s.Must(err)
		row, err := s.Shares.Create(s.As(ann), shares.CreateInput{Paths: []string{"trip"}, Name: name})
		if strings.ContainsAny(name, "\u202E\u2028") { // links reject these characters, accounts do not
			if fault.CodeOf(err) != fault.Invalid {
				t.Errorf("%q: a link of that name: %v", name, err)
			}
			row, err = s.Shares.Create(s.As(ann), shares.CreateInput{Paths: []string{"trip"}, Name: shown})
		}
		s.Must(err)
		_, err = s.Shares.Send(s.As(ann), row.ID, shares.SendInput{
			To: []string{fmt.Sprintf("a%d@example.com", len(s.messages()))}, Note: "note", Language: mail.English,
		})
		s.Must(err)
		s.run()
		got := s.server.Messages()
		data := got[len(got)-1].Data
		head, _, _ := strings.Cut(data, "\r\n\r\n")
		for row := range strings.SplitSeq(head, "\r\n") {
			if len(row) > 200 || strings.ContainsFunc(row, func(r rune) bool { return r > unicode.MaxASCII }) {
				t.Errorf("%q: the header has the line %q", name, row)
			}
		}
		h, text, html := s.read(got[len(got)-1])
		if h.Get("Bcc") != "" || len(h["Subject"]) != 1 || len(h["To"]) != 1 || len(h["From"]) != 1 {
			t.Errorf("%q: the header is %v", name, h)
		}
		subject, err := new(mime.WordDecoder).DecodeHeader(h.Get("Subject"))
		if want := shown + " shares " + shown + " with you"; err != nil || subject != want {
			t.Errorf("%q: the subject is %q, %v, expected %q", name, subject, err, want)
		}
		if strings.ContainsFunc(text+html, func(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) }) {
			t.Errorf("%q: the text is %q", name, text)
		}
		if strings.Contains(html, "</p></p>") {
			t.Errorf("%q: the HTML is %s", name, html)
		}
	}
	note, err := mail.CheckNote("this is not\u202E a quote\u2028From: bank")
	if want := "this is not a quote\nFrom: bank"; err != nil || note != want {
		t.Errorf("the note is %q, %v, expected %q", note, err, want)
	}
}

// TestAddresses checks which addresses are valid: those that can be passed to a mail server unchanged.
func TestAddresses(t *testing.T) {
	for _, good := range []string{
		"a@example.com", "a+b@example.com", "a.b-c_d@sub.example.co.uk", "o'neil@example.com",
		"a@xn--bcher-kva.example",
		"a@localhost", " a@example.com\n", strings.Repeat("a", 64) + "@example.com",
	} {
		if got, err := mail.CheckAddress(good, "to"); err != nil || got != strings.TrimSpace(good) {
			t.Errorf("%q: %q, %v", good, got, err)
		}
	}
	for given, ascii := range map[string]string{
		"a@bücher.example": "a@xn--bcher-kva.example", " Ann@BÜCHER.Example ": "Ann@xn--bcher-kva.example",
		"a@例え。テスト": "a@xn--r8jz45g.xn--zckzah", "a@straße.de": "a@xn--strae-oqa.de",
	} {
		if got, err := mail.CheckAddress(given, "to"); err != nil || got != ascii {
			t.Errorf("%q: %q, %v, expected %q", given, got, err, ascii)
		}
	}
	for _, bad := range []string{
		"", "@", "a", "a@", "@example.com", "a@b@c", "a@example.com,b@example.com", "a@example.com;b@example.com",
		"a@example.com b@example.com", "<a@example.com>", "A <a@example.com>", "a@example.com>", `"a b"@example.com`,
		`"a\r\nBcc: x"@example.com`, "a@example.com\r\nBcc: x@example.com", "a@example.com\n.\nRCPT TO:<b@example.com>",
		"a%0d%0aBcc:x@exam\rple.com", "a\x00@example.com", "=?utf-8?Q?a?=@example.com", "a@[127.0.0.1]",
		"a@-example.com",
		"a@example-.com", "a@example..com", "a@.example.com", "a@example.com.", ".a@example.com", "a.@example.com",
		"a..b@example.com", "ä@example.com", "ä@bücher.example", "a@b ü.example", "a@bücher..example",
		"a@-ü.example", "a@ü@example.com", "a@\u202Eü.example", "a@" + strings.Repeat("ü", 64) + ".com",
		"a@example.com\u202E", "a\u200B@example.com",
		"a(comment)@example.com", "a@example.com(comment)", strings.Repeat("a", 65) + "@example.com",
		"a@" + strings.Repeat("a", 64) + ".com", "a@" + strings.Repeat("a.", 130) + "com",
	} {
		if got, err := mail.CheckAddress(bad, "to"); err == nil {
			t.Errorf("%q is accepted as %q", bad, got)
		}
	}
}

// TestFlood uses a mail server that sends without end. Only a small part must be read, and the error must say
// that the server cannot be used.
func TestFlood(t *testing.T) {
	s := newStage(t, databasetest.SQLite(t), "sqlite3", func(s *mailtest.Server) { s.Floods = true }, plain)
	failure, err := s.Mail.Test(s.Context(), "ann@example.com", mail.English)
	if err != nil || failure == nil || failure.Problem != mail.ProblemUnreachable {
		t.Errorf("a test message: %+v, %v", failure, err)
	}
	// The buffers of the connection contain some megabytes.
	if n := s.server.Flooded(); n > 32<<20 {
		t.Errorf("%d bytes of the greeting were taken", n)
	}
}

// TestEchoedPassword checks that the password does not appear in what the outbox stores and people see, even
// if the mail server repeats it.
func TestEchoedPassword(t *testing.T) {
	const password = "correct horse battery"
	s := newStage(t, databasetest.SQLite(t), "sqlite3", func(s *mailtest.Server) { s.Echoes = true },
		func(c *mail.Config) { c.Server.User, c.Password = "photos@example.com", password })
	s.person("ann", "ann@example.com")
	s.Must(s.Mail.RequestReset(t.Context(), "ann@example.com", mail.English))
	s.sendDue()
	failure, err := s.Mail.Test(s.Context(), "ann@example.com", mail.English)
	s.Must(err)
	check := s.Mail.Check(t.Context())
	for _, said := range []string{s.messages()[0].Answer, failure.Answer, check.Error()} {
		for _, form := range []string{
			password, base64.StdEncoding.EncodeToString([]byte(password)),
			base64.StdEncoding.EncodeToString([]byte("\x00photos@example.com\x00" + password)),
		} {
			if strings.Contains(said, form) || !strings.Contains(said, "cannot log in") {
				t.Errorf("the answer is %q", said)
			}
		}
	}
}

// TestRelay checks that all accounts together can only send few messages to one stranger, and that this does
// not affect resets.
func TestRelay(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, same, plain)
		s.Put("trip/sea.png", gallerytest.PNG)
		s.person("victim", "victim@example.com")
		for range 3 {
			s.Must(s.Mail.RequestReset(auth.WithAddress(t.Context(), "192.0.2.1"), "victim@example.com", mail.English))
		}
		var err error
		sent := 0
		for i := range 10 {
			person := s.Person(fmt.Sprint("sender", i), auth.RoleUser)
			row, err2 := s.Shares.Create(s.As(person), shares.CreateInput{Paths: []string{"trip"}})
			s.Must(err2)
			for j := range 5 {
				to := []string{"Victim@example.com", "VICTIM@EXAMPLE.COM"}[j%2]
				if _, err = s.Shares.Send(s.As(person), row.ID, shares.SendInput{To: []string{to}}); err == nil {
					sent++
				}
			}
			if err2 = s.ChangeEmail(s.As(person), "victim@Example.com", mail.English); err2 == nil {
				sent++
			}
		}
		gallerytest.Want(t, err, fault.RateLimited, "many messages to one person")
		if sent != 20 {
			t.Errorf("%d messages to one person in a day, expected 20", sent)
		}
		// The person can still reset the password, and is notified of a new address.
		s.later(time.Hour + time.Second)
		s.Must(s.Mail.RequestReset(auth.WithAddress(t.Context(), "192.0.2.1"), "victim@example.com", mail.English))
		victim, err := s.Login(s.Context(), "victim", gallerytest.Password, "")
		s.Must(err)
		s.Must(s.ChangeEmail(s.As(victim), "", mail.English))
		s.later(24 * time.Hour)
		victim, err = s.Login(s.Context(), "victim", gallerytest.Password, "")
		s.Must(err)
		row, err := s.Shares.Create(s.As(victim), shares.CreateInput{Paths: []string{"trip"}})
		s.Must(err)
		_, err = s.Shares.Send(s.As(victim), row.ID, shares.SendInput{To: []string{"victim@example.com"}})
		gallerytest.Want(t, err, "", "a message on the next day")
	})
}

// TestResetRace uses a link twice concurrently, and during a change that invalidates it. At most one password
// must be set.
func TestResetRace(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, same, plain)
		admin, ann := s.person("ann", "ann@example.com")
		for round := range 5 {
			sent, err := s.ResetLink(t.Context(), "ann@example.com")
			s.Must(err)
			_, token, _ := strings.Cut(sent.Link, "#")
			var wg sync.WaitGroup
			errs := make([]error, 6)
			for i := range errs {
				wg.Go(func() {
					if i == 5 && round%2 == 1 {
						_ = s.LogoutEverywhere(s.As(admin), accounts.EndSessions{UserID: &ann.User.ID})
						errs[i] = fault.New(fault.Forbidden, "")
						return
					}
					_, errs[i] = s.ResetPassword(t.Context(), token, fmt.Sprintf("a much better password %d", i),
						mail.English)
				})
			}
			wg.Wait()
			done := 0
			for _, err := range errs {
				if err == nil {
					done++
				} else if fault.CodeOf(err) != fault.Forbidden {
					t.Errorf("a link that is used: %v", err)
				}
			}
			if done > 1 || done == 0 && round%2 == 0 {
				t.Errorf("%d of %d uses of one link set a password", done, len(errs))
			}
		}
	})
}

// TestResetAfter uses links after events that invalidate them and that TestResetEnds does not cover.
func TestResetAfter(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, same, plain)
		_, ann := s.person("ann", "ann@example.com")
		token := func() string {
			sent, err := s.ResetLink(t.Context(), "ann@example.com")
			s.Must(err)
			_, token, _ := strings.Cut(sent.Link, "#")
			return token
		}
		first, second := token(), token()
		s.Must(s.ChangePassword(s.As(ann), accounts.NewPassword{
			Current: gallerytest.Password, Password: "another good password",
		}))
		for _, old := range []string{first, second} {
			_, err := s.ResetPassword(t.Context(), old, "a much better password", mail.English)
			gallerytest.Want(t, err, fault.Forbidden, "a link after a new password")
		}
		first, second = token(), token()
		_, err := s.ConfirmEmail(t.Context(), first, mail.English)
		gallerytest.Want(t, err, fault.Forbidden, "a reset link as a confirmation")
		_, err = s.ResetPassword(t.Context(), second, "a much better password", mail.English)
		s.Must(err)
		_, err = s.ResetPassword(t.Context(), first, "a third good password", mail.English)
		gallerytest.Want(t, err, fault.Forbidden, "another link after a reset")
	})
}

// TestResetSaysNothing compares the traces of a request for an address with an account with those for another
// address.
func TestResetSaysNothing(t *testing.T) {
	s := newStage(t, databasetest.SQLite(t), "sqlite3", same, plain)
	s.person("ann", "ann@example.com")
	huge := mail.Language(strings.Repeat("x", 10_000))
	for _, address := range []string{"ann@example.com", "bob@example.com"} {
		s.Must(s.Mail.RequestReset(auth.WithAddress(t.Context(), "192.0.2.1"), address, huge))
	}
	rows := s.messages()
	if a, b := len(rows[0].Content), len(rows[1].Content); a != b || a > 300 {
		t.Errorf("the rows have %d and %d bytes", a, b)
	}
	s.run()
	s.later(25 * time.Hour)
	s.Must(mail.Prune(t.Context(), s.Mail))
	for _, row := range s.messages() {
		if row.State == entmail.StateDropped {
			t.Errorf("an address that no account has is stored for more than a day: %+v", row)
		}
	}
}

// TestDroppedStay checks the limit of stored messages to addresses without an account, whoever entered them.
func TestDroppedStay(t *testing.T) {
	s := newStage(t, databasetest.SQLite(t), "sqlite3", same, plain)
	for i := range 30 {
		ctx := auth.WithAddress(t.Context(), fmt.Sprintf("2001:db8:0:%x::1", i))
		s.Must(s.Mail.RequestReset(ctx, fmt.Sprintf("a%d@example.com", i), mail.English))
		s.later(time.Second)
	}
	s.run()
	s.Must(mail.PruneTo(t.Context(), s.Mail, 10))
	if n := len(s.messages()); n != 10 {
		t.Errorf("%d addresses are stored, expected 10", n)
	}
}

// TestNewFirst checks that a new message is sent before any number of messages that a mail server rejects.
func TestNewFirst(t *testing.T) {
	s := newStage(t, databasetest.SQLite(t), "sqlite3", func(s *mailtest.Server) { s.Denies = "451 4.3.2 later" },
		plain)
	admin, ann := s.person("ann", "ann@example.com")
	for range 15 {
		_, _, err := s.SendInvitation(s.As(admin), ann.User.ID, mail.English)
		s.Must(err)
	}
	s.sendDue()
	s.later(3 * time.Minute)
	s.Must(s.Mail.RequestReset(auth.WithAddress(t.Context(), "192.0.2.1"), "ann@example.com", mail.English))
	due, err := mail.Due(t.Context(), s.Mail)
	s.Must(err)
	if len(due) != 16 || due[0].Kind != mail.KindReset {
		t.Errorf("the first of %d is %s, expected the one that was never tried", len(due), due[0].Kind)
	}
}

// TestRetryEnded checks that an expired invitation cannot be sent again.
func TestRetryEnded(t *testing.T) {
	s := newStage(t, databasetest.SQLite(t), "sqlite3", func(s *mailtest.Server) { s.Denies = "550 5.1.1 nobody" },
		plain)
	admin, ann := s.person("ann", "ann@example.com")
	_, _, err := s.SendInvitation(s.As(admin), ann.User.ID, mail.English)
	s.Must(err)
	s.sendDue()
	row := s.messages()[0]
	s.later(8 * 24 * time.Hour)
	_, err = s.Mail.Retry(s.Context(), row.ID)
	gallerytest.Want(t, err, fault.Conflict, "an invitation whose link has ended")
	ann, err = s.Login(s.Context(), "ann", gallerytest.Password, "")
	s.Must(err)
	s.Must(s.ChangeEmail(s.As(ann), "other@example.com", mail.English))
	s.sendDue()
	if row = s.messages()[0]; row.State != entmail.StateFailed || row.Content != "" {
		t.Errorf("the outbox keeps the content of a message that cannot be sent again: %+v", row)
	}
}

// TestChangedAddress checks that the previous address of an account is notified of a change, whoever makes
// it, and that nobody is notified if there was none.
func TestChangedAddress(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, same, plain)
		admin, ann := s.person("ann", "Old@example.com")
		told := func(what, address, words string) {
			s.run()
			got := s.server.Messages()
			if address == "" {
				if len(got) != 0 {
					t.Errorf("%s: %d messages, expected none", what, len(got))
				}
				return
			}
			last := got[len(got)-1]
			_, text, _ := s.read(last)
			if !strings.Contains(last.To, address) || !strings.Contains(text, words) || !strings.Contains(text, "ann") {
				t.Errorf("%s: %s got %s", what, last.To, text)
			}
		}
		set := func(address string) {
			_, err := s.UpdateProfile(s.As(admin), &ann.User.ID, accounts.UpdateProfileInput{
				Email: &address, Language: mail.German,
			})
			s.Must(err)
		}
		set("OLD@example.com")
		told("another spelling", "", "")
		set("new@example.com")
		told("an admin", "OLD@example.com", "geändert oder entfernt")
		s.Must(s.ChangeEmail(s.As(ann), "newer@example.com", mail.English))
		s.run()
		got := s.server.Messages()
		_, text, _ := s.read(got[len(got)-1])
		_, token, _ := strings.Cut(link.FindString(text), "#")
		if len(got) != 2 {
			t.Errorf("%d messages before the address is confirmed, expected two", len(got))
		}
		_, err := s.ConfirmEmail(t.Context(), token, mail.English)
		s.Must(err)
		told("the owner", "new@example.com", "changed or removed")
		s.Must(s.ChangeEmail(s.As(ann), "", mail.English))
		told("a removal", "newer@example.com", "changed or removed")
		set("again@example.com")
		s.run()
		if n := len(s.server.Messages()); n != 4 {
			t.Errorf("%d messages, expected none for an account without an address", n)
		}
	})
}

// TestPasswordIsTold checks that the address of an account is notified of each new password, in the language
// of whoever set it.
func TestPasswordIsTold(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, same, plain)
		admin, ann := s.person("ann", "ann@example.com")
		told := func(what string, n int, words string) {
			s.run()
			got := s.server.Messages()
			if len(got) != n {
				t.Fatalf("%s: %d messages, expected %d", what, len(got), n)
			}
			last := got[n-1]
			if _, text, _ := s.read(last); !strings.Contains(last.To, "ann@example.com") ||
				!strings.Contains(text, words) || !strings.Contains(text, "ann") {
				t.Errorf("%s: %s got %s", what, last.To, text)
			}
		}
		set := func(language mail.Language) {
			s.Must(s.ChangePassword(s.As(admin), accounts.NewPassword{
				UserID: &ann.User.ID, Password: "granite-salt-38-lamp", Language: language,
			}))
		}
		set(mail.German)
		told("an admin", 1, "wurde geändert")
		s.Must(s.Mail.RequestReset(t.Context(), "ann@example.com", mail.English))
		told("a request", 2, "asked to reset")
		_, text, _ := s.read(s.server.Messages()[1])
		_, token, _ := strings.Cut(link.FindString(text), "#")
		_, err := s.ResetPassword(t.Context(), token, "granite-salt-39-lamp", mail.French)
		s.Must(err)
		told("a reset", 3, "a été modifié")
		empty := ""
		_, err = s.UpdateProfile(s.As(admin), &ann.User.ID, accounts.UpdateProfileInput{Email: &empty})
		s.Must(err)
		told("without an address from now on", 4, "changed or removed")
		set(mail.German)
		told("without an address", 4, "changed or removed")
	})
}

// TestLongAnswer stores a long response of a mail server in any script.
func TestLongAnswer(t *testing.T) {
	s := newStage(t, databasetest.SQLite(t), "sqlite3", func(s *mailtest.Server) {
		s.Denies = "550 " + strings.Repeat("📷", 400)
	}, plain)
	s.person("ann", "ann@example.com")
	s.Must(s.Mail.RequestReset(t.Context(), "ann@example.com", mail.English))
	s.sendDue()
	if row := s.messages()[0]; row.State != entmail.StateFailed || !strings.Contains(row.Answer, "📷📷") {
		t.Errorf("the message is %+v", row)
	}
}

// TestTwoServers checks that each message is sent once, although a second server reads the outbox and one
// server stops halfway.
func TestTwoServers(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, same, plain)
		admin, ann := s.person("ann", "ann@example.com")
		for range 8 {
			_, _, err := s.SendInvitation(s.As(admin), ann.User.ID, mail.English)
			s.Must(err)
		}
		stopped, stop := context.WithCancel(t.Context())
		stop()
		_ = mail.SendDue(stopped, s.Mail)
		for _, row := range s.messages() {
			if row.State != entmail.StatePending || row.Attempts != 0 {
				t.Errorf("a server that stops leaves %+v", row)
			}
		}
		s.run()
		s.Must(mail.SendDue(t.Context(), s.Again().Mail))
		ids := map[string]int{}
		for _, one := range s.server.Messages() {
			h, _, _ := s.read(one)
			ids[h.Get("Message-ID")]++
		}
		if len(ids) != 8 || len(s.server.Messages()) != 8 {
			t.Errorf("%d messages with %d ids, expected 8", len(s.server.Messages()), len(ids))
		}
	})
}
