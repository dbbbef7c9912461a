package mail

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	entmail "github.com/safelight/safelight/ent/mail"
	"github.com/safelight/safelight/fault"
)

// target returns the target of audit events about a message.
func target(id uuid.UUID) string { return "mail:" + id.String() }

// newest is the order of messages.
var newest = database.Order[ent.Mail]{
	Columns: []string{entmail.FieldCreatedAt, entmail.FieldID}, Descending: true,
	Values: func(row *ent.Mail) []any { return []any{&row.CreatedAt, &row.ID} },
}

// Get returns a message. It returns fault.NotFound if the message does not exist.
func (m *Mailer) Get(ctx context.Context, id uuid.UUID) (*ent.Mail, error) {
	if m == nil {
		return nil, fault.OnField(fault.NotFound, "id", "the message does not exist")
	}
	row, err := m.db.Mail.Get(ctx, id)
	return row, database.Missing(err, "the message", "id")
}

// List returns a page of 1 to 100 messages, newest first, after a cursor. state selects messages in a state; nil
// selects all. If the server sends no e-mail, the list is empty.
func (m *Mailer) List(
	ctx context.Context, state *State, first int, after string,
) (*database.Page[*ent.Mail], error) {
	if m == nil {
		if err := database.CheckPage(first); err != nil {
			return nil, err
		}
		return database.PageOf([]*ent.Mail{}, nil, 0, first), nil
	}
	query := m.db.Mail.Query()
	if state != nil {
		query.Where(entmail.StateEQ(*state))
	}
	return database.ReadPage(ctx, query, newest, first, after)
}

// Retry sends a failed message again, for another 24 hours. It returns fault.NotFound if the message does not
// exist, and fault.Conflict if it has not failed or its link has expired.
func (m *Mailer) Retry(ctx context.Context, id uuid.UUID) (row *ent.Mail, err error) {
	if m == nil {
		return nil, ErrOff()
	}
	err = m.db.Transact(ctx, func(tx *ent.Tx) error {
		if row, err = tx.Mail.Get(ctx, id); err != nil {
			return database.Missing(err, "the message", "id")
		}
		now := m.config.Now().UTC()
		if row.State != entmail.StateFailed {
			return fault.OnField(fault.Conflict, "id", "the message is %s, expected one that failed", row.State)
		}
		ended, err := m.hasEnded(row)
		if err != nil {
			return err
		}
		if ended {
			return fault.OnField(
				fault.Conflict, "id", "the link in the message has ended, expected that somebody asks for a new one",
			)
		}
		row, err = tx.Mail.UpdateOne(row).
			SetState(entmail.StatePending).
			SetAttempts(0).
			SetNextAt(now).
			SetEndsAt(now.Add(retryFor)).
			Save(ctx)
		if err != nil {
			return err
		}
		return m.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionMailRetry, Target: target(id),
			After: audit.Facts{"kind": row.Kind, "recipient": row.Recipient},
		})
	})
	return row, err
}

// canRetry reports whether failed messages of a kind can be sent again. The links in other kinds have expired
// by the time the message fails.
func canRetry(kind Kind) bool { return kind != KindReset && kind != KindAddress }

// hasEnded reports whether the link in a message has expired. It returns fault.Conflict if the message cannot
// be decrypted.
func (m *Mailer) hasEnded(row *ent.Mail) (bool, error) {
	if !canRetry(row.Kind) {
		return true, nil
	}
	s, err := m.unseal(row)
	if err != nil {
		return false, fault.OnField(
			fault.Conflict, "id", "the message was encrypted with another key file, expected that of this server",
		)
	}
	until, err := time.Parse(time.RFC3339, s.Until)
	return err == nil && !m.config.Now().Before(until), nil
}

// Test sends a message to an address immediately. It returns the reason if sending failed, or nil if the mail
// server accepted the message. It returns fault.RateLimited while too many other messages are being sent.
func (m *Mailer) Test(ctx context.Context, to string, language Language) (*Failure, error) {
	if m == nil {
		return nil, ErrOff()
	}
	to, err := CheckAddress(to, "to")
	if err != nil {
		return nil, err
	}
	if !m.slots.TryAcquire(1) {
		return nil, limited(time.Minute, "%d test messages are being sent, try again in a moment", maxConcurrent)
	}
	defer m.slots.Release(1)
	t, err := compose("test", language, Content{Link: m.URL("/")})
	if err != nil {
		return nil, err
	}
	f := m.send(ctx, to, t, m.messageID(uuid.New()))
	if ctx.Err() != nil {
		return nil, database.Translate(ctx.Err())
	}
	facts := audit.Facts{"recipient": to}
	if f != nil {
		facts["problem"] = fmt.Sprint(f.Problem)
	}
	m.audit.RecordDone(ctx, audit.Event{Action: audit.ActionMailTest, Target: "mail", After: facts})
	if f != nil {
		return &Failure{f.Problem, f.Answer}, nil
	}
	return nil, nil
}
