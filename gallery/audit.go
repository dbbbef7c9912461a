package gallery

import (
	"context"
	"errors"
	"maps"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/ent/auditevent"
	"github.com/safelight/safelight/fault"
)

// Action is what an audit event tells of.
type Action string

// The actions.
const (
	ActionLogin            Action = "login.success"
	ActionLoginFailed      Action = "login.failure"
	ActionLogout           Action = "login.end"
	ActionLogoutEverywhere Action = "login.end-all"
	ActionUserRegister     Action = "user.register"
	ActionUserCreate       Action = "user.create"
	ActionUserUpdate       Action = "user.update"
	ActionUserPassword     Action = "user.password"
	ActionUserDeactivate   Action = "user.deactivate"
	ActionUserReactivate   Action = "user.reactivate"
	ActionUserDelete       Action = "user.delete"
	ActionTokenCreate      Action = "token.create"
	ActionTokenRevoke      Action = "token.revoke"
	ActionKeysRotate       Action = "keys.rotate"
	ActionProcessor        Action = "processor.configure"
	ActionStorage          Action = "storage.configure"
	ActionStorageTest      Action = "storage.test"
	ActionFileUpload       Action = "file.upload"
	ActionFileDelete       Action = "file.delete"
	ActionFileTrash        Action = "file.trash"
	ActionFileRestore      Action = "file.restore"
	ActionFilePurge        Action = "file.purge"
	ActionFileCopy         Action = "file.copy"
	ActionFileMove         Action = "file.move"
	ActionFileUpdate       Action = "file.update"
	ActionFolderCreate     Action = "folder.create"
	ActionTemplateSave     Action = "template.save"
	ActionAuditPrune       Action = "audit.prune"
	ActionCachePurge       Action = "cache.purge"
)

// facts are what an audit event says of a thing before or after; never a secret.
type facts = map[string]any

// event is what record is told; who, when and from where comes by the context.
type event struct {
	action        Action
	target        string // kind, colon, name
	before, after facts
	actor         *ent.User // nil: the identity of the context
	prunesBefore  *int
}

func userTarget(id uuid.UUID) string { return "user:" + id.String() }

func fileTarget[T ~string](path T) string { return "file:" + string(path) }

// record writes an audit event in the transaction of the change that it tells of.
func (g *Gallery) record(ctx context.Context, tx *ent.Tx, e event) error {
	return g.event(ctx, tx.AuditEvent.Create(), e).Exec(ctx)
}

// recordDone writes an audit event of a change outside of the database, after it was made. The change
// stands, whatever comes of the entry: a failure is logged, with what the entry would have said.
func (g *Gallery) recordDone(ctx context.Context, e event) {
	ctx = context.WithoutCancel(ctx) // what was done was done, though nobody waits for the answer
	if err := g.event(ctx, g.db.AuditEvent.Create(), e).Exec(ctx); err != nil {
		g.log.ErrorContext(ctx, "an audit event could not be written", "requestId", fault.RequestID(ctx), "action", string(e.action),
			"target", e.target, "user", auth.FromContext(ctx).UserID.String(), "address", auth.AddressFrom(ctx), "error", err)
	}
}

func (g *Gallery) event(ctx context.Context, c *ent.AuditEventCreate, e event) *ent.AuditEventCreate {
	i := auth.FromContext(ctx)
	switch {
	case e.actor != nil:
		c.SetActorID(e.actor.ID).SetActorName(e.actor.Username)
	case !i.IsAnonymous():
		c.SetActorID(i.UserID).SetActorName(i.Name)
	}
	c.SetAt(g.config.Now().UTC()).SetTokenID(i.TokenID).SetAction(string(e.action)).SetTarget(e.target).
		SetAddress(auth.AddressFrom(ctx)).SetRequestID(fault.RequestID(ctx)).SetNillablePrunesBefore(e.prunesBefore)
	if e.before != nil {
		c.SetBefore(recordable(e.before))
	}
	if e.after != nil {
		c.SetAfter(recordable(e.after))
	}
	return c
}

// recordable returns facts without NULs, which PostgreSQL keeps in no text: nobody is to leave the log by them.
func recordable(f facts) facts {
	f = maps.Clone(f)
	for name, fact := range f {
		if text, ok := fact.(string); ok {
			f[name] = strings.ReplaceAll(text, "\x00", "\uFFFD")
		}
	}
	return f
}

// AuditFilter says which audit events are meant. A zero field means every one.
type AuditFilter struct {
	Actor        string // a user's id, or the username at that time
	Action       string // an action, or the part of several up to a dot: "user."
	Target       string // how the target starts
	Since, Until time.Time
}

// AuditPage is a part of the audit log, newest first.
type AuditPage struct {
	Events []*ent.AuditEvent
	More   bool // older ones follow
	Later  bool // newer ones were left out by a cursor
	filter AuditFilter
}

// maxPage is the most of a page, of events and of files.
const maxPage = 100

// AuditEvents returns the newest first events that match, 1 to 100, those before the event of id before
// when it is not 0.
func (g *Gallery) AuditEvents(ctx context.Context, f AuditFilter, first, before int) (*AuditPage, error) {
	if first < 1 || first > maxPage {
		return nil, fault.OnField(fault.Invalid, "first", "first is %d, expected 1 to %d", first, maxPage)
	}
	if err := errors.Join(lookup("actor", f.Actor), lookup("action", f.Action), lookup("target", f.Target)); err != nil {
		return nil, err
	}
	query := g.auditQuery(f)
	if before > 0 {
		query.Where(auditevent.IDLT(before))
	}
	list, err := query.Order(auditevent.ByID(descending())).Limit(first + 1).All(ctx)
	if err != nil {
		return nil, translate(err)
	}
	page := &AuditPage{Events: list, Later: before > 0, filter: f}
	if len(list) > first {
		page.Events, page.More = list[:first], true
	}
	return page, nil
}

// CountAuditEvents returns how many events match the filter of a page.
func (g *Gallery) CountAuditEvents(ctx context.Context, p *AuditPage) (int, error) {
	n, err := g.auditQuery(p.filter).Count(ctx)
	return n, translate(err)
}
