package graph

import (
	"context"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/gallery/shares"
	"github.com/safelight/safelight/graph/model"
	"github.com/safelight/safelight/mail"
)

// MailMessages resolves mailMessages.
func (q query) MailMessages(
	ctx context.Context, state *mail.State, first *int32, after *string,
) (*model.MailMessageConnection, error) {
	last, err := mailCursors.parse(after)
	if err != nil {
		return nil, err
	}
	p, err := q.rules.Mail.List(ctx, state, sizeOf(first, defaultPage), last)
	return connection(p, mailCursors, err)
}

// SendTestMail resolves sendTestMail.
func (m mutation) SendTestMail(
	ctx context.Context, in model.SendTestMailInput,
) (*model.SendTestMailPayload, error) {
	p := &model.SendTestMailPayload{}
	failure, err := m.rules.Mail.Test(ctx, in.To, in.Language)
	if failure != nil {
		p.Problem, p.Answer = &failure.Problem, optional(failure.Answer)
	}
	return p, refuse(&p.UserErrors, err)
}

// RetryMail resolves retryMail.
func (m mutation) RetryMail(ctx context.Context, in model.RetryMailInput) (*model.RetryMailPayload, error) {
	p := &model.RetryMailPayload{}
	id, err := parseID(in.ID, "id")
	if err == nil {
		p.Message, err = m.rules.Mail.Retry(ctx, id)
	}
	if err != nil {
		p.Message = nil
	}
	return p, refuse(&p.UserErrors, err)
}

// ChangeEmail resolves changeEmail.
func (m mutation) ChangeEmail(ctx context.Context, in model.ChangeEmailInput) (*model.ChangeEmailPayload, error) {
	p := &model.ChangeEmailPayload{}
	err := m.rules.Accounts.ChangeEmail(ctx, value(in.Email.Value()), in.Language)
	if err == nil {
		p.User, err = m.rules.Accounts.Me(ctx)
	}
	return p, refuse(&p.UserErrors, err)
}

// SendShare resolves sendShare.
func (m mutation) SendShare(ctx context.Context, in model.SendShareInput) (*model.SharePayload, error) {
	id, err := parseID(in.ID, "id")
	if err != nil {
		return sharePayload(nil, err)
	}
	return sharePayload(m.rules.Shares.Send(ctx, id, shares.SendInput{
		To: in.To, Note: value(in.Note.Value()), Language: in.Language,
	}))
}

type mailMessages struct{}

// Problem resolves MailMessage.problem.
func (mailMessages) Problem(_ context.Context, row *ent.Mail) (*mail.Problem, error) {
	if row.Problem == "" {
		return nil, nil
	}
	problem := mail.Problem(row.Problem)
	return &problem, nil
}

// Answer resolves MailMessage.answer.
func (mailMessages) Answer(_ context.Context, row *ent.Mail) (*string, error) {
	return optional(row.Answer), nil
}

// Attempts resolves MailMessage.attempts.
func (mailMessages) Attempts(_ context.Context, row *ent.Mail) (int32, error) {
	return count(row.Attempts), nil
}
