package shares

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/mail"
)

// maxRecipients is the maximum number of addresses that a link can be sent to at once.
const maxRecipients = 10

// sendLimit limits the messages of an account.
var sendLimit = mail.Limit{Max: 100, In: 24 * time.Hour}

// SendInput is a link to send by e-mail.
type SendInput struct {
	To       []string // addresses
	Note     string   // plain text; empty: no note
	Language mail.Language
}

// Send sends a link of the caller, or any link with admin scope, to e-mail addresses, without its password.
// It returns fault.NotFound if the link does not exist, fault.Invalid for an invalid address or note,
// fault.Conflict if the link has expired or the server sends no e-mail, and fault.RateLimited after too many
// messages of the caller.
func (s *Shares) Send(ctx context.Context, id uuid.UUID, in SendInput) (row *ent.Share, err error) {
	to, err := recipients(in.To)
	if err != nil {
		return nil, err
	}
	note, err := mail.CheckNote(in.Note)
	if err != nil {
		return nil, err
	}
	sender, err := s.accounts.User(ctx, auth.FromContext(ctx).UserID)
	if err != nil {
		return nil, err
	}
	if row, err = s.Share(ctx, id); err != nil {
		return nil, err
	}
	path := s.URL(row)
	active, err := s.IsActive(ctx, row)
	if err != nil {
		return nil, err
	}
	if path == nil || !active {
		return nil, fault.OnField(fault.Conflict, "id", "the link has ended, expected one that visitors can open")
	}
	m := s.config.Mail
	if !m.On() {
		return nil, mail.ErrOff()
	}
	content := mail.Content{Link: m.URL(*path), From: sender.DisplayName, Name: row.Name, Note: note}
	if row.ExpiresAt != nil {
		content.Until = row.ExpiresAt.UTC().Format(time.RFC3339)
	}
	err = s.db.Transact(ctx, func(tx *ent.Tx) error {
		if err := m.Room(ctx, tx.Client(), sender.ID, mail.KindShare, len(to), sendLimit); err != nil {
			return err
		}
		for _, address := range to {
			err := m.Add(ctx, tx.Client(), mail.Message{
				Kind: mail.KindShare, To: address, Language: in.Language, Sender: &sender.ID,
				Content: content,
			})
			if err != nil {
				return err
			}
		}
		return s.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionShareSend, Target: target(id), After: audit.Facts{"name": row.Name, "recipients": to},
		})
	})
	if err != nil {
		return nil, err
	}
	return row, nil
}

// recipients returns the addresses without duplicates. It returns fault.Invalid unless there are 1 to
// maxRecipients valid addresses.
func recipients(list []string) (to []string, err error) {
	if n := len(list); n < 1 || n > maxRecipients {
		return nil, fault.OnField(fault.Invalid, "to", "%d addresses, expected 1 to %d", n, maxRecipients)
	}
	known := map[string]bool{}
	for _, text := range list {
		address, err := mail.CheckAddress(text, "to")
		if err != nil {
			return nil, err
		}
		if key := mail.Key(address); !known[key] {
			known[key] = true
			to = append(to, address)
		}
	}
	return to, nil
}
