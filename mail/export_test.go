package mail

import "context"

// Words returns the wording of all messages in a language.
var Words = words

// SendDue sends the messages that are due, once.
func SendDue(ctx context.Context, m *Mailer) error {
	_, err := m.wave(ctx)
	return err
}
