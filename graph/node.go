package graph

import (
	"context"
	"strconv"

	"github.com/google/uuid"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/graph/model"
	"github.com/safelight/safelight/templates"
)

// Node resolves node. Most ids contain the type of the node. For ids without one, it looks for items of the
// trash and uploads.
func (q query) Node(ctx context.Context, id string) (model.Node, error) {
	if account, err := uuid.Parse(id); err == nil {
		return q.accountNode(ctx, account)
	}
	if path, ok := templates.PathOf(id); ok {
		return q.rules.Templates.Template(ctx, path)
	}
	if number, err := strconv.Atoi(id); err == nil {
		return guarded(ctx, auth.ScopeAdmin, func() (model.Node, error) { return q.rules.Audit.Event(ctx, number) })
	}
	if font, missing := q.rules.Fonts.Get(id); missing == nil {
		return guarded(ctx, auth.ScopeWrite, func() (model.Node, error) { return font, nil })
	}
	if number, ok := model.ParseDeliveryID(id); ok {
		return guarded(ctx, auth.ScopeAdmin, func() (model.Node, error) {
			d, err := q.rules.Webhooks.Delivery(ctx, number)
			return model.NewWebhookDelivery(d), err
		})
	}
	if name, ok := model.ParseFamilyKeyID(id); ok {
		return guarded(ctx, auth.ScopeAdmin, func() (model.Node, error) {
			key, err := q.rules.Signing.FamilyKey(ctx, name)
			return model.NewFamilyKey(key), err
		})
	}
	node, err := q.rules.Gallery.NodeByID(ctx, id)
	if err == nil {
		return node.(model.Node), nil
	}
	if trashed, missing := q.rules.Gallery.TrashedFile(ctx, id); missing == nil {
		return guarded(ctx, auth.ScopeWrite, func() (model.Node, error) { return trashed, nil })
	}
	if upload, missing := q.rules.Uploads.Upload(ctx, id); missing == nil {
		return guarded(ctx, auth.ScopeWrite, func() (model.Node, error) { return upload, nil })
	}
	return nil, err
}

// guarded returns a node to callers with the scope s.
func guarded(ctx context.Context, s auth.Scope, read func() (model.Node, error)) (model.Node, error) {
	if err := needs(ctx, s); err != nil {
		return nil, err
	}
	node, err := read()
	if err != nil {
		return nil, err // nil is returned explicitly, because an interface with a nil pointer is not nil
	}
	return node, nil
}

// accountNode returns something that belongs to an account: a saved search of the caller, an album, an API
// token, a session, a passkey, a share link, a comment or reviewer of a link, or the account itself.
func (q query) accountNode(ctx context.Context, id uuid.UUID) (model.Node, error) {
	if auth.FromContext(ctx).UserID == id {
		return q.rules.Accounts.Me(ctx)
	}
	if s, err := q.rules.Accounts.SavedSearch(ctx, id); fault.CodeOf(err) != fault.NotFound {
		return s, err
	}
	if t, err := q.rules.Accounts.APIToken(ctx, id); fault.CodeOf(err) != fault.NotFound {
		return t, err
	}
	if s, err := q.rules.Accounts.OneSession(ctx, id); fault.CodeOf(err) != fault.NotFound {
		return s, err
	}
	if a, err := q.rules.Gallery.Album(ctx, id); fault.CodeOf(err) != fault.NotFound {
		return a, err
	}
	if p, err := q.rules.Accounts.Passkey(ctx, id); fault.CodeOf(err) != fault.NotFound {
		return p, err
	}
	if auth.FromContext(ctx).Has(auth.ScopeWrite) {
		if s, err := q.rules.Shares.Share(ctx, id); fault.CodeOf(err) != fault.NotFound {
			return s, err
		}
		if c, err := q.rules.Shares.Comment(ctx, id); fault.CodeOf(err) != fault.NotFound {
			return c, err
		}
		if r, err := q.rules.Shares.Reviewer(ctx, id); fault.CodeOf(err) != fault.NotFound {
			return r, err
		}
	}
	if err := needs(ctx, auth.ScopeAdmin); err != nil {
		return nil, err
	}
	if g, err := q.rules.Gallery.Access.Group(ctx, id); fault.CodeOf(err) != fault.NotFound {
		return g, err
	}
	if row, err := q.rules.Mail.Get(ctx, id); fault.CodeOf(err) != fault.NotFound {
		return row, err
	}
	if w, err := q.rules.Webhooks.Webhook(ctx, id); fault.CodeOf(err) != fault.NotFound {
		return w, err
	}
	return q.rules.Accounts.User(ctx, id)
}
