package gallery

import (
	"context"
	"strings"
	"time"

	entsql "entgo.io/ent/dialect/sql"
	"github.com/google/uuid"

	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/auditevent"
)

func descending() entsql.OrderTermOption { return entsql.OrderDesc() }

// auditQuery returns the query of the events that match.
func (g *Gallery) auditQuery(f AuditFilter) *ent.AuditEventQuery {
	query := g.db.AuditEvent.Query()
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
	if f.Target != "" {
		query.Where(auditevent.TargetHasPrefix(f.Target))
	}
	if !f.Since.IsZero() {
		query.Where(auditevent.AtGTE(f.Since.UTC()))
	}
	if !f.Until.IsZero() {
		query.Where(auditevent.AtLT(f.Until.UTC()))
	}
	return query
}

// PruneAudit deletes the events that are older than keep, and tells of it in an event of its own, without
// which the database refuses. It returns how many went. A keep of 0 keeps all.
func (g *Gallery) PruneAudit(ctx context.Context, keep time.Duration) (int, error) {
	if keep <= 0 {
		return 0, nil
	}
	gone := 0
	before := g.config.Now().Add(-keep).UTC()
	err := g.tx(ctx, func(tx *ent.Tx) error {
		last, err := tx.AuditEvent.Query().Where(auditevent.AtLT(before)).Order(auditevent.ByID(descending())).First(ctx)
		if ent.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		end := last.ID + 1
		if err := g.record(ctx, tx, event{action: ActionAuditPrune, target: "audit", after: facts{"olderThan": before.Format(time.RFC3339)}, prunesBefore: &end}); err != nil {
			return err
		}
		gone, err = tx.AuditEvent.Delete().Where(auditevent.IDLT(end), auditevent.AtLT(before)).Exec(ctx)
		return err
	})
	return gone, translate(err)
}
