package mail_test

import (
	"database/sql"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/ent"
	entmail "github.com/safelight/safelight/ent/mail"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/shares"
	"github.com/safelight/safelight/mail"
	"github.com/safelight/safelight/mail/mailtest"
)

// stage is a gallery with a mail server.
type stage struct {
	*gallerytest.Stage
	server *mailtest.Server
}

func newStage(t *testing.T, db *sql.DB, name string, change func(*mailtest.Server), more func(*mail.Config)) *stage {
	t.Helper()
	server := mailtest.New(t, change)
	c := &mail.Config{
		Server:  mail.Server{Host: server.Host, Port: server.Port},
		From:    &netmail.Address{Name: "Photos", Address: "photos@example.com"},
		BaseURL: "https://photos.example.com",
		Roots:   server.Roots,
		Timeout: time.Minute,
	}
	more(c)
	return &stage{gallerytest.New(t, db, name, gallerytest.Config{Mail: c}), server}
}

func (s *stage) later(d time.Duration) { s.Clock.Time = s.Clock.Time.Add(d) }

func same(*mailtest.Server) {}
func plain(*mail.Config)    {}

// run sends waiting messages, and stops as soon as there are none.
func (s *stage) run() {
	s.Helper()
	for s.sendDue(); ; s.sendDue() {
		p, err := s.Mail.List(s.T.Context(), new(entmail.StatePending), 1, "")
		s.Must(err)
		if len(p.Items) == 0 || p.Items[0].NextAt.After(s.Clock.Now()) {
			return
		}
	}
}

func (s *stage) sendDue() {
	s.Helper()
	s.Must(mail.SendDue(s.T.Context(), s.Mail))
}

// messages returns all rows of the outbox, newest first.
func (s *stage) messages() []*ent.Mail {
	s.Helper()
	p, err := s.Mail.List(s.T.Context(), nil, 100, "")
	s.Must(err)
	return p.Items
}

var link = regexp.MustCompile(`https://photos\.example\.com/\S+`)

// read returns the header, the text and the HTML of a message.
func (s *stage) read(m mailtest.Message) (h netmail.Header, text, html string) {
	s.Helper()
	parsed, err := netmail.ReadMessage(strings.NewReader(m.Data))
	s.Must(err)
	_, params, err := mime.ParseMediaType(parsed.Header.Get("Content-Type"))
	s.Must(err)
	parts := multipart.NewReader(parsed.Body, params["boundary"])
	for {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			return parsed.Header, text, html
		}
		s.Must(err)
		body, err := io.ReadAll(quotedprintable.NewReader(part))
		s.Must(err)
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/html") {
			html = string(body)
		} else {
			text = strings.ReplaceAll(string(body), "\r\n", "\n")
		}
	}
}

// person registers an account with an address.
func (s *stage) person(name, address string) (admin, user *accounts.Session) {
	s.Helper()
	admin, err := s.Login(s.Context(), "root", gallerytest.Password, "")
	if err != nil {
		admin = s.Person("root", auth.RoleAdmin)
	}
	user = s.Person(name, auth.RoleUser)
	_, err = s.UpdateProfile(s.As(admin), &user.User.ID, accounts.UpdateProfileInput{Email: &address})
	s.Must(err)
	return admin, user
}

// TestReset resets a password with a message: once, within half an hour, and ending all sessions.
func TestReset(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, same, plain)
		_, ann := s.person("ann", "Ann@Example.com")
		ctx := auth.WithAddress(t.Context(), "192.0.2.1")
		s.Must(s.Mail.RequestReset(ctx, "ann@EXAMPLE.com", mail.German))
		s.Must(s.Mail.RequestReset(ctx, "nobody@example.com", mail.German))
		s.run()
		got := s.server.Messages()
		if len(got) != 1 || !got[0].TLS || !strings.Contains(got[0].To, "ann@example.com") {
			t.Fatalf("the mail server got %+v, expected one message to ann over TLS", got)
		}
		h, text, html := s.read(got[0])
		if h.Get("Auto-Submitted") != "auto-generated" || h.Get("Message-ID") == "" ||
			!strings.Contains(text, "Kontos ann zurücksetzen") || !strings.Contains(html, `lang="de"`) {
			t.Errorf("header %v, text %s", h, text)
		}
		address := link.FindString(text)
		if !strings.Contains(html, address) {
			t.Errorf("the HTML lacks %s: %s", address, html)
		}
		token := strings.TrimPrefix(address, "https://photos.example.com/reset#")
		if n := len(token); n != 43 {
			t.Fatalf("the token has %d characters, expected 43: 256 bits", n)
		}
		for _, row := range s.messages() {
			if row.Content != "" || strings.Contains(row.Answer, token) {
				t.Errorf("the outbox keeps %+v", row)
			}
		}

		_, err := s.ResetPassword(ctx, token, "short", mail.English)
		gallerytest.Want(t, err, fault.Invalid, "a short password")
		_, err = s.ResetPassword(ctx, token+"x", "a much better password", mail.English)
		gallerytest.Want(t, err, fault.Forbidden, "another token")
		session, err := s.ResetPassword(ctx, token, "a much better password", mail.English)
		if err != nil || session.Token == "" {
			t.Fatalf("resetting: %+v, %v", session, err)
		}
		_, err = s.Refresh(ctx, ann.Token)
		gallerytest.Want(t, err, fault.Unauthenticated, "a session from before")
		_, err = s.ResetPassword(ctx, token, "another good password", mail.English)
		gallerytest.Want(t, err, fault.Forbidden, "the token again")
		_, err = s.Login(ctx, "ann", "a much better password", "")
		gallerytest.Want(t, err, "", "the new password")

		s.Must(s.Mail.RequestReset(ctx, "ann@example.com", mail.English))
		s.run()
		got = s.server.Messages()
		_, text, _ = s.read(got[len(got)-1])
		token = strings.TrimPrefix(link.FindString(text), "https://photos.example.com/reset#")
		s.later(31 * time.Minute)
		_, err = s.ResetPassword(ctx, token, "another good password", mail.English)
		gallerytest.Want(t, err, fault.Forbidden, "a token after half an hour")
	})
}

// TestResetEnds checks that the links of an account become invalid with its sessions, its password and its
// address.
func TestResetEnds(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, same, plain)
		admin, ann := s.person("ann", "ann@example.com")
		other := "other@example.com"
		for what, end := range map[string]func() error{
			"ended sessions": func() error {
				return s.LogoutEverywhere(s.As(admin), accounts.EndSessions{UserID: &ann.User.ID})
			},
			"a new address": func() error {
				_, err := s.UpdateProfile(s.As(admin), &ann.User.ID, accounts.UpdateProfileInput{Email: &other})
				return err
			},
			"a deactivation": func() error { return s.DeactivateAccount(s.As(admin), &ann.User.ID) },
		} {
			_, err := s.UpdateProfile(s.As(admin), &ann.User.ID,
				accounts.UpdateProfileInput{Email: new("ann@example.com")})
			s.Must(err)
			s.Must(s.ReactivateAccount(s.As(admin), ann.User.ID))
			sent, err := s.ResetLink(t.Context(), "ann@example.com")
			if err != nil || sent == nil {
				t.Fatalf("%s: %v, %v", what, sent, err)
			}
			s.Must(end())
			_, token, _ := strings.Cut(sent.Link, "#")
			_, err = s.ResetPassword(t.Context(), token, "a much better password", mail.English)
			gallerytest.Want(t, err, fault.Forbidden, "a link after "+what)
		}
		_, err := s.UpdateProfile(s.As(admin), &ann.User.ID, accounts.UpdateProfileInput{Email: new("ann@example.com")})
		s.Must(err)
		s.Must(s.DeactivateAccount(s.As(admin), &ann.User.ID))
		if sent, err := s.ResetLink(t.Context(), "ann@example.com"); err != nil || sent != nil {
			t.Errorf("a deactivated account gets %v, %v, expected no link", sent, err)
		}
	})
}

// TestResetAsksForTheFactor sets the password of an account with a second factor, which must then be
// required.
func TestResetAsksForTheFactor(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, same, plain)
		_, ann := s.person("ann", "ann@example.com")
		sent, err := s.ResetLink(t.Context(), "ann@example.com")
		s.Must(err)
		_, err = db.ExecContext(t.Context(),
			"UPDATE users SET second_factor = true, code_failures = 7 WHERE username = 'ann'")
		s.Must(err)
		_, token, _ := strings.Cut(sent.Link, "#")
		session, err := s.ResetPassword(t.Context(), token, "a much better password", mail.English)
		if err != nil || session.Token != "" || session.Pending == nil {
			t.Fatalf("resetting: %+v, %v, expected a pending login", session, err)
		}
		u, err := s.User(t.Context(), ann.User.ID)
		if err != nil || u.CodeFailures != 7 {
			t.Errorf("%d wrong codes are counted, %v, expected 7: a reset buys no guesses", u.CodeFailures, err)
		}
		_, err = s.Refresh(t.Context(), ann.Token)
		gallerytest.Want(t, err, fault.Unauthenticated, "a session from before")
	})
}

// TestResetOfProviders checks that no link is sent while password login is off, and that an earlier link is
// rejected.
func TestResetOfProviders(t *testing.T) {
	s := newStage(t, databasetest.SQLite(t), "sqlite3", same, plain)
	s.person("ann", "ann@example.com")
	sent, err := s.ResetLink(t.Context(), "ann@example.com")
	s.Must(err)
	_, token, _ := strings.Cut(sent.Link, "#")
	off, err := accounts.New(t.Context(), accounts.Config{NoPasswords: true, Mail: s.Mail, Now: s.Clock.Now},
		database.New(s.Pool, "sqlite3"), s.Audit, s.Keys, slog.New(slog.DiscardHandler))
	s.Must(err)
	if sent, err := off.ResetLink(t.Context(), "ann@example.com"); err != nil || sent != nil {
		t.Errorf("the link is %v, %v, expected none", sent, err)
	}
	_, err = off.ResetPassword(t.Context(), token, "a much better password", mail.English)
	gallerytest.Want(t, err, fault.Forbidden, "a link from before")
}

// TestResetLimits checks the limit of requests by network, and the silent limit by address.
func TestResetLimits(t *testing.T) {
	s := newStage(t, databasetest.SQLite(t), "sqlite3", same, plain)
	s.person("ann", "ann@example.com")
	for _, address := range []string{"ann@example.com", "nobody@example.com"} {
		for range 5 {
			s.Must(s.Mail.RequestReset(auth.WithAddress(t.Context(), "192.0.2.1"), address, mail.English))
		}
	}
	if n := len(s.messages()); n != 6 {
		t.Errorf("%d messages wait, expected 3 for each address", n)
	}
	var err error
	for i := range 30 {
		address := string(rune('a'+i)) + "@example.com"
		if i > 25 {
			address = "z" + address
		}
		if err = s.Mail.RequestReset(auth.WithAddress(t.Context(), "2001:db8::"+string(rune('1'+i%9))), address,
			mail.English); err != nil {
			break
		}
	}
	gallerytest.Want(t, err, fault.RateLimited, "a network that asks for 30 addresses")
	s.later(time.Hour + time.Second)
	s.Must(s.Mail.RequestReset(auth.WithAddress(t.Context(), "2001:db8::1"), "ann@example.com", mail.English))
}

// TestAddress checks that an address must be confirmed before it is used.
func TestAddress(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, same, plain)
		_, bob := s.person("bob", "bob@example.com")
		_, ann := s.person("ann", "")
		confirm := func(address string) string {
			s.Must(s.ChangeEmail(s.As(ann), address, mail.French))
			s.run()
			got := s.server.Messages()
			_, text, _ := s.read(got[len(got)-1])
			_, token, _ := strings.Cut(link.FindString(text), "#")
			return token
		}
		token := confirm("ann@example.com")
		if u, err := s.User(t.Context(), ann.User.ID); err != nil || u.Email != "" {
			t.Fatalf("the address is %q before it is confirmed, %v", u.Email, err)
		}
		if sent, err := s.ResetLink(t.Context(), "ann@example.com"); err != nil || sent != nil {
			t.Errorf("an unconfirmed address gets %v, %v", sent, err)
		}
		if address, err := s.ConfirmEmail(t.Context(), token, mail.French); err != nil || address != "ann@example.com" {
			t.Fatalf("confirming: %q, %v", address, err)
		}
		_, err := s.ConfirmEmail(t.Context(), token, mail.French)
		gallerytest.Want(t, err, fault.Forbidden, "the link again")
		_, err = s.ConfirmEmail(t.Context(), confirm("BOB@example.com"), mail.French)
		gallerytest.Want(t, err, fault.Conflict, "the address of another account")

		u, err := s.User(t.Context(), ann.User.ID)
		s.Must(err)
		if own, others := s.Email(s.As(ann), u), s.Email(s.As(bob), u); own != "ann@example.com" || others != "" {
			t.Errorf("the owner sees %q and others %q", own, others)
		}
		for range 3 {
			confirm("ann2@example.com")
		}
		gallerytest.Want(t, s.ChangeEmail(s.As(ann), "ann3@example.com", mail.French), fault.RateLimited,
			"the sixth message")
		s.Must(s.ChangeEmail(s.As(ann), "", mail.French))
		if u, err = s.User(t.Context(), ann.User.ID); err != nil || u.Email != "" || u.EmailKey != nil {
			t.Errorf("the removed address is %q, %v", u.Email, err)
		}
	})
}

// TestInvitation sends an invitation, whose link sets the password.
func TestInvitation(t *testing.T) {
	s := newStage(t, databasetest.SQLite(t), "sqlite3", same, plain)
	admin, ann := s.person("ann", "")
	_, _, err := s.SendInvitation(s.As(admin), ann.User.ID, mail.Japanese)
	gallerytest.Want(t, err, fault.Conflict, "an account without an address")
	_, err = s.UpdateProfile(s.As(admin), &ann.User.ID, accounts.UpdateProfileInput{Email: new("ann@example.com")})
	s.Must(err)
	token, _, err := s.SendInvitation(s.As(admin), ann.User.ID, mail.Japanese)
	s.Must(err)
	s.run()
	got := s.server.Messages()
	_, text, _ := s.read(got[len(got)-1])
	until := s.Clock.Now().Add(7 * 24 * time.Hour).UTC().Format("2006年1月2日")
	if link.FindString(text) != "https://photos.example.com/setup#invitation="+token ||
		!strings.Contains(text, "ann") ||
		!strings.Contains(text, until) {
		t.Errorf("the invitation says %s", text)
	}
	_, err = s.AcceptInvitation(t.Context(), token, "a much better password")
	s.Must(err)
}

// TestShare sends a link with a note, which must not be interpreted as a header or HTML.
func TestShare(t *testing.T) {
	s := newStage(t, databasetest.SQLite(t), "sqlite3", same, plain)
	_, ann := s.person("ann", "")
	s.Put("trip/sea.png", gallerytest.PNG)
	row, err := s.Shares.Create(s.As(ann), shares.CreateInput{Paths: []string{"trip"}, Name: "Sea <b>{from}</b>",
		Password: "a very good password"})
	s.Must(err)
	send := func(note string, to ...string) error {
		_, err := s.Shares.Send(s.As(ann), row.ID, shares.SendInput{To: to, Note: note, Language: mail.English})
		return err
	}
	for _, bad := range []string{
		"", "a", "a@b@c", "a@example.com\r\nBcc: x@example.com", "a@example.com\n", "<a@example.com>",
		"A <a@example.com>",
		"a b@example.com", "a@example.com,b@example.com", "a@exa\x00mple.com", "é@example.com", `"a b"@example.com`,
		strings.Repeat("a", 65) + "@example.com",
	} {
		if bad == "a@example.com\n" {
			continue // surrounding spaces are removed
		}
		gallerytest.Want(t, send("", bad), fault.Invalid, "the address "+bad)
	}
	gallerytest.Want(t, send("bell \a", "a@example.com"), fault.Invalid, "a control character")
	gallerytest.Want(t, send(strings.Repeat("x", 2001), "a@example.com"), fault.Invalid, "a long note")
	gallerytest.Want(t, send(""), fault.Invalid, "no address")
	gallerytest.Want(t, send("", strings.Split(strings.Repeat("a@example.com ", 11), " ")[:11]...), fault.Invalid,
		"eleven addresses")
	s.Must(send("Hello\r\n.\r\nBcc: x@example.com <script>", "a@example.com", "A@example.com", "b@example.com"))
	s.run()
	got := s.server.Messages()
	if len(got) != 2 {
		t.Fatalf("%d messages, expected one for each person", len(got))
	}
	h, text, html := s.read(got[0])
	subject, err := new(mime.WordDecoder).DecodeHeader(h.Get("Subject"))
	s.Must(err)
	if subject != "ann shares Sea <b>{from}</b> with you" || h.Get("Bcc") != "" {
		t.Errorf("subject %q, header %v", subject, h)
	}
	if !strings.Contains(text, "> Hello\n> .\n> Bcc: x@example.com <script>\n") ||
		strings.Contains(text, "a very good") {
		t.Errorf("text %s", text)
	}
	if strings.Contains(html, "<script>") || strings.Contains(html, "<b>") ||
		!strings.Contains(html, "&lt;script&gt;") {
		t.Errorf("HTML %s", html)
	}
	if address := link.FindString(text); address != "https://photos.example.com"+*s.Shares.URL(row) {
		t.Errorf("the link is %s", address)
	}
	for range 9 {
		err = send("", "a0@x.org", "a1@x.org", "a2@x.org", "a3@x.org", "a4@x.org", "a5@x.org", "a6@x.org", "a7@x.org",
			"a8@x.org", "a9@x.org")
	}
	s.Must(err)
	gallerytest.Want(t, send("", "a0@x.org", "a1@x.org", "a2@x.org", "a3@x.org", "a4@x.org", "a5@x.org", "a6@x.org",
		"a7@x.org", "a8@x.org"), fault.RateLimited, "more than 100 messages a day")
	s.Must(s.Shares.Delete(s.As(ann), row.ID))
	gallerytest.Want(t, send("", "a@example.com"), fault.NotFound, "a link that was revoked")
}

// TestBadServers uses mail servers that do not work. A request must never wait, and the error must name the
// problem.
func TestBadServers(t *testing.T) {
	for name, c := range map[string]struct {
		server  func(*mailtest.Server)
		config  func(*mail.Config)
		problem mail.Problem
		final   bool
		answer  string
	}{
		"hangs": {
			func(s *mailtest.Server) { s.Hangs = true }, func(c *mail.Config) { c.Timeout = 300 * time.Millisecond },
			mail.ProblemTimeout, false, "",
		},
		"no TLS":  {func(s *mailtest.Server) { s.NoTLS = true }, plain, mail.ProblemNoTLS, false, ""},
		"unknown": {same, func(c *mail.Config) { c.Roots = nil }, mail.ProblemCertificate, false, ""},
		"refuses": {func(s *mailtest.Server) { s.Denies = "550 5.1.1 no such\a user" }, plain, mail.ProblemRefused,
			true, "550 5.1.1 no such user"},
		"is busy": {func(s *mailtest.Server) { s.Denies = "451 4.3.2 later" }, plain, mail.ProblemRefused, false,
			"451 4.3.2 later"},
		"is gone": {same, func(c *mail.Config) { c.Server.Port = 1 }, mail.ProblemUnreachable, false, ""},
		"password": {
			func(s *mailtest.Server) { s.Rejects = true },
			func(c *mail.Config) { c.Server.User, c.Password = "photos", "guessed" }, mail.ProblemLogin, false,
			"535 5.7.8 the password is wrong",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, databasetest.SQLite(t), "sqlite3", c.server, c.config)
			s.person("ann", "ann@example.com")
			s.Must(s.Mail.RequestReset(t.Context(), "ann@example.com", mail.English))
			s.sendDue()
			row := s.messages()[0]
			state := entmail.StatePending
			if c.final {
				state = entmail.StateFailed
			}
			if row.State != state || row.Problem != string(c.problem) || strings.Contains(row.Answer, "\a") {
				t.Errorf("state %s, problem %s, answer %q, expected %s", row.State, row.Problem, row.Answer, c.problem)
			}
			if c.answer != "" && row.Answer != c.answer {
				t.Errorf("the answer is %q, expected %q", row.Answer, c.answer)
			}
			failure, err := s.Mail.Test(s.Context(), "ann@example.com", mail.English)
			if err != nil || failure == nil || failure.Problem != c.problem {
				t.Errorf("a test message: %+v, %v", failure, err)
			}
			if err := s.Mail.Check(t.Context()); (err == nil) != (c.problem == mail.ProblemRefused) {
				t.Errorf("doctor says %v", err)
			}
		})
	}
}

// TestRetry checks that messages are retried until their time is over, and again if an admin requests it.
func TestRetry(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, func(s *mailtest.Server) { s.Denies = "451 4.3.2 later" }, plain)
		admin, ann := s.person("ann", "ann@example.com")
		_, _, err := s.SendInvitation(s.As(admin), ann.User.ID, mail.English)
		s.Must(err)
		attempts := 0
		for s.messages()[0].State == entmail.StatePending {
			s.sendDue()
			attempts++
			s.later(time.Hour)
			if attempts > 40 {
				t.Fatal("the message is attempted forever")
			}
		}
		row := s.messages()[0]
		if row.State != entmail.StateFailed || row.Attempts < 5 || len(s.server.Messages()) != 0 {
			t.Fatalf("the message is %s after %d attempts", row.State, row.Attempts)
		}
		s.server.Deny("")
		row, err = s.Mail.Retry(s.Context(), row.ID)
		s.Must(err)
		_, err = s.Mail.Retry(s.Context(), row.ID)
		gallerytest.Want(t, err, fault.Conflict, "a message that waits")
		s.run()
		if row = s.messages()[0]; row.State != entmail.StateSent || len(s.server.Messages()) != 1 {
			t.Errorf("the message is %s", row.State)
		}
		failed, err := s.Mail.List(t.Context(), new(entmail.StateFailed), 10, "")
		if err != nil || len(failed.Items) != 0 {
			t.Errorf("%d failed messages, %v", len(failed.Items), err)
		}
	})
}

// TestOff checks that everything that needs e-mail is rejected on a server without it.
func TestOff(t *testing.T) {
	s := gallerytest.New(t, databasetest.SQLite(t), "sqlite3", gallerytest.Config{})
	root := s.Person("root", auth.RoleAdmin)
	ctx := s.As(root)
	for name, call := range map[string]func() error{
		"a reset":    func() error { return s.Mail.RequestReset(ctx, "a@example.com", mail.English) },
		"a test":     func() error { _, err := s.Mail.Test(ctx, "a@example.com", mail.English); return err },
		"an address": func() error { return s.ChangeEmail(ctx, "a@example.com", mail.English) },
	} {
		gallerytest.Want(t, call(), fault.Conflict, name)
	}
	if p, err := s.Mail.List(ctx, nil, 10, ""); err != nil || len(p.Items) != 0 {
		t.Errorf("%v, %v", p, err)
	}
}

// TestWordings compares the languages. All must have the same messages with the same placeholders.
func TestWordings(t *testing.T) {
	placeholder := regexp.MustCompile(`\{\w+\}`)
	_, english, err := mail.Words(mail.English)
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range mail.Languages {
		_, all, err := mail.Words(language)
		if err != nil || len(all) != len(english) || mail.Day("2026-12-04T00:00:00Z", language) == "" {
			t.Fatalf("%s has %d messages, expected %d: %v", language, len(all), len(english), err)
		}
		for kind, want := range english {
			w := all[kind]
			for _, pair := range [][2]string{
				{w.Subject, want.Subject}, {w.Text, want.Text}, {w.Action, want.Action}, {w.After, want.After},
			} {
				if (pair[0] == "") != (pair[1] == "") ||
					len(placeholder.FindAllString(pair[0], -1)) != len(placeholder.FindAllString(pair[1], -1)) {
					t.Errorf("%s in %s is %q, expected the placeholders of %q", kind, language, pair[0], pair[1])
				}
			}
		}
	}
}

// TestParseServer parses URLs of mail servers.
func TestParseServer(t *testing.T) {
	for text, want := range map[string]mail.Server{
		"smtp://mail.example.com":              {Host: "mail.example.com", Port: 587},
		"smtp://a%40b.org@mail.example.com:25": {Host: "mail.example.com", Port: 25, User: "a@b.org"},
		"smtps://user@mail.example.com": {
			Host: "mail.example.com", Port: 465, User: "user", TLS: mail.Implicit},
		"smtp://localhost:25":                   {Host: "localhost", Port: 25, TLS: mail.NoTLS},
		"smtp://localhost:25?tls=on":            {Host: "localhost", Port: 25},
		"smtp://mail.example.com:25?tls=off":    {Host: "mail.example.com", Port: 25, TLS: mail.NoTLS},
		"smtp://mail.example.com.localhost.org": {Host: "mail.example.com.localhost.org", Port: 587},
	} {
		if got, err := mail.ParseServer(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v, expected %+v", text, got, err, want)
		}
	}
	for _, bad := range []string{
		"", "mail.example.com", "http://mail.example.com", "smtp://", "smtp://user:secret@mail.example.com",
		"smtp://mail.example.com:0", "smtp://mail.example.com/path", "smtp://mail.example.com?tls=maybe",
		"smtps://mail.example.com?tls=off", "smtp://mail.example.com?x=1", "smtp://a%0d%0a@mail.example.com",
	} {
		if got, err := mail.ParseServer(bad); err == nil {
			t.Errorf("%s is accepted as %+v", bad, got)
		}
	}
}

// TestNoServer lists the messages of a server that sends no e-mail.
func TestNoServer(t *testing.T) {
	var none *mail.Mailer
	if p, err := none.List(t.Context(), nil, 10, ""); err != nil || len(p.Items) != 0 || p.After {
		t.Errorf("%+v, %v", p, err)
	}
	for _, first := range []int{-1, 0, database.MaxPage + 1} {
		if _, err := none.List(t.Context(), nil, first, ""); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("a page of %d: %v", first, err)
		}
	}
}
