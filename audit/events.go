package audit

import (
	"context"
	"errors"
	"strings"
	"time"

	entsql "entgo.io/ent/dialect/sql"
	"github.com/google/uuid"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/auditevent"
)

// Filter selects events. A zero field selects all events.
type Filter struct {
	Actor        string   // id of a user, or their username at the time
	Action       string   // an action, or a prefix that ends with a dot: "user."
	Actions      []Action // any of these
	Target       string   // prefix of the target
	Targets      []string // any of these, exactly
	Since, Until time.Time
}

// Events returns the newest 1 to 100 events that match, newest first. If before is not 0, it returns events
// older than the one with that id. It returns fault.Invalid, which names an argument out of range.
func (l *Log) Events(ctx context.Context, f Filter, first, before int) (*database.Page[*ent.AuditEvent], error) {
	err := errors.Join(
		database.CheckPage(first), database.CheckSearchText("actor", f.Actor),
		database.CheckSearchText("action", f.Action), database.CheckSearchText("target", f.Target),
	)
	if err != nil {
		return nil, err
	}
	query := l.query(f)
	if before > 0 {
		query.Where(auditevent.IDLT(before))
	}
	list, err := query.Order(auditevent.ByID(entsql.OrderDesc())).Limit(first + 1).All(ctx)
	if err != nil {
		return nil, database.Translate(err)
	}
	page := database.FirstOf(list, first)
	page.Count = func(ctx context.Context) (int, error) {
		n, err := l.query(f).Count(ctx)
		return n, database.Translate(err)
	}
	if before > 0 {
		if page.Before, err = l.query(f).Where(auditevent.IDGTE(before)).Exist(ctx); err != nil {
			return nil, database.Translate(err)
		}
	}
	return page, nil
}

// Event returns the event with an id. It returns fault.NotFound if the event does not exist.
func (l *Log) Event(ctx context.Context, id int) (*ent.AuditEvent, error) {
	e, err := l.db.AuditEvent.Get(ctx, id)
	if err != nil {
		return nil, database.Missing(err, "the audit event", "id")
	}
	return e, nil
}

// query selects the events that match.
func (l *Log) query(f Filter) *ent.AuditEventQuery {
	query := l.db.AuditEvent.Query()
	if f.Actor != "" {
		if id, err := uuid.Parse(f.Actor); err == nil {
			query.Where(auditevent.ActorID(id))
		} else {
			query.Where(auditevent.ActorName(f.Actor))
		}
	}
	switch {
	case strings.HasSuffix(f.Action, "."):
		query.Where(auditevent.ActionHasPrefix(f.Action))
	case f.Action != "":
		query.Where(auditevent.Action(f.Action))
	}
	if len(f.Actions) > 0 {
		names := make([]string, len(f.Actions))
		for i, a := range f.Actions {
			names[i] = string(a)
		}
		query.Where(auditevent.ActionIn(names...))
	}
	if f.Target != "" {
		query.Where(auditevent.TargetHasPrefix(f.Target))
	}
	if len(f.Targets) > 0 {
		query.Where(auditevent.TargetIn(f.Targets...))
	}
	if !f.Since.IsZero() {
		query.Where(auditevent.AtGTE(f.Since.UTC()))
	}
	if !f.Until.IsZero() {
		query.Where(auditevent.AtLT(f.Until.UTC()))
	}
	return query
}
