package audit

import (
	"context"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/auditevent"
)

// Prune deletes the events older than keep and returns their number. It records that in a separate event,
// which the database requires for the deletion. A keep of 0 keeps all events.
func (l *Log) Prune(ctx context.Context, keep time.Duration) (int, error) {
	if keep <= 0 {
		return 0, nil
	}
	deleted := 0
	before := l.now().Add(-keep).UTC()
	err := l.db.Transact(ctx, func(tx *ent.Tx) error {
		last, err := tx.AuditEvent.Query().
			Where(auditevent.AtLT(before)).
			Order(auditevent.ByID(entsql.OrderDesc())).
			First(ctx)
		if ent.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		end := last.ID + 1
		pruned := Event{
			Action: ActionAuditPrune, Target: "audit",
			After: Facts{"olderThan": before.Format(time.RFC3339)}, prunesBefore: &end,
		}
		if err := l.Record(ctx, tx, pruned); err != nil {
			return err
		}
		deleted, err = tx.AuditEvent.Delete().Where(auditevent.IDLT(end), auditevent.AtLT(before)).Exec(ctx)
		return err
	})
	return deleted, database.Translate(err)
}
