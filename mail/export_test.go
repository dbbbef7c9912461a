package mail

import (
	"context"

	"github.com/safelight/safelight/ent"
)

// Words returns the wording of all messages in a language.
var Words = words

// Day formats the day of an RFC 3339 time.
var Day = day

// SendDue sends the due messages once.
func SendDue(ctx context.Context, m *Mailer) error {
	_, err := m.wave(ctx)
	return err
}

// Due returns the messages that SendDue sends, in the same order.
func Due(ctx context.Context, m *Mailer) ([]*ent.Mail, error) { return m.due(ctx) }

// Prune deletes old messages.
func Prune(ctx context.Context, m *Mailer) error { return m.prune(ctx) }

// PruneTo is Prune with a maximum number of messages that were dropped.
func PruneTo(ctx context.Context, m *Mailer, dropped int) error {
	m.config.maxDropped = dropped
	return m.prune(ctx)
}
