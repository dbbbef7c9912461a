package graph

import (
	"context"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/graph/model"
)

// AuditEvents resolves auditEvents.
func (q query) AuditEvents(
	ctx context.Context,
	first *int32,
	after *string,
	filter *model.AuditEventFilter,
) (*model.AuditEventConnection, error) {
	last, err := auditCursors.parse(after)
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
	p, err := q.rules.Audit.Events(ctx, f, sizeOf(first, defaultPage), last)
	return connection(p, auditCursors, err)
}
