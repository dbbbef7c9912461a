package mail

import (
	"context"
	"time"

	"entgo.io/ent/dialect/sql"
	"golang.org/x/sync/errgroup"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	entmail "github.com/safelight/safelight/ent/mail"
	"github.com/safelight/safelight/ent/predicate"
)

const (
	maxConcurrent = 4           // concurrent sessions
	waveSize      = 32          // messages that are sent before the outbox is read again
	pollInterval  = time.Second // maximum delay before a new message is noticed

	pruneEvery  = 10 * time.Minute
	keepDropped = 24 * time.Hour      // for messages to addresses without an account
	keepSent    = 7 * 24 * time.Hour  // for sent messages
	keepFailed  = 30 * 24 * time.Hour // for failed messages
)

// Run sends messages until ctx ends. Only one of the servers that use a database may run it at a time. If a
// server stops, the next one sends the unfinished messages again, with the same Message-ID.
func (m *Mailer) Run(ctx context.Context) {
	var pruned time.Time
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for failed := false; ; {
		more, err := m.wave(ctx)
		if err == nil && time.Since(pruned) > pruneEvery {
			pruned = time.Now()
			err = m.prune(ctx)
		}
		if err != nil && !failed && ctx.Err() == nil { // only log the first error of a series
			m.log.WarnContext(ctx, "the outbox of e-mail cannot be read", "error", err)
		}
		failed = err != nil
		if more && err == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// wave sends the due messages, at most waveSize, and waits until they are sent. more is false if there were
// none.
func (m *Mailer) wave(ctx context.Context) (more bool, err error) {
	due, err := m.due(ctx)
	if err != nil {
		return false, err
	}
	var all errgroup.Group
	all.SetLimit(maxConcurrent)
	for _, row := range due {
		all.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return m.attempt(ctx, row)
		})
	}
	err = all.Wait()
	return len(due) > 0, err
}

// due returns the due messages, at most waveSize. Messages that failed before come last, so that they do not
// delay others.
func (m *Mailer) due(ctx context.Context) ([]*ent.Mail, error) {
	rows, err := m.db.Mail.Query().
		Where(entmail.StateEQ(entmail.StatePending), entmail.NextAtLTE(m.config.Now().UTC())).
		Order(entmail.ByAttempts(), entmail.ByNextAt()).
		Limit(waveSize).
		All(ctx)
	return rows, database.Translate(err)
}

// attempt sends a message and stores the result. It returns an error if the result could not be stored. The
// message is then sent again.
func (m *Mailer) attempt(ctx context.Context, row *ent.Mail) error {
	var f *failure
	drop := false
	if m.config.Now().After(row.EndsAt) {
		f = &failure{ProblemExpired, row.Answer, true}
	} else {
		var t text
		if t, drop, f = m.text(ctx, row); f == nil && !drop {
			f = m.send(ctx, row.Recipient, t, m.messageID(row.ID))
		}
	}
	if ctx.Err() != nil {
		return ctx.Err() // the server is stopping, so the result is unknown
	}
	now := m.config.Now().UTC()
	return m.db.Transact(ctx, func(tx *ent.Tx) error {
		update := tx.Mail.Update().
			Where(entmail.ID(row.ID), entmail.StateEQ(entmail.StatePending)).
			AddAttempts(1).
			SetAttemptedAt(now)
		failed := false
		switch {
		case drop:
			update.SetState(entmail.StateDropped).SetContent("")
		case f == nil:
			update.SetState(entmail.StateSent).SetContent("").SetProblem("").SetAnswer("")
		default:
			next := now.Add(m.config.retry(row.Attempts))
			failed = f.final || next.After(row.EndsAt)
			update.SetProblem(string(f.Problem)).SetAnswer(f.Answer).SetNextAt(next)
			if failed {
				update.SetState(entmail.StateFailed)
				if !canRetry(row.Kind) {
					update.SetContent("")
				}
			}
		}
		n, err := update.Save(ctx)
		if err != nil || n == 0 || !failed {
			return err
		}
		return m.audit.Record(ctx, tx, audit.Event{
			Action: audit.ActionMailFailed, Target: target(row.ID),
			After: audit.Facts{"kind": row.Kind, "recipient": row.Recipient, "problem": f.Problem},
		})
	})
}

// prune deletes old messages.
func (m *Mailer) prune(ctx context.Context) error {
	now := m.config.Now().UTC()
	oldest := now.Add(-keepDropped)
	// Anybody can cause such messages, from any number of networks.
	last, err := m.db.Mail.Query().
		Where(entmail.StateEQ(entmail.StateDropped)).
		Order(entmail.ByCreatedAt(sql.OrderDesc())).
		Offset(m.config.maxDropped).
		First(ctx)
	if err == nil && last.CreatedAt.After(oldest) {
		oldest = last.CreatedAt
	}
	if err != nil && !ent.IsNotFound(err) {
		return database.Translate(err)
	}
	until := func(state entmail.State, moment time.Time) predicate.Mail {
		return entmail.And(entmail.StateEQ(state), entmail.CreatedAtLTE(moment))
	}
	_, err = m.db.Mail.Delete().
		Where(entmail.Or(
			until(entmail.StateDropped, oldest),
			until(entmail.StateSent, now.Add(-keepSent)),
			until(entmail.StateFailed, now.Add(-keepFailed)),
		)).
		Exec(ctx)
	return database.Translate(err)
}
