package graph

import (
	"cmp"
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
	if fault.CodeOf(err) == fault.Invalid {
		err = fault.OnField(fault.Invalid, "id", "this is not an id of this server")
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
	r := q.rules
	readers := []nodeReader{
		reader(r.Accounts.SavedSearch), reader(r.Accounts.APIToken), reader(r.Accounts.OneSession),
		reader(r.Gallery.Album), reader(r.Accounts.Passkey),
	}
	if auth.FromContext(ctx).Has(auth.ScopeWrite) {
		readers = append(readers, reader(r.Shares.Share), reader(r.Shares.Comment), reader(r.Shares.Reviewer))
	}
	denied := needs(ctx, auth.ScopeAdmin)
	if denied == nil {
		readers = append(
			readers, reader(r.Gallery.Access.Group), reader(r.Mail.Get), reader(r.Webhooks.Webhook),
			reader(r.Accounts.User),
		)
	}
	var missing error
	for _, read := range readers {
		node, err := read(ctx, id)
		if fault.CodeOf(err) != fault.NotFound {
			return node, err
		}
		missing = err
	}
	return nil, cmp.Or(denied, missing)
}

// nodeReader returns the node with an id, or fault.NotFound.
type nodeReader func(context.Context, uuid.UUID) (model.Node, error)

// reader makes a nodeReader of a method that returns one type of nodes.
func reader[T model.Node](read func(context.Context, uuid.UUID) (T, error)) nodeReader {
	return func(ctx context.Context, id uuid.UUID) (model.Node, error) {
		node, err := read(ctx, id)
		if err != nil {
			return nil, err // nil is returned explicitly, because an interface with a nil pointer is not nil
		}
		return node, nil
	}
}
