package mail

import (
	"context"

	"github.com/safelight/safelight/ent"
)

// Words returns the wording of all messages in a language.
var Words = words

// Day returns how people write the day of a time in RFC 3339.
var Day = day

// SendDue sends the messages that are due, once.
func SendDue(ctx context.Context, m *Mailer) error {
	_, err := m.wave(ctx)
	return err
}

// Due returns the messages that SendDue sends, in its order.
func Due(ctx context.Context, m *Mailer) ([]*ent.Mail, error) { return m.due(ctx) }

// Prune deletes old messages.
func Prune(ctx context.Context, m *Mailer) error { return m.prune(ctx) }

// PruneTo is Prune that leaves at most a number of messages that were dropped.
func PruneTo(ctx context.Context, m *Mailer, dropped int) error {
	m.config.maxDropped = dropped
	return m.prune(ctx)
}
