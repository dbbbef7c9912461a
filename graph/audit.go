package graph

import (
	"context"
	"strconv"

	"github.com/safelight/safelight/audit"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/graph/model"
)

// AuditEvents answers auditEvents.
func (q query) AuditEvents(ctx context.Context, first *int32, after *string, filter *model.AuditEventFilter) (*audit.Page, error) {
	before, err := parseAuditCursor(after)
	if err != nil {
		return nil, err
	}
	var f audit.Filter
	if filter != nil {
		f = audit.Filter{Actor: value(filter.Actor.Value()), Action: value(filter.Action.Value()), Target: value(filter.Target.Value()),
			Since: value(filter.Since.Value()), Until: value(filter.Until.Value())}
	}
	n := 50
	if first != nil {
		n = int(*first)
	}
	return q.rules.Audit.Events(ctx, f, n, before)
}

func auditCursor(e *ent.AuditEvent) string { return auditCursors.of(strconv.Itoa(e.ID)) }

// parseAuditCursor decodes a cursor to an id; 0 without one.
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

type auditPages struct{ *resolver }

// Edges answers AuditEventConnection.edges.
func (auditPages) Edges(_ context.Context, p *audit.Page) ([]*model.AuditEventEdge, error) {
	edges := make([]*model.AuditEventEdge, len(p.Events))
	for i, e := range p.Events {
		edges[i] = &model.AuditEventEdge{Node: e, Cursor: auditCursor(e)}
	}
	return edges, nil
}

// PageInfo answers AuditEventConnection.pageInfo.
func (auditPages) PageInfo(_ context.Context, p *audit.Page) (*gallery.PageInfo, error) {
	return pageInfo(p.Events, auditCursor, p.Later, p.More), nil
}

// TotalCount answers AuditEventConnection.totalCount.
func (r auditPages) TotalCount(ctx context.Context, p *audit.Page) (*int32, error) {
	n, err := r.rules.Audit.Count(ctx, p)
	if err != nil {
		return nil, err
	}
	c := count(n)
	return &c, nil
}
