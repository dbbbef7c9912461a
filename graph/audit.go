package graph

import (
	"context"
	"strconv"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/graph/model"
)

// AuditEvents resolves auditEvents.
func (q query) AuditEvents(
	ctx context.Context,
	first *int32,
	after *string,
	filter *model.AuditEventFilter,
) (*model.AuditEventConnection, error) {
	before, err := parseAuditCursor(after)
	if err != nil {
		return nil, err
	}
	var f audit.Filter
	if filter != nil {
		f = audit.Filter{
			Actor:  value(filter.Actor.Value()),
			Action: value(filter.Action.Value()),
			Target: value(filter.Target.Value()),
			Since:  value(filter.Since.Value()),
			Until:  value(filter.Until.Value()),
		}
	}
	p, err := q.rules.Audit.Events(ctx, f, sizeOf(first, defaultPage), before)
	return connection(p, auditCursor, err)
}

func auditCursor(e *ent.AuditEvent) string { return auditCursors.of(strconv.Itoa(e.ID)) }

// parseAuditCursor decodes a cursor to an id. Without a cursor, it returns 0.
func parseAuditCursor(text *string) (int, error) {
	number, err := auditCursors.parse(text)
	if err != nil || number == "" {
		return 0, err
	}
	id, err := strconv.Atoi(number)
	if err != nil || id < 1 {
		return 0, auditCursors.foreign()
	}
	return id, nil
}
