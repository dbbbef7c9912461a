package audit

import (
	"context"
	"errors"
	"strings"
	"time"

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

// newestEvents is the order of events. The ids ascend.
var newestEvents = database.Order[ent.AuditEvent]{
	Columns: []string{auditevent.FieldID}, Descending: true,
	Values: func(e *ent.AuditEvent) []any { return []any{&e.ID} },
}

// Events returns a page of 1 to 100 events that match, newest first, after a cursor. It returns fault.Invalid,
// which names an argument out of range.
func (l *Log) Events(
	ctx context.Context, f Filter, first int, after string,
) (*database.Page[*ent.AuditEvent], error) {
	err := errors.Join(
		database.CheckSearchText("actor", f.Actor), database.CheckSearchText("action", f.Action),
		database.CheckSearchText("target", f.Target),
	)
	if err != nil {
		return nil, err
	}
	return database.ReadPage(ctx, l.query(f), newestEvents, first, after)
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
